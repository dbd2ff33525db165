import { type Arena, arena } from '../../wasm/arena.ts';
import { CodecError, NoRoomForResult } from '../../wasm/codec.ts';
import { countingKernel, type LinkedKernel, runKernel } from '../../wasm/kernel.ts';
import module from '../../wasm/modules/jxl.wasm';
import { fileWindows } from '../jpeg/kernel.ts';
import { type JxlKernelExports, kernelConstants } from './kernel-exports.ts';

export { kernelConstants };

/** The kernel linked for one run: that of JPEG, with stages that code its coefficients as JPEG XL. */
export type JxlKernel = LinkedKernel<JxlKernelExports>;

/**
 * Links the kernel to a wiped arena for one run.
 *
 * @param file a JPEG, of which the kernel asks for one window after the other
 * @param memory arena to run in
 * @throws CodecError if `work` throws one, or the kernel traps, which no input should cause
 */
export function runJxlKernel<Result>(
  file: Uint8Array,
  work: (kernel: JxlKernel) => Result,
  memory: Arena = arena,
): Result {
  return runKernel<JxlKernelExports, Result>(name, module, memory, fileWindows(file), work);
}

/** Gives a kernel that counts, from 0 each time, what its allocations would take. */
export const countingJxlKernel = countingKernel<JxlKernelExports>(
  module,
  fileWindows(new Uint8Array()),
);

const name = 'jxl kernel';

/** @throws CodecError if an allocation failed */
export function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}

/** @throws NoRoomForResult if some of the result has been dropped */
export function expectComplete(kernel: JxlKernel): void {
  if (kernel.codestreamIsFull()) throw new NoRoomForResult(name);
}

/**
 * Allocates what coding takes beside the rows of coefficients and their tokens.
 * @param profileBytes of an ICC profile
 * @throws CodecError if there is no room
 */
export function allocateStages(kernel: JxlKernel, profileBytes: number): void {
  // its header may take some bytes more
  const longest = profileBytes + 32;
  expectRoom(kernel.allocateEntropy());
  expectRoom(kernel.allocateClusters());
  expectRoom(kernel.allocateCodes(longest));
  expectRoom(kernel.allocateAns(longest));
  expectRoom(kernel.allocateBlockRows());
  expectRoom(kernel.allocateLowFrequencies());
}
