import { CodecError } from '../../wasm/codec.ts';
import { type LinkedKernel, runKernel } from '../../wasm/kernel.ts';
import module from '../../wasm/modules/jpeg.wasm';
import type { JpegKernelExports } from './kernel-exports.ts';
import type { Sampling } from './sampling.ts';

/** The kernel linked for one run. */
export type JpegKernel = LinkedKernel<JpegKernelExports>;

/**
 * Links the JPEG kernel against the wiped arena for one run. The file stays
 * where it is: the kernel asks for one window of it after the other.
 *
 * @throws CodecError what `work` throws as such, or when the kernel traps, which no input should make it do
 */
export function runJpegKernel<Result>(
  file: Uint8Array,
  work: (kernel: JpegKernel) => Result,
): Result {
  return runKernel<JpegKernelExports, Result>(
    name,
    module,
    (bytes) => ({
      'bit-reader': {
        readFile: (position: number, to: number, length: number) => {
          const part = file.subarray(position >>> 0, (position >>> 0) + length);
          bytes.set(part, to);
          return part.length;
        },
      },
    }),
    work,
  );
}

const name = 'jpeg kernel';

/** @throws CodecError where something was not allocated for want of room */
export function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}

/** @throws CodecError where reading did not end well */
export function expectSound(status: number): void {
  if (status === readingStatus.sound) return;
  throw new CodecError(name, status === readingStatus.outOfMemory, `reading ended with ${status}`);
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

/** A place in the kernel's memory. */
export type Pointer = number;

/** Numbers of the frames (assembly/frame.ts). */
export const sourceFrame = 0;
export const codedFrame = 1;

/** Kinds of Huffman tables (assembly/symbols.ts). */
export const huffmanKind = { dc: 0, ac: 1 } as const;

/** How reading a part of a scan ended (kernel/sequential-scan.ts). */
const readingStatus = {
  sound: 0,
  truncated: 1,
  badCode: 2,
  badRestart: 3,
  outOfMemory: 4,
} as const;
