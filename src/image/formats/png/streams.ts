import type { DrainedOutput } from '../../container/drained-output.ts';
import type { PngFrame } from './coded-png.ts';
import { countedBytes, type PngKernel, type Pointer } from './kernel.ts';
import { packedRowBytes } from './layout.ts';

/** Stores zlib streams: the best one so far, and the current attempt. */
export interface StreamStore {
  /**
   * Maximum bytes of a new stream for such a picture, next to the best one; 0 or less: there is no room to write it.
   */
  room(frame: PngFrame): number;
  /** Begins a stream of at most `maxBytes` bytes. */
  begin(maxBytes: number): void;
  /** Makes the stream that the kernel has written the best one. */
  keep(length: number): void;
  /** Discards the stream that was begun. */
  drop(): void;
  /** Releases everything that the kernel has allocated from `start` on, except the best stream. */
  release(start: Pointer): void;
  /** The best stream, in parts. */
  readonly best: readonly Uint8Array[];
}

/** Streams in the kernel's memory: the best one is moved down, and the next one is written above it. */
export class KernelStreams implements StreamStore {
  readonly #kernel: PngKernel;
  /** Start of free memory when the current stream began. */
  #start: Pointer = 0;
  #best: { readonly at: Pointer; readonly length: number } | null = null;

  constructor(kernel: PngKernel) {
    this.#kernel = kernel;
    kernel.drainOutput(false);
  }

  room(frame: PngFrame): number {
    return this.#kernel.room() - writingBytes(frame, { isDrained: false });
  }

  begin(): void {
    this.#start = this.#kernel.taken();
  }

  keep(length: number): void {
    const start = this.#start;
    const former = this.#best ?? { at: start, length: 0 };
    const formerEnd = this.#best ? this.#bestEnd : start;
    // Allocations between the former stream and this one are still needed.
    const isOnTop = formerEnd === start;
    const fits = isOnTop || former.at + length <= formerEnd;
    this.#best = { at: this.#kernel.outputAt(), length };
    this.#moveBest(fits ? former.at : start);
    this.#kernel.release(isOnTop ? this.#bestEnd : Math.max(start, this.#bestEnd));
  }

  drop(): void {
    this.#kernel.release(this.#start);
  }

  release(start: Pointer): void {
    if (this.#best && this.#best.at > start) this.#moveBest(start);
    this.#kernel.release(Math.max(start, this.#bestEnd));
  }

  /** A view of the kernel's memory. */
  get best(): readonly Uint8Array[] {
    if (!this.#best) return [];
    const { at, length } = this.#best;
    return [this.#kernel.bytes.subarray(at, at + length)];
  }

  /** End of the best stream, aligned like the kernel's allocations; 0 if there is none. */
  get #bestEnd(): Pointer {
    const { at, length } = this.#best ?? { at: 0, length: 0 };
    return Math.ceil((at + length) / 16) * 16;
  }

  /** Moves the best stream down. */
  #moveBest(to: Pointer): void {
    if (!this.#best) return;
    const { at, length } = this.#best;
    this.#kernel.bytes.copyWithin(to, at, at + length);
    this.#best = { at: to, length };
  }
}

/** Streams in JavaScript, of which the kernel's memory holds no more than a window. */
export class DrainedStreams implements StreamStore {
  readonly #kernel: PngKernel;
  readonly #output: DrainedOutput;
  #start: Pointer = 0;

  /** @param output the one that the kernel runs with */
  constructor(kernel: PngKernel, output: DrainedOutput) {
    this.#kernel = kernel;
    this.#output = output;
    kernel.drainOutput(true);
  }

  room(frame: PngFrame): number {
    const isWritable = this.#kernel.room() >= writingBytes(frame, { isDrained: true });
    return isWritable ? this.#output.room : 0;
  }

  begin(maxBytes: number): void {
    this.#start = this.#kernel.taken();
    this.#output.begin(maxBytes);
  }

  keep(): void {
    this.#output.keep();
    this.#kernel.release(this.#start);
  }

  drop(): void {
    this.#output.drop();
    this.#kernel.release(this.#start);
  }

  release(start: Pointer): void {
    this.#kernel.release(start);
  }

  get best(): readonly Uint8Array[] {
    return this.#output.best;
  }
}

/** Bytes of the kernel's memory needed to write such a picture, without a stream that stays there. */
function writingBytes(
  { width, layout }: PngFrame,
  { isDrained }: { readonly isDrained: boolean },
): number {
  const rowBytes = packedRowBytes(width, layout);
  const counted = countedBytes(({ drainOutput, beginWriter }) => {
    drainOutput(isDrained);
    beginWriter(rowBytes, 1, 0, 0);
  });
  return counted - countedBytes(() => {});
}
