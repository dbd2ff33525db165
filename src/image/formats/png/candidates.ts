import type { Slices } from '../../slices.ts';
import { CodecError } from '../../wasm/codec.ts';
import { type PngFrame, surroundingBytes } from './coded-png.ts';
import { expectRoom, finishedWork, type PngKernel, type Pointer } from './kernel.ts';
import { bitsOf, colorTypeOf, type PngLayout, packedRowBytes } from './layout.ts';
import {
  type DeepPixelRows,
  forEachRow,
  type PixelRows,
  passMs,
  type RowBuffers,
} from './pixel-rows.ts';
import type { StreamStore } from './streams.ts';

/** The limits of a file, its parts that are already known, and the store of its streams. */
export interface CandidateLimits {
  /** An empty store for the kernel that writes. */
  readonly store: StreamStore;
  /** Chunks between IHDR and PLTE. */
  readonly preamble: Uint8Array;
  /** Maximum bytes of the file. */
  readonly maxBytes: number;
  /** Whether a candidate that finds too little memory is omitted, because no more memory is available. */
  readonly omitsWithoutRoom: boolean;
}

/** A written picture. */
export interface Candidate {
  readonly frame: PngFrame;
  /** Its zlib stream, in parts. */
  readonly stream: readonly Uint8Array[];
  /** Whether every visible sample is unchanged. */
  readonly isExact: boolean;
}

/** Tries candidates for a picture one after the other, and keeps the smallest. */
export class CandidateStreams {
  readonly #store: StreamStore;
  readonly #preamble: Uint8Array;
  readonly #omitsWithoutRoom: boolean;
  readonly #maxBytes: number;
  readonly #advantage: number;
  #best: Omit<Candidate, 'stream'> | null = null;
  /** Bytes of the file with the best candidate. */
  #bestBytes = 0;
  #wasShortOfRoom = false;

  /** @param advantage factor by which a file with other colors has to be smaller than one with the original colors */
  constructor({ store, preamble, maxBytes, omitsWithoutRoom }: CandidateLimits, advantage: number) {
    this.#advantage = advantage;
    this.#omitsWithoutRoom = omitsWithoutRoom;
    this.#store = store;
    this.#preamble = preamble;
    this.#maxBytes = maxBytes;
  }

