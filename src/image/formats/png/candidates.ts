import { CodecError } from '../../wasm/codec.ts';
import { type PngFrame, surroundingBytes } from './coded-png.ts';
import type { PngRequest, RecodedPng } from './encode.ts';
import type { PngKernel, Pointer } from './kernel.ts';
import { type Stream, streamRoom } from './written-rows.ts';

/** The ways of writing a picture that are tried one after the other; the smallest is kept. */
export class CandidateStreams {
  readonly #kernel: PngKernel;
  readonly #preamble: Uint8Array;
  readonly #mayBeCramped: boolean;
  readonly #most: number;
  readonly #advantage: number;
  #best: RecodedPng | null = null;
  /** Bytes of the file that the best makes. */
  #bestBytes = 0;
  #isCramped = false;

  /** @param advantage a file of other colours has to be smaller than one of the picture's own by this factor */
  constructor(
    kernel: PngKernel,
    { preamble, most, mayBeCramped }: Pick<PngRequest, 'preamble' | 'most' | 'mayBeCramped'>,
    advantage: number,
  ) {
    this.#advantage = advantage;
    this.#mayBeCramped = mayBeCramped;
    this.#kernel = kernel;
    this.#preamble = preamble;
    this.#most = most;
  }

  /**
   * Tries a way of writing.
   *
   * @param write given the most bytes that its stream may have; null when it takes more, or will not do
   * @returns whether it is the smallest so far
   */
  offer(frame: PngFrame, isExact: boolean, write: (most: number) => Stream | null): boolean {
    const kernel = this.#kernel;
    const start = kernel.taken();
    const around = surroundingBytes(frame, this.#preamble);
    const wanted = this.#allowed(isExact) - around;
    const most = Math.min(wanted, streamRoom(kernel, frame));
    const stream = most > 0 ? write(most) : null;
    if (stream) {
      const former = this.#best?.stream ?? { at: start, length: 0 };
      const formerEnd = this.#best ? this.#bestEnd : start;
      // what was allocated between the former one and this one is still needed
      const isOnTop = formerEnd === start;
      const fits = isOnTop || former.at + stream.length <= formerEnd;
      this.#best = { frame, stream, isExact };
      this.#bestBytes = around + stream.length;
      this.#moveBest(fits ? former.at : start);
      kernel.release(isOnTop ? this.#bestEnd : Math.max(start, this.#bestEnd));
    } else {
      this.#isCramped ||= most < wanted;
      kernel.release(start);
    }
    return stream !== null;
  }

  /** Bytes that a file may have to be better than what there is. */
  #allowed(isExact: boolean): number {
    const isLossy = !isExact;
    if (!this.#best) return isLossy ? Math.floor(this.#advantage * this.#most) : this.#most;
    if (isLossy === this.isLossy) return this.#bestBytes - 1;
    if (isLossy) return Math.floor(this.#advantage * this.#bestBytes);
    return Math.min(this.#most, Math.floor(this.#bestBytes / this.#advantage));
  }

  /** Takes back all that was allocated from there on, but the smallest so far. */
  release(start: Pointer): void {
    if (this.#best && this.#best.stream.at > start) this.#moveBest(start);
    this.#kernel.release(Math.max(start, this.#bestEnd));
  }

  /** Whether the smallest so far has other colours than the picture. */
  get isLossy(): boolean {
    return this.#best !== null && !this.#best.isExact;
  }

  /**
   * The smallest; null when none is as small as it has to be.
   * @throws CodecError when there might have been one with more memory
   */
  get best(): RecodedPng | null {
    if (this.#isCramped && !this.#best && !this.#mayBeCramped) {
      throw new CodecError('png kernel', true, 'no room');
    }
    return this.#best;
  }

  /** What is behind the smallest so far, as the kernel aligns what it allocates; 0 without one. */
  get #bestEnd(): Pointer {
    const { at, length } = this.#best?.stream ?? { at: 0, length: 0 };
    return Math.ceil((at + length) / 16) * 16;
  }

  /** Moves the smallest so far down. */
  #moveBest(to: Pointer): void {
    if (!this.#best) return;
    const { at, length } = this.#best.stream;
    this.#kernel.bytes.copyWithin(to, at, at + length);
    this.#best = { ...this.#best, stream: { at: to, length } };
  }
}
