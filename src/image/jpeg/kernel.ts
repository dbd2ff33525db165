import { CodecError } from '../codecs/codec.ts';
import { type LinkedKernel, runKernel } from '../codecs/kernel.ts';
import module from '../kernels/jpeg/jpeg.wasm';
import { type JpegKernelExports, readingStatus } from './kernel-exports.ts';

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
