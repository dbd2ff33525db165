import { CodecError } from '../../wasm/codec.ts';
import { type PngFrame, surroundingBytes } from './coded-png.ts';
import { expectRoom, type PngKernel, type Pointer } from './kernel.ts';
import { bitsOf, colorTypeOf, type PngLayout, packedRowBytes } from './layout.ts';
import { type DeepPixelRows, forEachRow, type PixelRows, type RowBuffers } from './pixel-rows.ts';
import type { StreamStore } from './streams.ts';

/** What a file may be, what is known of it beside its picture, and where its streams are kept. */
export interface CandidateLimits {
  /** An empty one, for the kernel that writes. */
  readonly store: StreamStore;
  /** Chunks between IHDR and PLTE. */
  readonly preamble: Uint8Array;
  /** Bytes that the file may have. */
  readonly maxBytes: number;
  /** There is no more memory to be had, and a candidate that finds too little of it is left out. */
  readonly omitsWithoutRoom: boolean;
}

/** A picture as it was written. */
export interface Candidate {
  readonly frame: PngFrame;
  /** Its zlib stream, in parts. */
  readonly stream: readonly Uint8Array[];
  /** Whether every sample that is seen is what it was. */
  readonly isExact: boolean;
}

/** Candidates of how a picture is written, tried one after the other; the smallest is kept. */
export class CandidateStreams {
  readonly #store: StreamStore;
  readonly #preamble: Uint8Array;
  readonly #omitsWithoutRoom: boolean;
  readonly #maxBytes: number;
  readonly #advantage: number;
  #best: Omit<Candidate, 'stream'> | null = null;
  /** Bytes of the file that the best makes. */
  #bestBytes = 0;
  #wasShortOfRoom = false;

  /** @param advantage a file of other colors has to be smaller than one of the picture's own by this factor */
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
   * @param write given the most bytes that its stream may have; returns how many it has, or 0 when it takes more, or
   * will not do
   * @returns whether it is the smallest so far
   */
  offer(frame: PngFrame, isExact: boolean, write: (maxBytes: number) => number): boolean {
    const around = surroundingBytes(frame, this.#preamble);
    const wanted = this.#allowed(isExact) - around;
    const maxBytes = Math.min(wanted, this.#store.room(frame));
    const length = maxBytes > 0 ? this.#stored(maxBytes, write) : 0;
    if (length === 0) {
      this.#wasShortOfRoom ||= maxBytes < wanted;
      return false;
    }
    this.#best = { frame, isExact };
    this.#bestBytes = around + length;
    return true;
  }

  /** The length of a stream that is kept from now on; 0 where there is none. */
  #stored(maxBytes: number, write: (maxBytes: number) => number): number {
    this.#store.begin(maxBytes);
    const length = write(maxBytes);
    if (length > 0) this.#store.keep(length);
    else this.#store.drop();
    return length;
  }

  /** Bytes that a file may have to be better than what there is. */
  #allowed(isExact: boolean): number {
    const isLossy = !isExact;
    if (!this.#best) return isLossy ? Math.floor(this.#advantage * this.#maxBytes) : this.#maxBytes;
    if (isLossy === this.isLossy) return this.#bestBytes - 1;
    if (isLossy) return Math.floor(this.#advantage * this.#bestBytes);
    return Math.min(this.#maxBytes, Math.floor(this.#bestBytes / this.#advantage));
  }

  /** Takes back all that the kernel has allocated from there on, but the smallest so far. */
  release(start: Pointer): void {
    this.#store.release(start);
  }

  /** Whether the smallest so far has other colors than the picture. */
  get isLossy(): boolean {
    return this.#best !== null && !this.#best.isExact;
  }

  /**
   * The smallest; null if none is as small as it has to be.
   * @throws CodecError if there might have been one with more memory
   */
  get best(): Candidate | null {
    if (this.#wasShortOfRoom && !this.#best && !this.#omitsWithoutRoom) {
      throw new CodecError('png kernel', true, 'no room');
    }
    return this.#best && { ...this.#best, stream: this.#store.best };
  }
}

/** Filters that are tried: all, or type 0, which changes nothing (PNG third edition §9.2). */
export type TriedFilters = 'all' | 'none';

/** `least`: to see what it will be about; `greedy`: for lack of CPU time. */
export type Effort = 'full' | 'least' | 'greedy';

interface WritingSettings {
  readonly layout: PngLayout;
  /** Bytes of the stream. */
  readonly maxBytes: number;
  readonly filters?: TriedFilters;
  readonly effort: Effort;
}

/** Filters and deflates rows, as they come. */
export class WrittenRows {
  readonly #kernel: PngKernel;
  #isTooLong = false;

  /**
   * @throws CodecError if there is no room
   */
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

  /** The stream has outgrown what it may be, and what follows is in vain. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  write(row: Pointer): void {
    if (!this.#isTooLong && !this.#kernel.writeRow(row)) this.#isTooLong = true;
  }

  /** The length of the stream in bytes; 0 where it has got too long. */
  end(): number {
    return this.#isTooLong ? 0 : this.#kernel.endWriter();
  }
}

/**
 * Writes all rows of a picture in a layout that holds its pixels exactly.
 * @param keepsHidden whether colors under full transparency stay
 * @returns the length of the stream in bytes; 0 where it gets longer than `maxBytes`
 */
export function writeExactly(
  kernel: PngKernel,
  rows: PixelRows,
  { rgba, packed }: RowBuffers,
  { keepsHidden, ...settings }: WritingSettings & { readonly keepsHidden: boolean },
): number {
  const written = new WrittenRows(kernel, rows, settings);
  forEachRow(rows, () => {
    rows.expand(rgba);
    if (!keepsHidden) kernel.clearHidden(rgba, rows.width);
    kernel.packRow(rgba, rows.width, packed);
    written.write(packed);
    return !written.isTooLong;
  });
  return written.end();
}

/**
 * Writes all rows of a picture with all 16 bits of each sample.
 * @param keepsHidden whether colors under full transparency stay
 * @returns the length of the stream in bytes; 0 where it gets longer than `maxBytes`
 */
export function writeDeep(
  kernel: PngKernel,
  rows: DeepPixelRows,
  { deep, packed }: RowBuffers,
  {
    layout,
    keepsHidden,
    ...settings
  }: WritingSettings & { layout: PngLayout & { kind: 'deep' }; keepsHidden: boolean },
): number {
  const written = new WrittenRows(kernel, rows, { layout, ...settings });
  forEachRow(rows, () => {
    rows.expandDeep(deep);
    // a key lies in the colors of what it makes transparent
    if (!keepsHidden && !layout.keepsKey) kernel.clearDeepHidden(deep, rows.width);
    kernel.packDeep(deep, rows.width, layout.colorType, packed);
    written.write(packed);
    return !written.isTooLong;
  });
  return written.end();
}

/** Efforts of the writer (kernel/deflate/compressor.ts). */
const efforts = { greedy: 0, least: 1 } as const;

/** That for so many bytes of rows. */
function effortFor(rowBytes: number, height: number): number {
  const bytes = rowBytes * height;
  if (bytes <= 2 ** 20) return 3;
  return bytes <= 2 ** 23 ? 2 : 1;
}
