import { CodecError } from '../codecs/codec.ts';
import { type PngFrame, surroundingBytes } from './coded-png.ts';
import type { PngKernel } from './kernel.ts';
import type { PngRequest, RecodedPng } from './recode-png.ts';
import { type Stream, streamRoom } from './written-rows.ts';

/** The ways of writing a picture that are tried one after the other; the smallest is kept. */
export class CandidateStreams {
  readonly #kernel: PngKernel;
  readonly #preamble: Uint8Array;
  readonly #mayBeCramped: boolean;
  #most: number;
  #best: RecodedPng | null = null;
  #isCramped = false;

  constructor(
    kernel: PngKernel,
    { preamble, most, mayBeCramped }: Pick<PngRequest, 'preamble' | 'most' | 'mayBeCramped'>,
  ) {
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
    const wanted = this.#most - around;
    const most = Math.min(wanted, streamRoom(kernel, frame));
    const stream = most > 0 ? write(most) : null;
    if (stream) {
      const at = this.#best?.stream.at ?? start;
      kernel.bytes.copyWithin(at, stream.at, stream.at + stream.length);
      this.#best = { frame, stream: { at, length: stream.length }, isExact };
      this.#most = around + stream.length - 1;
      kernel.release(aligned(at + stream.length));
    } else {
      this.#isCramped ||= most < wanted;
      kernel.release(start);
    }
    return stream !== null;
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
}

/** As the kernel aligns what it allocates. */
function aligned(at: number): number {
  return Math.ceil(at / 16) * 16;
}
