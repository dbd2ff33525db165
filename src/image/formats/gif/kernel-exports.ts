/**
 * What kernel/index.ts exports, where each function is documented. Written by scripts/build-kernels.ts;
 * do not edit. Pointers are offsets in the kernel's memory. A boolean arrives as 0 or 1.
 */
export interface GifKernelExports {
  allocateEncoder(pixels: number, inPlace: boolean | number): 0 | 1;
  allocate(bytes: number): number;
  beginCounting(): void;
  beginMemory(): void;
  counted(): number;
  limitMemory(bytes: number): void;
  room(): number;
  taken(): number;
  written(): number;
  takeSpent(): number;
  allocatePicture(
    columns: number,
    rows: number,
    interlaced: boolean | number,
    minCodeSize: number,
  ): number;
  nextPictureRow(to: number, columns: number): number;
  skipPictureRow(): number;
  startPicture(): number;
  outputAt(): number;
  continueExact(): number;
  writeExact(
    minCodeSize: number,
    shortRun: number,
    patience: number,
    gain: number,
    slack: number,
    allowance: number,
  ): number;
  applyIndices(): void;
  basesAt(): number;
  indicesAt(): number;
  placePlanes(target: number, base: number, width: number, stride: number): void;
  setTable(count: number, index: number): void;
  tableAt(): number;
  targetsAt(): number;
  continueLossy(): number;
  writeLossy(minCodeSize: number, patience: number): number;
  prepareLossy(width: number, distance: number): void;
  keepProgress(): void;
}

/** Numbers that kernel/index.ts exports, where each is documented. */
export const kernelConstants = {
  stretchMs: 8,
  unfinished: -1,
  sound: 0,
  colorless: 2,
  givenUp: 1,
} as const;
