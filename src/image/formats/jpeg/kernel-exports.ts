/**
 * What kernel/index.ts exports, where each function is documented. Written by scripts/build-kernels.ts;
 * do not edit. Pointers are offsets in the kernel's memory. A boolean arrives as 0 or 1.
 */
export interface JpegKernelExports {
  asked(): number;
  beginCounting(): void;
  beginMemory(): void;
  counted(): number;
  limitMemory(bytes: number): void;
  room(): number;
  taken(): number;
  written(): number;
  allocateCursors(cursorCount: number): 0 | 1;
  beginOutput(maxBytes: number): 0 | 1;
  codingFailure(): number;
  outputAt(): number;
  outputLength(): number;
  reserveOutput(length: number): number;
  restartOutput(): void;
  scanMcusAcross(): number;
  scanMcusDown(): number;
  setScan(
    count: number,
    c0: number,
    c1: number,
    c2: number,
    c3: number,
    ss: number,
    se: number,
    ah: number,
    al: number,
  ): void;
  setTableSlot(c: number, dcSlot: number, acSlot: number): void;
  allocateRows(frame: number): 0 | 1;
  beginFrame(frame: number): void;
  blockRow(frame: number, c: number, y: number): number;
  blocksAcross(frame: number, c: number): number;
  blocksDown(frame: number, c: number): number;
  mcusDown(frame: number): number;
  quantizationTable(frame: number, c: number): number;
  setFrame(frame: number, width: number, height: number, count: number): void;
  setSampling(frame: number, c: number, horizontal: number, vertical: number): void;
  shareRows(): void;
  verticalOf(frame: number, c: number): number;
  allocateDecoders(cursors: number): 0 | 1;
  buildDecoder(table: number, definition: number, kind: number): void;
  decoderTable(cursor: number, kind: number, slot: number): number;
  definitionBuffer(): number;
  beginPixelBlocks(): 0 | 1;
  pixelRow(y: number): number;
  takePixelRows(count: number): void;
  beginPixels(halvings: number, kind: number, asJxl: boolean | number): 0 | 1;
  nextPixelRow(): number;
  rewindPixels(): void;
  takeMcuRow(m: number): void;
  allocatePlanes(): 0 | 1;
  loadRow(c: number, y: number, rowInMcu: number): void;
  maxHighBytes(): number;
  storeRow(c: number, y: number, blocks: number): 0 | 1;
  readProgressiveRow(i: number, y: number, ss: number, se: number, ah: number, al: number): number;
  allocateRequantizer(): 0 | 1;
  beginRequantizer(): void;
  codedRow(c: number, y: number): number;
  discardedEnergy(c: number): number;
  restartRequantizer(): void;
  takeSourceRow(c: number, y: number): 0 | 1;
  beginCoding(): 0 | 1;
  beginScan(writes: boolean | number): void;
  codeMcuRow(m: number): 0 | 1;
  codeScanRow(y: number, isLone: boolean | number): 0 | 1;
  endScan(): 0 | 1;
  openScan(i: number, position: number, restartInterval: number, components: number): void;
  readMcuRow(i: number, m: number): number;
  setScanComponent(i: number, place: number, c: number, dcSlot: number, acSlot: number): void;
  codes(kind: number, slot: number): number;
  histogram(kind: number, slot: number): number;
  outputMargin(): number;
  rawBits(): number;
  beginPlaneTokens(): 0 | 1;
  beginRowTokens(): 0 | 1;
  beginTokens(): 0 | 1;
  dropTokens(): void;
  keepRow(c: number, y: number, blocks: number): 0 | 1;
  maxRowTokenBytes(): number;
  maxTokenBytes(): number;
  minTokenBytes(): number;
}

/** Numbers that kernel/index.ts exports, where each is documented. */
export const kernelConstants = {
  codedFrame: 1,
  sourceFrame: 0,
  greyPixelKind: 0,
  inkPixelKind: 3,
  invertedInkPixelKind: 4,
  rgbPixelKind: 2,
  yccPixelKind: 1,
  ycckPixelKind: 5,
  outOfMemory: 4,
  sound: 0,
  acKind: 1,
  dcKind: 0,
} as const;
