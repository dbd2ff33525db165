import { allocateDictionary } from './encoder/dictionary';
import { allocateExactSearch } from './encoder/exact-search';
import { allocatePlanes } from './encoder/frame';
import { allocateLossySearch } from './encoder/lossy-search';

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
export { stretchMs, takeSpent, unfinished } from '../../../wasm/assembly/work';
export { sound } from './decoder/lzw';
export { allocatePicture, nextPictureRow, skipPictureRow, startPicture } from './decoder/picture';
export { outputAt } from './encoder/code-output';
export { colorless, continueExact, givenUp, writeExact } from './encoder/exact-coder';
export {
  applyIndices,
  basesAt,
  indicesAt,
  placePlanes,
  setTable,
  tableAt,
  targetsAt,
} from './encoder/frame';
export { continueLossy, writeLossy } from './encoder/lossy-coder';
export { prepareLossy } from './encoder/lossy-search';
export { keepProgress } from './encoder/progress';

/**
 * Allocates what encoding a frame of `pixels` pixels needs, except for its data; false if memory runs out.
 * @param inPlace without planes of target colors and of the colors below, which lie elsewhere
 */
export function allocateEncoder(pixels: usize, inPlace: bool): bool {
  return (
    allocatePlanes(pixels, inPlace) &&
    allocateDictionary() &&
    allocateExactSearch() &&
    allocateLossySearch()
  );
}
