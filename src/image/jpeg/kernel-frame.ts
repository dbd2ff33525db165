import type { Sampling } from './frame-geometry.ts';
import type { JpegKernel } from './kernel.ts';

/** Size of a picture and of its components. */
export interface FrameShape {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly sampling: readonly Sampling[];
}

/**
 * Tells the kernel of a frame.
 * @param frame its number: see `kernel-exports.ts`
 * @param quantization steps of each component in zigzag order
 */
export function setKernelFrame(
  kernel: JpegKernel,
  frame: number,
  { width, height, sampling }: FrameShape,
  quantization: readonly Uint16Array[],
): void {
  kernel.setFrame(frame, width, height, sampling.length);
  for (const [c, { horizontal, vertical }] of sampling.entries()) {
    kernel.setSampling(frame, c, horizontal, vertical);
  }
  for (const [c, steps] of quantization.entries()) {
    const at = kernel.quantizationTable(frame, c);
    new Uint16Array(kernel.bytes.buffer, at, steps.length).set(steps);
  }
  kernel.beginFrame(frame);
}
