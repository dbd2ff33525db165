export {
  allocate,
  beginCounting,
  beginMemory,
  counted,
  room,
  taken,
  written,
} from '../../../wasm/assembly/memory';
export { sound } from './vp8/frame-header';
export {
  allocateLossy,
  lossyRowBytes,
  nextLossyRow,
  nextLossySamples,
  startLossy,
} from './vp8/picture';
