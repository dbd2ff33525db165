export {
  allocate,
  beginCounting,
  beginMemory,
  counted,
  limitMemory,
  release,
  room,
  taken,
  written,
} from '../../../wasm/assembly/memory';
export { stretchMs, unfinished } from '../../../wasm/assembly/work';
export { drainOutput, outputAt } from './deflate/bit-output';
export { beginWriter, continueWriting, endWriter, limitFilters, writeRow } from './filters/bands';
export { excessive } from './inflate/cursor';
export { unpack, unpackedStatus } from './inflate/zlib-stream';
export {
  countedColors,
  countedColorsAt,
  countRow,
  droppedColorBits,
  resumeColors,
} from './quantizer/color-table';
export {
  beginDithering,
  ditherRow,
  flushRows,
  shownError,
} from './quantizer/dithering';
export { paletteAt } from './quantizer/palette';
export {
  beginQuantizer,
  beginSharedColors,
  choosePalette,
  chooseSharedPalette,
  continueChoosing,
  paletteError,
} from './quantizer/quantizer';
export { beginRecoloring, recolorRow } from './quantizer/recoloring';
export {
  allocateReader,
  deepTable,
  expandDeepRow,
  expandRow,
  hasRounded,
  palettePixels,
} from './reader/expand';
export {
  endReading,
  filteredBytes,
  readRow,
  setKey,
  setPicture,
  startReading,
} from './reader/rows';
export {
  beginColors,
  colorCount,
  colorIndicesAt,
  colorsAt,
} from './reduction/color-list';
export {
  beginRowPacker,
  indexOrderAt,
  packDeep,
  packIndices,
  packRow,
  setRowLayout,
} from './reduction/row-packer';
export {
  allDeepGrey,
  allDeepOpaque,
  allGrey,
  allOpaque,
  allOpaqueOrHidden,
  allShallow,
  clearDeepHidden,
  clearHidden,
  greyDepth,
  hasOpaque,
  sharedHiddenColor,
  surveyDeepRow,
  surveyRow,
  takeUsedGreys,
  unusedGrey,
} from './reduction/survey';
