export {
  asked,
  beginCounting,
  beginMemory,
  counted,
  limitMemory,
  room,
  taken,
  written,
} from '../../../wasm/assembly/memory';
export { allocateCursors } from './bit-reader';
export {
  beginOutput,
  codingFailure,
  outputAt,
  outputLength,
  reserveOutput,
  restartOutput,
} from './bit-writer';
export { scanMcusAcross, scanMcusDown, setScan, setTableSlot } from './coded-scan';
export {
  allocateRows,
  beginFrame,
  blockRow,
  blocksAcross,
  blocksDown,
  coded as codedFrame,
  mcusDown,
  quantizationTable,
  setFrame,
  setSampling,
  shareRows,
  source as sourceFrame,
  vertical as verticalOf,
} from './frame';
export { allocateDecoders, buildDecoder, decoderTable, definitionBuffer } from './huffman-decoder';
export { beginPixelBlocks, pixelRow, takePixelRows } from './pixel-blocks';
export {
  beginPixels,
  gray as greyPixelKind,
  inks as inkPixelKind,
  invertedInks as invertedInkPixelKind,
  nextPixelRow,
  rewindPixels,
  rgb as rgbPixelKind,
  takeMcuRow,
  ycc as yccPixelKind,
  ycck as ycckPixelKind,
} from './pixel-rows';
export { allocatePlanes, loadRow, maxHighBytes, storeRow } from './planes';
export { readProgressiveRow } from './progressive-scan';
export {
  allocateRequantizer,
  beginRequantizer,
  codedRow,
  lostEnergy as discardedEnergy,
  restartRequantizer,
  takeSourceRow,
} from './requantizer';
export {
  beginCoding,
  beginScan,
  codeMcuRow,
  codeScanRow,
  endScan,
} from './scan-coding';
export {
  openScan,
  outOfMemory,
  readMcuRow,
  setScanComponent,
  sound,
} from './sequential-scan';
export { acKind, codes, dcKind, histogram, outputMargin, rawBits } from './symbols';
export {
  beginPlaneTokens,
  beginRowTokens,
  beginTokens,
  dropTokens,
  keepRow,
  maxRowTokenBytes,
  maxTokenBytes,
  minTokenBytes,
} from './tokens';
