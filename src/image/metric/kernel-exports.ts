/**
 * What kernel/index.ts exports, where each function is documented. Written by scripts/build-kernels.ts;
 * do not edit. Pointers are offsets in the kernel's memory. A boolean arrives as 0 or 1.
 */
export interface MetricKernelExports {
  beginCounting(): void;
  beginMemory(): void;
  counted(): number;
  limitMemory(bytes: number): void;
  room(): number;
  taken(): number;
  written(): number;
  allocateComparison(
    width: number,
    height: number,
    left: number,
    top: number,
    right: number,
    bottom: number,
    hasAlpha: boolean | number,
  ): 0 | 1;
  codedRow(): number;
  compareRows(): void;
  pixelsAtScale(index: number): number;
  referenceRow(): number;
  sumsAtScale(background: number, index: number): number;
  lightAt(): number;
}

/** Numbers that kernel/index.ts exports, where each is documented. */
export const kernelConstants = {
  minUnmirroredSide: 225,
  mirroredSide: 256,
} as const;
