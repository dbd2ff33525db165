import { Pace, type Slices } from '../../slices.ts';
import { type Arena, arena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import {
  finished,
  type KernelImports,
  type LinkedKernel,
  memoryCounter,
  runKernel,
} from '../../wasm/kernel.ts';
import module from '../../wasm/modules/gif.wasm';
import { type GifKernelExports, kernelConstants } from './kernel-exports.ts';

/** The kernel, linked for one run. */
export type GifKernel = LinkedKernel<GifKernelExports>;

/** An address in the kernel's memory. */
export type Pointer = number;

/** LZW data that the kernel decodes. A cursor is a numbered read position in the data. */
export interface LzwData {
  /** Copies the next bytes at a cursor to `target`; returns their number, 0 at the end. */
  read(cursor: number, target: Uint8Array): number;
  /** Moves cursor `to` to the position of `from`, or to the beginning if both are the same cursor. */
  fork(from: number, to: number): void;
}

/**
 * Links the GIF kernel against a wiped arena for one run. The data to decode stay outside: the kernel requests them
 * piece by piece.
 *
 * @param data null if nothing is decoded
 * @param memory arena to run in
 * @throws CodecError thrown by `work`, or if the kernel traps, which no input should cause
 */
export function* runGifKernel<Result>(
  data: LzwData | null,
  work: (kernel: GifKernel) => Slices<Result>,
  memory: Arena = arena,
): Slices<Result> {
  return yield* runKernel<GifKernelExports, Result>(name, module, memory, importsFor(data), work);
}

/** Bytes of arena that a run takes if it allocates like `allocate` does, as measured by the kernel itself. */
export const countedBytes = memoryCounter<GifKernelExports>(() => module, importsFor(null));

function importsFor(data: LzwData | null): KernelImports {
  return (memory) => ({
    // See kernel/decoder/cursor.ts.
    cursor: {
      readData: (cursor: number, to: number, length: number) =>
        data?.read(cursor, memory.bytes.subarray(to, to + length)) ?? 0,
      forkData: (from: number, to: number) => data?.fork(from, to),
    },
  });
}

/** Goes on with work of the kernel until it is finished: see `finished`. What many short frames take is counted together. */
export function* finishedWork(
  kernel: GifKernel,
  first: number,
  goOn: () => number,
): Slices<number> {
  const result = yield* finished(kernelConstants, first, goOn);
  yield* new Pace(kernel.takeSpent() / nanosecondsPerMs).after();
  return result;
}

const nanosecondsPerMs = 1e6;

const name = 'gif kernel';

/** @throws CodecError if an allocation failed for lack of memory */
export function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}

/**
 * @param status one of those in kernel/decoder/lzw.ts
 * @throws CodecError if the status reports damaged data
 */
export function expectSound(status: number): void {
  if (status === kernelConstants.sound) return;
  throw damagedGif(`reading ended with ${status}`);
}

/** The error for a file whose picture cannot be decoded. */
export function damagedGif(detail: string): CodecError {
  return new CodecError(name, false, detail);
}