  /**
   * Tries a candidate.
   *
   * @param write takes the maximum bytes of its stream, and returns the length of the stream, or 0 if it is too long or
   *   otherwise unsuitable
   * @returns whether it is the smallest so far
   */
  *offer(
    frame: PngFrame,
    isExact: boolean,
    write: (maxBytes: number) => Slices<number>,
  ): Slices<boolean> {
    const overhead = surroundingBytes(frame, this.#preamble);
    const wanted = this.#allowed(isExact) - overhead;
    const maxBytes = Math.min(wanted, this.#store.room(frame));
    const length = maxBytes > 0 ? yield* this.#stored(maxBytes, write) : 0;
    if (length === 0) {
      this.#wasShortOfRoom ||= maxBytes < wanted;
      return false;
    }
    this.#best = { frame, isExact };
    this.#bestBytes = overhead + length;
    return true;
  }

  /** Writes and keeps a stream; returns its length, or 0 if there is none. */
  *#stored(maxBytes: number, write: (maxBytes: number) => Slices<number>): Slices<number> {
    this.#store.begin(maxBytes);
    const length = yield* write(maxBytes);
    if (length > 0) this.#store.keep(length);
    else this.#store.drop();
    return length;
  }

  /** Maximum bytes of a file that is better than the best so far. */
  #allowed(isExact: boolean): number {
    const isLossy = !isExact;
    if (!this.#best) return isLossy ? Math.floor(this.#advantage * this.#maxBytes) : this.#maxBytes;
    if (isLossy === this.isLossy) return this.#bestBytes - 1;
    if (isLossy) return Math.floor(this.#advantage * this.#bestBytes);
    return Math.min(this.#maxBytes, Math.floor(this.#bestBytes / this.#advantage));
  }

  /** Releases everything that the kernel has allocated from `start` on, except the smallest stream so far. */
  release(start: Pointer): void {
    this.#store.release(start);
  }

  /** Whether the smallest candidate so far has other colors than the picture. */
  get isLossy(): boolean {
    return this.#best !== null && !this.#best.isExact;
  }

  /**
   * The smallest candidate; null if none is small enough.
   * @throws CodecError if more memory might have allowed one
   */
  get best(): Candidate | null {
    if (this.#wasShortOfRoom && !this.#best && !this.#omitsWithoutRoom) {
      throw new CodecError('png kernel', true, 'no room');
    }
    return this.#best && { ...this.#best, stream: this.#store.best };
  }
}

/** Filters that are tried: all, or only type 0, which leaves bytes unchanged (PNG third edition §9.2). */
export type TriedFilters = 'all' | 'none';

/** `least` serves to predict sizes; `greedy` is for a lack of CPU time. */
export type Effort = 'full' | 'least' | 'greedy';

interface WritingSettings {
  readonly layout: PngLayout;
  /** Maximum bytes of the stream. */
  readonly maxBytes: number;
  readonly filters?: TriedFilters;
  readonly effort: Effort;
}

/** Result of the kernel for a row that was written. */
const written = 1;

/** Filters and deflates rows as they arrive. */
export class WrittenRows {
  readonly #kernel: PngKernel;
  #isTooLong = false;

  /** @throws CodecError if memory runs out */
  constructor(
    kernel: PngKernel,
    size: { readonly width: number; readonly height: number },
    { layout, maxBytes, filters = 'all', effort }: WritingSettings,
  ) {
    this.#kernel = kernel;
    kernel.limitFilters(filters === 'none' ? 1 : -1);
    const rowBytes = packedRowBytes(size.width, layout);
    const step = Math.max(1, bitsOf(layout) >> 3);
    const level = effort === 'full' ? effortFor(rowBytes, size.height) : efforts[effort];
    expectRoom(kernel.beginWriter(rowBytes, step, level, maxBytes));
    const key = layout.kind === 'samples' && layout.key !== null ? layout.key : -1;
    kernel.setRowLayout(colorTypeOf(layout), layout.bitDepth, key);
  }

  /** Whether the stream has exceeded its limit; further rows are ignored. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  *write(row: Pointer): Slices<void> {
    if (this.#isTooLong) return;
    const status = this.#kernel.writeRow(row);
    if (status === written) return;
    this.#isTooLong = (yield* finishedWork(status, () => this.#kernel.continueWriting())) === 0;
  }

  /** The length of the stream in bytes; 0 if it is too long. */
  *end(): Slices<number> {
    if (this.#isTooLong) return 0;
    const end = () => this.#kernel.endWriter();
    return yield* finishedWork(end(), end);
  }
}

/**
 * Writes all rows of a picture in a layout that holds its pixels exactly.
 * @param keepsHidden whether colors of fully transparent pixels are kept
 * @returns the length of the stream in bytes; 0 if it exceeds `maxBytes`
 */
export function* writeExactly(
  kernel: PngKernel,
  rows: PixelRows,
  { rgba, packed }: RowBuffers,
  { keepsHidden, ...settings }: WritingSettings & { readonly keepsHidden: boolean },
): Slices<number> {
  const written = new WrittenRows(kernel, rows, settings);
  yield* forEachRow(rows, passMs.packing, function* () {
    rows.expand(rgba);
    if (!keepsHidden) kernel.clearHidden(rgba, rows.width);
    kernel.packRow(rgba, rows.width, packed);
    yield* written.write(packed);
    return !written.isTooLong;
  });
  return yield* written.end();
}

/**
 * Writes all rows of a picture with all 16 bits of each sample.
 * @param keepsHidden whether colors of fully transparent pixels are kept
 * @returns the length of the stream in bytes; 0 if it exceeds `maxBytes`
 */
export function* writeDeep(
  kernel: PngKernel,
  rows: DeepPixelRows,
  { deep, packed }: RowBuffers,
  {
    layout,
    keepsHidden,
    ...settings
  }: WritingSettings & { layout: PngLayout & { kind: 'deep' }; keepsHidden: boolean },
): Slices<number> {
  const written = new WrittenRows(kernel, rows, { layout, ...settings });
  yield* forEachRow(rows, passMs.packing, function* () {
    rows.expandDeep(deep);
    // The color key is one of the colors that must not be cleared.
    if (!keepsHidden && !layout.keepsKey) kernel.clearDeepHidden(deep, rows.width);
    kernel.packDeep(deep, rows.width, layout.colorType, packed);
    yield* written.write(packed);
    return !written.isTooLong;
  });
  return yield* written.end();
}

/** Efforts of the writer (kernel/deflate/compressor.ts). */
const efforts = { greedy: 0, least: 1 } as const;

/** The effort for a picture of this size. */
function effortFor(rowBytes: number, height: number): number {
  const bytes = rowBytes * height;
  if (bytes <= 2 ** 20) return 3;
  return bytes <= 2 ** 23 ? 2 : 1;
}
