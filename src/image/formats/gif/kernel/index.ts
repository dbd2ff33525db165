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
