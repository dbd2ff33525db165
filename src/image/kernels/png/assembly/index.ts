export { allocate, beginMemory, release, room, taken } from '../../shared/assembly/memory';
export { unpackedBytes } from './inflate/unpacked-bytes';
export {
  beginDithering,
  ditherRow,
  flushRows,
} from './quantizer/dithering';
export { paletteAt } from './quantizer/palette';
export { paletteError } from './quantizer/palette-choice';
export { beginQuantizer, choosePalette } from './quantizer/quantizer';
export { countRow } from './quantizer/row-counting';
export { shownError } from './quantizer/shown-error';
export { deepTable, expandDeepRow, expandRow } from './reader/expand';
export { setKey, setPicture } from './reader/picture';
export { palettePixels } from './reader/pixel-table';
export { allocateReader } from './reader/reader';
export { endReading, readRow, startReading } from './reader/rows';
export {
  beginColors,
  colorCount,
  colorIndicesAt,
  colorsAt,
} from './reduction/color-list';
export { packDeep } from './reduction/deep-packing';
export { allDeepGrey, allDeepOpaque, allShallow } from './reduction/deep-traits';
export { clearDeepHidden, clearHidden } from './reduction/hidden-pixels';
export {
  beginRowPacker,
  indexOrderAt,
  packIndices,
  packRow,
  setRowLayout,
} from './reduction/row-packer';
export { surveyDeepRow, surveyRow } from './reduction/survey';
export {
  allGrey,
  allOpaque,
  allOpaqueOrHidden,
  greyDepth,
  hasOpaque,
  sharedHiddenColor,
  takeUsedGreys,
  unusedGrey,
} from './reduction/traits';
export { beginWriter, endWriter, limitFilters, outputAt, writeRow } from './writer';
