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
  setAlpha(alpha: number, width: number, to: number): void;
  allocateLossy(columns: number, rows: number): 0 | 1;
  nextLossyRow(to: number): number;
  nextLossySamples(to: number): number;
  rgbaRowBytes(columns: number): number;
  startLossy(start: number, stop: number): number;
  countLossless(width: number, height: number, bytes: number): 0 | 1;
  nextLosslessRow(to: number): number;
  openLossless(start: number, stop: number, columns: number, rows: number): number;
  startLossless(): void;
}

/** Numbers that kernel/index.ts exports, where each is documented. */
export const kernelConstants = {
  outOfMemory: 3,
  sound: 0,
} as const;
