export { beginCounting, beginMemory, counted, room, taken } from '../../../wasm/assembly/memory';
export { allocateCursors } from './bit-reader';
export { beginOutput, codingFailure, outputAt, outputLength, reserveOutput } from './bit-writer';
export { setScan, setTableSlot } from './coded-scan';
export {
  allocateRows,
  beginFrame,
  blockRow,
  blocksAcross,
  blocksDown,
  mcusDown,
  quantizationTable,
  setFrame,
  setSampling,
  shareRows,
  vertical as verticalOf,
} from './frame';
export { allocateDecoders, buildDecoder, decoderTable, definitionBuffer } from './huffman-decoder';
export { beginPixelBlocks, pixelRow, takePixelRows } from './pixel-blocks';
export { beginPixels, nextPixelRow, takeMcuRow } from './pixel-rows';
export { allocatePlanes, loadRow, storeRow } from './planes';
export { readProgressiveScan } from './progressive-scan';
export {
  beginRequantizer,
  codedRow,
  lostEnergy as discardedEnergy,
  restartRequantizer,
  takeSourceRow,
} from './requantizer';
export {
  beginCoding,
  beginStreamedScan,
  codeMcuRow,
  countScan,
  endScan,
  writeScan,
} from './scan-coding';
export { openScan, readMcuRow, setScanComponent } from './sequential-scan';
export { codes, histogram, rawBits } from './symbols';
export { beginPlaneTokens, beginRowTokens, beginTokens, dropTokens, keepRow } from './tokens';
