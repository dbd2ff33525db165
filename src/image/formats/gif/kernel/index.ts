export {
  allocate,
  beginCounting,
  beginMemory,
  counted,
  limitMemory,
  room,
  taken,
  written,
} from '../../../wasm/assembly/memory';
export { allocatePicture, nextPictureRow, skipPictureRow, startPicture } from './decoder/picture';
export { sound } from './decoder/status';
export { outputAt } from './encoder/code-output';
export { allocateEncoder } from './encoder/encoder';
export { colorless, givenUp, writeExact } from './encoder/exact-coder';
export {
  applyIndices,
  basesAt,
  indicesAt,
  placePlanes,
  setTable,
  tableAt,
  targetsAt,
} from './encoder/frame';
export { writeLossy } from './encoder/lossy-coder';
export { prepareLossy } from './encoder/lossy-search';
export { keepProgress } from './encoder/progress';
