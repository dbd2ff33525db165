import type { Slices } from '../../slices.ts';
import { type Arena, arena } from '../../wasm/arena.ts';
import { CodecError, NoRoomForResult } from '../../wasm/codec.ts';
import { countingKernel, type LinkedKernel, runKernel } from '../../wasm/kernel.ts';
import module from '../../wasm/modules/jxl.wasm';
import { fileWindows } from '../jpeg/kernel.ts';
import { type JxlKernelExports, kernelConstants } from './kernel-exports.ts';

export { kernelConstants };

/** The kernel linked for one run: that of JPEG, with stages that encode its coefficients as JPEG XL. */
export type JxlKernel = LinkedKernel<JxlKernelExports>;

/**
 * Links the kernel to a wiped arena for one run.
 *
 * @param file a JPEG, of which the kernel requests one window at a time
 * @param memory arena to run in
 * @throws CodecError if `work` throws one, or the kernel traps, which no input should cause
 */
export function runJxlKernel<Result>(
  file: Uint8Array,
  work: (kernel: JxlKernel) => Slices<Result>,
  memory: Arena = arena,
): Slices<Result> {
  return runKernel<JxlKernelExports, Result>(name, module, memory, fileWindows(file), work);
}

/** Returns a kernel that counts allocations, reset to 0 with each call. */
export const countingJxlKernel = countingKernel<JxlKernelExports>(
  () => module,
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
 * Allocates the memory of encoding, apart from the rows of coefficients and their tokens.
 * @param profileBytes size of the ICC profile
 * @throws CodecError if there is no room
 */
export function allocateStages(kernel: JxlKernel, profileBytes: number): void {
  // Its encoded header may be a few bytes longer.
  const longest = profileBytes + 32;
  expectRoom(kernel.allocateEntropy());
  expectRoom(kernel.allocateClusters());
  expectRoom(kernel.allocateCodes(longest));
  expectRoom(kernel.allocateAns(longest));
  expectRoom(kernel.allocateBlockRows());
  expectRoom(kernel.allocateLowFrequencies());
}
