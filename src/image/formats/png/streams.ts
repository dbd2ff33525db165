import type { DrainedOutput } from '../../container/drained-output.ts';
import type { PngFrame } from './coded-png.ts';
import { countedBytes, type PngKernel, type Pointer } from './kernel.ts';
import { packedRowBytes } from './layout.ts';

/** Where zlib streams are kept: the best one so far, and the one that is tried. */
export interface StreamStore {
  /** Bytes that a stream of such a picture can have beside the best one; 0 or less: there is no room to write it. */
  room(frame: PngFrame): number;
  /** A stream follows that has at most so many bytes. */
  begin(maxBytes: number): void;
  /** The stream that the kernel has written is the best from now on. */
  keep(length: number): void;
  /** The stream that was begun comes to nothing. */
  drop(): void;
  /** Takes back all that the kernel has allocated from there on, but the best stream. */
  release(start: Pointer): void;
  /** The best stream, in parts. */
  readonly best: readonly Uint8Array[];
}

/** Streams in the kernel's memory: the best one is moved down, and the next is written above it. */
export class KernelStreams implements StreamStore {
  readonly #kernel: PngKernel;
  /** Where the kernel was when the stream that is tried began. */
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
    // what was allocated between the former one and this one is still needed
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

  /** What is behind the best one, as the kernel aligns what it allocates; 0 without one. */
  get #bestEnd(): Pointer {
    const { at, length } = this.#best ?? { at: 0, length: 0 };
    return Math.ceil((at + length) / 16) * 16;
  }

  /** Moves the best one down. */
  #moveBest(to: Pointer): void {
    if (!this.#best) return;
    const { at, length } = this.#best;
    this.#kernel.bytes.copyWithin(to, at, at + length);
    this.#best = { at: to, length };
  }
}

/** Streams in JavaScript, where the kernel's memory holds no more of them than a window. */
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

/** Bytes of the kernel's memory that writing such a picture takes, beside a stream that stays there. */
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
