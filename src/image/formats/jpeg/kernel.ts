import type { Slices } from '../../slices.ts';
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

/** The kernel, linked for one run. */
export type JpegKernel = LinkedKernel<JpegKernelExports>;

/**
 * Links the JPEG kernel to a wiped arena for one run. The file is not copied to the arena as a whole: the kernel
 * requests one window of it after the other.
 *
 * @param memory the arena to run in
 * @throws CodecError if `work` throws one, or if the kernel traps, which no input should cause
 */
export function runJpegKernel<Result>(
  file: Uint8Array,
  work: (kernel: JpegKernel) => Slices<Result>,
  memory: Arena = arena,
): Slices<Result> {
  return runKernel<JpegKernelExports, Result>(name, module, memory, fileWindows(file), work);
}

/** Provides windows of a file to the kernel's bit reader. */
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

/** Returns a kernel that only counts the bytes of its allocations, starting from 0 for each call. */
export const countingJpegKernel = countingKernel<JpegKernelExports>(
  () => module,
  fileWindows(new Uint8Array()),
);

const name = 'jpeg kernel';

/** @throws CodecError if an allocation failed */
export function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}

/** @throws CodecError if reading failed */
export function expectSound(status: number): void {
  const { sound, outOfMemory } = kernelConstants;
  if (status === sound) return;
  throw new CodecError(name, status === outOfMemory, `reading ended with ${status}`);
}

/** The error for a file whose coded picture is damaged. */
export function damagedJpeg(what: string): CodecError {
  return new CodecError(name, false, what);
}

/** Size and component sampling of a picture. */
export interface FrameShape {
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
  readonly sampling: readonly Sampling[];
}

/**
 * Passes the geometry of a frame to the kernel.
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
 * Passes the quantization tables of a frame to the kernel.
 * @param frame `sourceFrame` or `codedFrame`
 * @param quantization quantization steps of each component in zigzag order
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

/** The kernel's color conversion for a picture. */
export function pixelKind({ colorSpace, areInksInverted }: JpegInspection): number {
  switch (colorSpace) {
    case 'grey':
      return kernelConstants.greyPixelKind;
    case 'ycbcr':
      return kernelConstants.yccPixelKind;
    case 'rgb':
      return kernelConstants.rgbPixelKind;
    case 'cmyk':
      return areInksInverted ? kernelConstants.invertedInkPixelKind : kernelConstants.inkPixelKind;
    case 'ycck':
      return kernelConstants.ycckPixelKind;
  }
}
