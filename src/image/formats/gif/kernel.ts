import { type Arena, arena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import {
  type KernelImports,
  type LinkedKernel,
  memoryCounter,
  runKernel,
} from '../../wasm/kernel.ts';
import module from '../../wasm/modules/gif.wasm';
import { type GifKernelExports, kernelConstants } from './kernel-exports.ts';

/** The kernel linked for one run. */
export type GifKernel = LinkedKernel<GifKernelExports>;

/** A place in the kernel's memory. */
export type Pointer = number;

/** LZW data that the kernel decodes; a cursor is one place in them, and has a number. */
export interface LzwData {
  /** Copies the next bytes of a cursor to `target`; how many there were, 0 behind the last. */
  read(cursor: number, target: Uint8Array): number;
  /** Puts cursor `to` where `from` is, or at the beginning when both are one cursor. */
  fork(from: number, to: number): void;
}

/**
 * Links the GIF kernel against a wiped arena for one run. Data that are decoded stay where they are: the kernel asks for the
 * next bytes of them.
 *
 * @param data null if nothing is decoded
 * @param memory arena to run in
 * @throws CodecError if `work` throws one, or the kernel traps, which no input should cause
 */
export function runGifKernel<Result>(
  data: LzwData | null,
  work: (kernel: GifKernel) => Result,
  memory: Arena = arena,
): Result {
  return runKernel<GifKernelExports, Result>(name, module, memory, importsFor(data), work);
}

/** Bytes of the arena for a run with the allocations of `allocate`, as counted by the kernel. */
export const countedBytes = memoryCounter<GifKernelExports>(module, importsFor(null));

function importsFor(data: LzwData | null): KernelImports {
  return (memory) => ({
    // kernel/decoder/cursor.ts
    cursor: {
      readData: (cursor: number, to: number, length: number) =>
        data?.read(cursor, memory.bytes.subarray(to, to + length)) ?? 0,
      forkData: (from: number, to: number) => data?.fork(from, to),
    },
  });
}

const name = 'gif kernel';

/** @throws CodecError if an allocation failed */
export function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}

/**
 * @param status as those of kernel/decoder/status.ts
 * @throws CodecError if reading did not end well
 */
export function expectSound(status: number): void {
  if (status === kernelConstants.sound) return;
  throw damagedGif(`reading ended with ${status}`);
}

/** A file whose picture makes no sense. */
export function damagedGif(what: string): CodecError {
  return new CodecError(name, false, what);
}
