import type { Pointer } from './kernel-exports.ts';

/** Of assembly/reduction: what a picture's pixels have in common, and rows of them in the layouts of PNG. */
export interface ReductionExports {
  beginColors(): number;
  colorCount(): number;
  colorsAt(): Pointer;
  colorIndicesAt(): Pointer;

  surveyRow(rgba: Pointer, width: number, keepsHidden: boolean): void;
  surveyDeepRow(deep: Pointer, width: number, keepsHidden: boolean, rgba: Pointer): void;
  allGrey(): number;
  allOpaque(): number;
  allOpaqueOrHidden(): number;
  greyDepth(): number;
  sharedHiddenColor(): number;
  hasOpaque(rgba: Pointer, width: number, color: number): number;
  takeUsedGreys(rgba: Pointer, width: number): void;
  unusedGrey(): number;
  allDeepGrey(): number;
  allDeepOpaque(): number;
  allShallow(): number;

  clearHidden(rgba: Pointer, width: number): void;
  clearDeepHidden(deep: Pointer, width: number): void;
  beginRowPacker(width: number): number;
  setRowLayout(colorType: number, bitDepth: number, key: number): void;
  packRow(rgba: Pointer, width: number, to: Pointer): void;
  packDeep(deep: Pointer, width: number, colorType: number, to: Pointer): void;
  indexOrderAt(): Pointer;
  packIndices(from: Pointer, width: number, to: Pointer): void;
}

/** Of assembly/quantizer: many colours become few. */
export interface QuantizerExports {
  beginQuantizer(width: number): number;
  countRow(rgba: Pointer): void;
  choosePalette(most: number, targetError: number): number;
  paletteAt(): Pointer;
  paletteError(): number;
  beginDithering(): void;
  ditherRow(rgba: Pointer, indices: Pointer): number;
  flushRows(indices: Pointer): number;
  shownError(): number;
}

/** Of assembly/filters and assembly/deflate: rows become a zlib stream. */
export interface WriterExports {
  limitFilters(ways: number): void;
  beginWriter(rowBytes: number, step: number, effort: number, most: number): number;
  writeRow(row: Pointer): number;
  endWriter(): number;
  outputAt(): Pointer;
}
