import type { Slices } from '../../slices.ts';
import { type Arena, arena } from '../../wasm/arena.ts';
import { CodecError, ExcessiveWork } from '../../wasm/codec.ts';
import {
  type KernelImports,
  type LinkedKernel,
  memoryCounter,
  runKernel,
} from '../../wasm/kernel.ts';
import module from '../../wasm/modules/webp.wasm';
import { kernelConstants, type WebpKernelExports } from './kernel-exports.ts';

/** The kernel linked for one run. */
export type WebpKernel = LinkedKernel<WebpKernelExports>;

/** A place in the kernel's memory. */
export type Pointer = number;

/**
 * Links the WebP kernel to a wiped arena for one run. The file stays in JavaScript, and the kernel requests one window
 * of it at a time.
 *
 * @param memory arena to run in
 * @throws CodecError if `work` throws one, or the kernel traps, which no input should cause
 */
export function runWebpKernel<Result>(
  file: Uint8Array,
  work: (kernel: WebpKernel) => Slices<Result>,
  memory: Arena = arena,
): Slices<Result> {
  return runKernel<WebpKernelExports, Result>(name, module, memory, importsFor(file), work);
}

/** Bytes of the arena for a run with the allocations of `allocate`, as counted by the kernel. */
export const countedBytes = memoryCounter<WebpKernelExports>(
  () => module,
  importsFor(new Uint8Array(0)),
);

function importsFor(file: Uint8Array): KernelImports {
  return (memory) => ({
    // kernel/file-window.ts
    'file-window': {
      readFile: (position: number, to: number, length: number) => {
        const part = file.subarray(position >>> 0, (position >>> 0) + length);
        memory.bytes.set(part, to);
        return part.length;
      },
    },
  });
}

const name = 'webp kernel';

/** @throws CodecError if an allocation failed */
export function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}

/**
 * @param status one of kernel/vp8l/status.ts
 * @throws CodecError if reading failed; ExcessiveWork if there are far too many codes
 */
export function expectSound(status: number): void {
  const { sound, outOfMemory, excessive } = kernelConstants;
  if (status === sound) return;
  if (status === excessive) throw new ExcessiveWork(name);
  throw new CodecError(name, status === outOfMemory, `reading ended with ${status}`);
}
