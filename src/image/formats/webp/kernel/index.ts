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
export { alphaStatus, countAlpha, nextAlphaRow, openAlpha, startAlpha } from './alpha/plane';
export { setAlpha } from './vp8/colors';
export {
  allocateLossy,
  nextLossyRow,
  nextLossySamples,
  rgbaRowBytes,
  startLossy,
} from './vp8/picture';
export { countLossless } from './vp8l/bound';
export { nextLosslessRow, openLossless, startLossless } from './vp8l/picture';
export { outOfMemory, sound } from './vp8l/status';
