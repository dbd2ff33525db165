import { type Arena, arena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import {
  type KernelImports,
  type LinkedKernel,
  memoryCounter,
  runKernel,
} from '../../wasm/kernel.ts';
import module from '../../wasm/modules/png.wasm';
import type { PngKernelExports } from './kernel-exports.ts';

/** The kernel linked for one run. */
export type PngKernel = LinkedKernel<PngKernelExports>;

/** Compressed data that the kernel inflates; a cursor is one place in them, and has a number. */
export interface CompressedData {
  /** Copies the next bytes of a cursor to `target`; how many there were, 0 behind the last. */
  read(cursor: number, target: Uint8Array): number;
  /** Puts cursor `to` where `from` is, or at the beginning when both are one cursor. */
  fork(from: number, to: number): void;
}

/** Takes compressed output that is drained (kernel/deflate/bit-output.ts). */
export interface OutputSink {
  /** Copies the next bytes, which are the kernel's. */
  take(bytes: Uint8Array): void;
}

/**
 * Links the PNG kernel against a wiped arena for one run. Compressed data stay where they are: the
 * kernel asks for the next bytes of them.
 *
 * @param data null if nothing is inflated
 * @param where to run, by default in the arena, and what drains output, if anything does
 * @throws CodecError if `work` throws one, or the kernel traps, which no input should cause
 */
export function runPngKernel<Result>(
  data: CompressedData | null,
  work: (kernel: PngKernel) => Result,
  {
    memory = arena,
    output = null,
  }: { readonly memory?: Arena; readonly output?: OutputSink | null } = {},
): Result {
  const imports = importsFor(data, output);
  return runKernel<PngKernelExports, Result>(name, module, memory, imports, work);
}

/** Bytes of the arena for a run with the allocations of `allocate`, as counted by the kernel. */
export const countedBytes = memoryCounter<PngKernelExports>(module, importsFor(null, null));

function importsFor(data: CompressedData | null, output: OutputSink | null): KernelImports {
  return (memory) => ({
    // kernel/inflate/cursor.ts
    cursor: {
      readData: (cursor: number, to: number, length: number) =>
        data?.read(cursor, memory.bytes.subarray(to, to + length)) ?? 0,
      forkData: (from: number, to: number) => data?.fork(from, to),
    },
    // kernel/deflate/bit-output.ts
    'bit-output': {
      takeOutput: (at: number, length: number) =>
        output?.take(memory.bytes.subarray(at, at + length)),
    },
  });
}

const name = 'png kernel';

/** @throws CodecError if an allocation failed */
export function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}

/**
 * @param status 0 where all is well (kernel/inflate/cursor.ts)
 * @throws CodecError if reading did not end well
 */
export function expectSound(status: number): void {
  if (status !== 0) throw damagedPng(`reading ended with ${status}`);
}

/** A file whose picture makes no sense. */
export function damagedPng(what: string): CodecError {
  return new CodecError(name, false, what);
}

/** A place in the kernel's memory. */
export type Pointer = number;

/**
 * Bytes that a byte of deflated data can become at most: a match takes two bits at least and has 258
 * bytes at most (RFC 1951 §3.2.5).
 */
export const maxExpansion = 4 * 258;

/**
 * How many bytes a zlib stream unpacks to, counted in the memory of a window: up to its end or damage,
 * and no further than to `limit`; 0 for what is no zlib stream. It runs in the arena, as codecs do.
 */
export function unpackedBytes(stream: Uint8Array, limit: number): number {
  let at = 0;
  const data = {
    read(_cursor: number, target: Uint8Array): number {
      const part = stream.subarray(at, at + target.length);
      target.set(part);
      at += part.length;
      return part.length;
    },
    fork(): void {
      at = 0;
    },
  };
  return runPngKernel(data, (kernel) => kernel.unpackedBytes(limit));
}
