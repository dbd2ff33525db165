/**
 * What kernel/index.ts exports, where each function is documented. Written by scripts/build-kernels.ts;
 * do not edit. Pointers are offsets in the kernel's memory. A boolean arrives as 0 or 1.
 */
export interface PngKernelExports {
  allocate(bytes: number): number;
  beginCounting(): void;
  beginMemory(): void;
  counted(): number;
  limitMemory(bytes: number): void;
  release(at: number): void;
  room(): number;
  taken(): number;
  written(): number;
  drainOutput(isWanted: boolean | number): void;
  outputAt(): number;
  beginWriter(rowBytes: number, pixelBytes: number, effort: number, maxBytes: number): 0 | 1;
  continueWriting(): number;
  endWriter(): number;
  limitFilters(mask: number): void;
  writeRow(row: number): number;
  unpack(limit: number): number;
  unpackedStatus(): number;
  countedColors(): number;
  countedColorsAt(): number;
  countRow(rgba: number): void;
  droppedColorBits(): number;
  resumeColors(counted: number, dropped: number): void;
  beginDithering(): void;
  ditherRow(rgba: number, indices: number): number;
  flushRows(indices: number): number;
  shownError(): number;
  paletteAt(): number;
  beginQuantizer(pixels: number): 0 | 1;
  beginSharedColors(pixels: number): 0 | 1;
  choosePalette(maxColors: number, targetError: number): number;
  chooseSharedPalette(maxColors: number, targetError: number, pixels: number): number;
  continueChoosing(): number;
  paletteError(): number;
  beginRecoloring(colors: number): 0 | 1;
  recolorRow(rgba: number, width: number, y: number): void;
  allocateReader(): 0 | 1;
  deepTable(): number;
  expandDeepRow(to: number): void;
  expandRow(to: number): void;
  hasRounded(): 0 | 1;
  palettePixels(): number;
  endReading(): number;
  filteredBytes(): number;
  readRow(): number;
  setKey(red: number, green: number, blue: number): void;
  setPicture(
    pixelsAcross: number,
    pixelsDown: number,
    type: number,
    depth: number,
    interlaced: boolean | number,
  ): void;
  startReading(): number;
  beginColors(): 0 | 1;
  colorCount(): number;
  colorIndicesAt(): number;
  colorsAt(): number;
  beginRowPacker(width: number): 0 | 1;
  indexOrderAt(): number;
  packDeep(rgba: number, width: number, colorType: number, to: number): void;
  packIndices(from: number, width: number, to: number): void;
  packRow(rgba: number, width: number, to: number): void;
  setRowLayout(colorType: number, bitDepth: number, key: number): void;
  allDeepGrey(): 0 | 1;
  allDeepOpaque(): 0 | 1;
  allGrey(): 0 | 1;
  allOpaque(): 0 | 1;
  allOpaqueOrHidden(): 0 | 1;
  allShallow(): 0 | 1;
  clearDeepHidden(rgba: number, width: number): void;
  clearHidden(rgba: number, width: number): void;
  greyDepth(): number;
  hasOpaque(rgba: number, width: number, color: number): 0 | 1;
  sharedHiddenColor(): number;
  surveyDeepRow(deep: number, width: number, keepsHidden: boolean | number, rgba: number): void;
  surveyRow(rgba: number, width: number, keepsHidden: boolean | number): void;
  takeUsedGreys(rgba: number, width: number): void;
  unusedGrey(): number;
}

/** Numbers that kernel/index.ts exports, where each is documented. */
export const kernelConstants = {
  stretchMs: 8,
  unfinished: -1,
  excessive: 11,
} as const;
