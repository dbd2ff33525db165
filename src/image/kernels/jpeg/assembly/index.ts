export { beginMemory, room, taken } from '../../shared/assembly/memory';
export { allocateCursors } from './bit-reader';
export { beginOutput, outputAt, outputLength, reserveOutput } from './bit-writer';
export { setScan, setTableSlot } from './coded-scan';
export { codingFailure } from './coding-failure';
export {
  beginFrame,
  blocksAcross,
  blocksDown,
  mcusDown,
  quantizationTable,
  setFrame,
  setSampling,
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
export { allocateRows, blockRow, shareRows } from './rows';
export {
  beginCoding,
  beginStreamedScan,
  codeMcuRow,
  countScan,
  endScan,
  writeScan,
} from './scan-coding';
export { openScan, setScanComponent } from './scans';
export { readMcuRow } from './sequential-scan';
export { codes, histogram, rawBits } from './symbols';
export { beginPlaneTokens, beginRowTokens, beginTokens, dropTokens, keepRow } from './token-rows';
