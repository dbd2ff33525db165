export {
  allocate,
  beginCounting,
  beginMemory,
  counted,
  room,
  taken,
  written,
} from '../../../wasm/assembly/memory';
