import { joinBytes } from '../../container/assemble.ts';
import { runAtOnce, type Slices } from '../../slices.ts';
import { type Arena, arena, headerArena } from '../../wasm/arena.ts';
import { CodecError, ExcessiveWork } from '../../wasm/codec.ts';
import {
  finished,
  type KernelImports,
  type LinkedKernel,
  memoryCounter,
  runKernel,
} from '../../wasm/kernel.ts';
import module from '../../wasm/modules/png.wasm';
import { kernelConstants, type PngKernelExports } from './kernel-exports.ts';

/** The kernel, linked for one run. */
export type PngKernel = LinkedKernel<PngKernelExports>;

/** Compressed data that the kernel inflates. A cursor is a numbered read position in the data. */
export interface CompressedData {
  /** Copies the next bytes at a cursor to `target`; returns their number, 0 at the end. */
  read(cursor: number, target: Uint8Array): number;
  /** Moves cursor `to` to the position of `from`, or to the beginning if both are the same cursor. */
  fork(from: number, to: number): void;
}

/** Receives compressed output that is drained (kernel/deflate/bit-output.ts). */
export interface OutputSink {
  /** Copies the next bytes, which belong to the kernel. */
  take(bytes: Uint8Array): void;
}

/**
 * Links the PNG kernel against a wiped arena for one run. Compressed data stay outside: the kernel requests them piece
 * by piece.
 *
 * @param data null if nothing is inflated
 * @param where arena to run in, by default the main one, and the sink of drained output, if any
 * @throws CodecError thrown by `work`, or if the kernel traps, which no input should cause
 */
export function* runPngKernel<Result>(
  data: CompressedData | null,
  work: (kernel: PngKernel) => Slices<Result>,
  {
    memory = arena,
    output = null,
  }: { readonly memory?: Arena; readonly output?: OutputSink | null } = {},
): Slices<Result> {
  const imports = importsFor(data, output);
  return yield* runKernel<PngKernelExports, Result>(name, module, memory, imports, work);
}

/** Bytes of arena that a run takes if it allocates like `allocate` does, as measured by the kernel itself. */
export const countedBytes = memoryCounter<PngKernelExports>(() => module, importsFor(null, null));

function importsFor(data: CompressedData | null, output: OutputSink | null): KernelImports {
  return (memory) => {
    const take = (at: number, length: number) =>
      output?.take(memory.bytes.subarray(at, at + length));
    return {
      // See kernel/inflate/cursor.ts.
      cursor: {
        readData: (cursor: number, to: number, length: number) =>
          data?.read(cursor, memory.bytes.subarray(to, to + length)) ?? 0,
        forkData: (from: number, to: number) => data?.fork(from, to),
      },
      // See kernel/deflate/bit-output.ts and kernel/inflate/zlib-stream.ts.
      'bit-output': { takeOutput: take },
      'zlib-stream': { takeUnpacked: take },
    };
  };
}

/** Goes on with work of the kernel until it is finished: see `finished`. */
export function finishedWork(first: number, goOn: () => number): Slices<number> {
  return finished(kernelConstants, first, goOn);
}

const name = 'png kernel';

/** @throws CodecError if an allocation failed for lack of memory */
export function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}

/**
 * @param status 0 if all is well (kernel/inflate/cursor.ts)
 * @throws CodecError if the status reports damaged data; ExcessiveWork if they consist of far too many blocks
 */
export function expectSound(status: number): void {
  if (status === kernelConstants.excessive) throw new ExcessiveWork(name);
  if (status !== 0) throw damagedPng(`reading ended with ${status}`);
}

/** The error for a file whose picture cannot be decoded. */
export function damagedPng(detail: string): CodecError {
  return new CodecError(name, false, detail);
}

/** An address in the kernel's memory. */
export type Pointer = number;

/**
 * Maximum number of bytes that a byte of deflated data can expand to: a match takes at least two bits and has at most
 * 258 bytes (RFC 1951 §3.2.5).
 */
export const maxExpansion = 4 * 258;

/** What inflating a zlib stream has shown. */
export interface Unpacked {
  /** Number of bytes up to its end or damage, and at most the limit; 0 if it is not a zlib stream. */
  readonly bytes: number;
  /** Whether that is all of it, undamaged. */
  readonly isWhole: boolean;
  /** Whether it was given up, because it has far more blocks than any encoder writes. */
  readonly isExcessive: boolean;
}

/**
 * Inflates a zlib stream, up to `limit` bytes. Needs only the memory of a window, and time in proportion to the bytes
 * that are read and inflated.
 *
 * @param where arena to run in, by default the main one, and what takes the bytes; otherwise they are discarded
 */
export function* unpacked(
  stream: Uint8Array,
  limit: number,
  where: { readonly memory?: Arena; readonly output?: OutputSink } = {},
): Slices<Unpacked> {
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
  return yield* runPngKernel(
    data,
    function* (kernel) {
      const bytes = kernel.unpack(limit);
      const status = kernel.unpackedStatus();
      return { bytes, isWhole: status === 0, isExcessive: status === kernelConstants.excessive };
    },
    where,
  );
}

/**
 * Inflates at once, in the arena for headers.
 * @returns `content`, which is empty unless it is whole
 */
export function inflate(
  stream: Uint8Array,
  limit: number,
): Unpacked & { readonly content: Uint8Array } {
  const parts: Uint8Array[] = [];
  const output = { take: (bytes: Uint8Array) => void parts.push(bytes.slice()) };
  const found = runAtOnce(unpacked(stream, limit, { memory: headerArena, output }));
  return { ...found, content: found.isWhole ? joinBytes(parts) : new Uint8Array() };
}
