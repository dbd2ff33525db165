export {
  beginCounting,
  beginMemory,
  counted,
  limitMemory,
  room,
  taken,
  written,
} from '../../wasm/assembly/memory';
export {
  allocateComparison,
  codedRow,
  compareRows,
  pixelsAtScale,
  referenceRow,
  sumsAtScale,
} from './comparison';
export { lightAt } from './linear-light';
export { minUnmirroredSide, mirroredSide } from './mirrored-rows';
