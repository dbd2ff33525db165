import { type Arena, arena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import {
  countingKernel,
  type KernelImports,
  type LinkedKernel,
  runKernel,
} from '../../wasm/kernel.ts';
import module from '../../wasm/modules/jpeg.wasm';
import type { JpegInspection } from './inspect.ts';
import { type JpegKernelExports, kernelConstants } from './kernel-exports.ts';
import type { Sampling } from './sampling.ts';

export const { sourceFrame, codedFrame, dcKind, acKind } = kernelConstants;

/** The kernel linked for one run. */
export type JpegKernel = LinkedKernel<JpegKernelExports>;

/**
 * Links the JPEG kernel against a wiped arena for one run. The file stays in JavaScript: the kernel
 * asks for one window of it after the other.
 *
 * @param memory arena to run in
 * @throws CodecError if `work` throws one, or the kernel traps, which no input should cause
 */
export function runJpegKernel<Result>(
  file: Uint8Array,
  work: (kernel: JpegKernel) => Result,
  memory: Arena = arena,
): Result {
  return runKernel<JpegKernelExports, Result>(name, module, memory, fileWindows(file), work);
}

/** Hands windows of a file over as the reader of bits asks for them. */
export function fileWindows(file: Uint8Array): KernelImports {
  return (memory) => ({
    'bit-reader': {
      readFile: (position: number, to: number, length: number) => {
        const part = file.subarray(position >>> 0, (position >>> 0) + length);
        memory.bytes.set(part, to);
        return part.length;
      },
    },
  });
}

/** Gives a kernel that counts, from 0 each time, what its allocations would take. */
export const countingJpegKernel = countingKernel<JpegKernelExports>(
  module,
  fileWindows(new Uint8Array()),
);

const name = 'jpeg kernel';

/** @throws CodecError if an allocation failed */
export function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}

/** @throws CodecError if reading did not end well */
export function expectSound(status: number): void {
  const { sound, outOfMemory } = kernelConstants;
  if (status === sound) return;
  throw new CodecError(name, status === outOfMemory, `reading ended with ${status}`);
}

/** A file whose coded picture makes no sense. */
export function damagedJpeg(what: string): CodecError {
  return new CodecError(name, false, what);
}

/** Size of a picture and of its components. */
export interface FrameShape {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly sampling: readonly Sampling[];
}

/**
 * Tells the kernel of a frame, from which it derives all geometry.
 * @param frame `sourceFrame` or `codedFrame`
 */
export function setFrameGeometry(
  kernel: JpegKernel,
  frame: number,
  { width, height, sampling }: FrameShape,
): void {
  kernel.setFrame(frame, width, height, sampling.length);
  for (const [c, { horizontal, vertical }] of sampling.entries()) {
    kernel.setSampling(frame, c, horizontal, vertical);
  }
  kernel.beginFrame(frame);
}

/**
 * Gives the kernel the quantization tables of a frame.
 * @param frame `sourceFrame` or `codedFrame`
 * @param quantization steps of each component in zigzag order
 */
export function setQuantization(
  kernel: JpegKernel,
  frame: number,
  quantization: readonly Uint16Array[],
): void {
  for (const [c, steps] of quantization.entries()) {
    const at = kernel.quantizationTable(frame, c);
    new Uint16Array(kernel.bytes.buffer, at, steps.length).set(steps);
  }
}

/** What the kernel is to make of the components of a picture; it has no pixels of inks. */
export function pixelKind({ colorSpace }: JpegInspection): number {
  switch (colorSpace) {
    case 'grey':
      return kernelConstants.greyPixelKind;
    case 'ycbcr':
      return kernelConstants.yccPixelKind;
    case 'rgb':
      return kernelConstants.rgbPixelKind;
    case 'cmyk':
    case 'ycck':
      throw new TypeError('inks have no pixels here');
  }
}
