/**
 * What kernel/index.ts exports, where each function is documented. Written by scripts/build-kernels.ts;
 * do not edit. Pointers are offsets in the kernel's memory. A boolean arrives as 0 or 1.
 */
export interface WebpKernelExports {
  allocate(bytes: number): number;
  beginCounting(): void;
  beginMemory(): void;
  counted(): number;
  limitMemory(bytes: number): void;
  room(): number;
  taken(): number;
  written(): number;
  alphaStatus(): number;
  countAlpha(columns: number, rows: number, bytes: number): 0 | 1;
  nextAlphaRow(): number;
  openAlpha(from: number, to: number, columns: number, rows: number): number;
  startAlpha(): void;
  allocateAlphaPlane(columns: number, rows: number, transforms: number): 0 | 1;
  alphaPlaneBytes(): number;
  beginAlphaPlane(): void;
  endAlphaRows(): void;
  finishAlphaPlane(): number;
  takeAlphaRow(rgba: number): void;
  nextPiece(piece: number): number;
  returnPiece(piece: number): void;
  setAlpha(alpha: number, width: number, to: number): void;
  allocateLossy(columns: number, rows: number): 0 | 1;
  nextLossyRow(to: number): number;
  nextLossySamples(to: number): number;
  rgbaRowBytes(columns: number): number;
  startLossy(start: number, stop: number): number;
  acStep(index: number): number;
  codedLength(string: number): number;
  codedPieceBytes(string: number): number;
  firstCodedPiece(string: number): number;
  nextCodedPiece(string: number): number;
  finishEntropy(): number;
  isExhausted(): 0 | 1;
  setFrameDeltas(
    lumaDc: number,
    secondDc: number,
    secondAc: number,
    chromaDc: number,
    chromaAc: number,
  ): void;
  setFrameFilter(isSimple: boolean | number, sharpness: number): void;
  setFrameSegment(i: number, quantizer: number, level: number): void;
  colorfulBlocks(): number;
  colorLoss(): number;
  allocateLossyEncoder(
    width: number,
    height: number,
    hasAlpha: boolean | number,
    keepsHidden: boolean | number,
  ): 0 | 1;
  beginLossyRun(mode: number): void;
  encodeMacroblocks(): 0 | 1;
  limitModeBytes(bytes: number): void;
  prepareQuantizers(): void;
  takeLossyRow(): 0 | 1;
  inputRow(): number;
  countLossless(width: number, height: number, bytes: number): 0 | 1;
  nextLosslessRow(to: number): number;
  openLossless(start: number, stop: number, columns: number, rows: number): number;
  readOn(): number;
  startLossless(): void;
  encodeOn(): 0 | 1;
  allocateLosslessPicture(columns: number, rows: number, transforms: number): 0 | 1;
  beginLosslessPicture(keepsHidden: boolean | number): void;
  endLosslessRows(): void;
  finishLosslessPicture(): number;
  losslessBytes(): number;
  takeLosslessRow(rgba: number): void;
  triedTransforms(width: number, keepsHidden: boolean | number): number;
  allocateSurvey(columns: number, height: number): 0 | 1;
  beginSurvey(keepsHidden: boolean | number): void;
  surveyAlphaRow(rgba: number): void;
  surveyedTransforms(): number;
  surveyRow(rgba: number): void;
}

/** Numbers that kernel/index.ts exports, where each is documented. */
export const kernelConstants = {
  pieceBytes: 32752,
  firstPartition: 50032,
  tokenPartition: 50060,
  countsTokens: 1,
  finished: 0,
  keepsTokens: 0,
  noRoom: 1,
  unfinished: 3,
  writesTokens: 2,
  frameHead: 52568,
  frameHeadBytes: 10,
  excessive: 8,
  incomplete: 9,
  outOfMemory: 3,
  sound: 0,
  undecided: -1,
  predictiveWithoutGreen: 3,
} as const;
