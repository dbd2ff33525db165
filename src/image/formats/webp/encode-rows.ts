import { StreamPieces } from '../../container/drained-output.ts';
import { changedRows, type RowSource } from '../../pixels/row-source.ts';
import { freedUnlessDone, type Slices } from '../../slices.ts';
import { NoRoomForResult } from '../../wasm/codec.ts';
import type { Encoded, EncodingRun } from '../coding.ts';
import type { Quality } from '../inspection.ts';
import { type CodedBytes, type CodedChunk, lengthOf, viewOf, webpParts } from './coded-webp.ts';
import { runWebpKernel, type WebpKernel } from './kernel.ts';
import { codedLossless, type LosslessSettings, losslessWithin } from './lossless-coder.ts';
import {
  codedLossy,
  type Drains,
  drainLossy,
  type LossySettings,
  NoRoomForAlpha,
} from './lossy-coder.ts';

/** Settings for lossy encoding. */
export interface LossyWish extends LossySettings {
  /**
   * Maximum size in bytes of a lossless encoding, which is tried for a picture whose detail is mainly in its chroma, or
   * which looks drawn. 0 disables it.
   */
  readonly maxLosslessBytes: number;
}

/**
 * Encodes rows of pixels as lossless WebP.
 * @returns views of the arena it was encoded in
 * @throws CodecError if it takes more memory than is available; also whatever reading the rows throws
 */
export function* losslessWebp(
  rows: RowSource,
  settings: LosslessSettings,
  run: EncodingRun,
): Slices<Encoded> {
  return yield* coded(run, function* (kernel) {
    const parts = viewsOf(kernel, yield* codedLossless(kernel, rows, settings));
    return wrapped(rows, run, [{ type: 'VP8L', parts }], 'lossless');
  });
}

/**
 * Encodes rows of pixels as lossy WebP.
 * @returns views of the arena it was encoded in
 * @throws CodecError if it takes more memory than is available; also whatever reading the rows throws
 */
export function* lossyWebp(rows: RowSource, wish: LossyWish, run: EncodingRun): Slices<Encoded> {
  try {
    return yield* lossyInMemory(rows, wish, run, true);
  } catch (error) {
    if (!(error instanceof NoRoomForAlpha)) throw error;
    return yield* lossyInMemory(rows, wish, run, false);
  }
}

/** @param mayKeep bytes of tokens, in addition to other growing data */
function* lossyInMemory(
  rows: RowSource,
  wish: LossyWish,
  run: EncodingRun,
  mayKeep: boolean,
): Slices<Encoded> {
  return yield* coded(run, function* (kernel) {
    const isAutomatic = wish.maxLosslessBytes > 0;
    const drawn = new DrawnRows(rows);
    const seen = isAutomatic ? drawn.seen : rows;
    const { alpha, frame } = yield* codedLossy(kernel, seen, wish, mayKeep);
    const lossyBytes = lengthOf(frame) + lengthOf(alpha ?? []);
    const advantage = isAutomatic ? losslessAdvantage(kernel, rows, drawn.areDrawn) : 0;
    if (advantage > 0) {
      const around = lengthOf(wrapped(rows, run, [], 'lossless').parts) + maxHeaderBytes;
      const room = Math.min(wish.maxLosslessBytes, run.maxBytes) - around;
      const most = Math.min(advantage * lossyBytes, room);
      const lossless = yield* losslessWithin(kernel, rows, wish, most);
      if (lossless) {
        const parts = viewsOf(kernel, lossless);
        return wrapped(rows, run, [{ type: 'VP8L', parts }], 'lossless');
      }
    }
    const chunks = lossyChunks(alpha && viewsOf(kernel, alpha), viewsOf(kernel, frame));
    return wrapped(rows, run, chunks, wish.quality);
  });
}

/** Overhead in bytes of a chunk and of an extended header. */
const maxHeaderBytes = 9 + 18;

/**
 * How many times as long as a lossy picture a lossless one may be that shows more of its colors; 0: none is tried.
 * @param isDrawn whether a lossless one may be shorter
 */
function losslessAdvantage(
  kernel: WebpKernel,
  { width, height }: RowSource,
  isDrawn: boolean,
): number {
  // Halved chroma turns a pattern of single colored pixels into a different picture.
  if (kernel.colorLoss() > ruinousLoss) return Number.POSITIVE_INFINITY;
  const blocks = Math.ceil(width / 16) * Math.ceil(height / 16);
  if (kernel.colorfulBlocks() > blocks / 200) return 2;
  return isDrawn ? 1 : 0;
}

/** RMS error of halved chroma in levels from which on the picture is ruined; red text all over on blue has 20. */
const ruinousLoss = 32;

/**
 * Encodes lossy WebP in a small arena, from which the result is drained into buffers.
 * @throws CodecError if it takes more memory than is available; also whatever reading the rows throws
 */
export function* drainedWebp(
  rows: RowSource,
  settings: LossySettings,
  run: EncodingRun,
): Slices<Encoded> {
  const around = lengthOf(wrapped(rows, run, lossyChunks([], []), settings.quality).parts);
  const maxBytes = Math.min(run.maxBytes, run.bufferBytes) - around - paddingBytes;
  const drained = new DrainedChunks(maxBytes);
  const coding = coded(run, function* (kernel) {
    yield* drainLossy(kernel, rows, settings, drained);
    return wrapped(rows, run, drained.chunks, settings.quality);
  });
  return yield* freedUnlessDone(coding, () => drained.free());
}

/** Collects a drained lossy picture, up to a maximum size. */
class DrainedChunks implements Drains {
  readonly #maxBytes: number;
  #alpha: StreamPieces | null = null;
  #frame: StreamPieces;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#frame = new StreamPieces(maxBytes);
  }

  /** @throws NoRoomForResult if the maximum size is exceeded */
  alpha(parts: readonly Uint8Array[]): void {
    const length = lengthOf(parts);
    if (length === 0) return;
    if (length > this.#maxBytes) throw tooLong();
    this.#alpha = new StreamPieces(length);
    this.#frame = new StreamPieces(this.#maxBytes - length);
    for (const part of parts) this.#alpha.append(part);
  }

  /** @throws NoRoomForResult if the maximum size is exceeded */
  frame(bytes: Uint8Array): void {
    if (bytes.length > this.#frame.room) throw tooLong();
    this.#frame.append(bytes);
  }

  get chunks(): readonly CodedChunk[] {
    return lossyChunks(this.#alpha?.parts ?? null, this.#frame.parts);
  }

  /** Frees the memory immediately. */
  free(): void {
    this.#alpha?.free();
    this.#frame.free();
  }
}

/** Memory was planned for noise, so a longer result has no room. */
function tooLong(): NoRoomForResult {
  return new NoRoomForResult('webp kernel');
}

/** Maximum padding of the two chunks, whose lengths are even. */
const paddingBytes = 2;

/** Runs the kernel in the arena of a run. */
function coded<Result>(
  { memory }: EncodingRun,
  code: (kernel: WebpKernel) => Slices<Result>,
): Slices<Result> {
  return runWebpKernel(new Uint8Array(0), code, memory);
}

function lossyChunks(
  alpha: readonly Uint8Array[] | null,
  frame: readonly Uint8Array[],
): readonly CodedChunk[] {
  const color = { type: 'VP8 ', parts: frame } as const;
  return alpha ? [{ type: 'ALPH', parts: alpha }, color] : [color];
}

function viewsOf(kernel: WebpKernel, pieces: readonly CodedBytes[]): Uint8Array[] {
  return pieces.map((piece) => viewOf(kernel, piece));
}

/** Whether an encoded picture is marked as possibly transparent. */
function isTransparent([first]: readonly CodedChunk[]): boolean {
  // RFC 9649 §3.4
  if (first?.type === 'VP8L') return (((first.parts[0]?.[4] ?? 0) >> 4) & 1) === 1;
  return first?.type === 'ALPH';
}

/** @throws NoRoomForResult if the file is longer than allowed */
function wrapped(
  { width, height }: RowSource,
  { appearance, maxBytes }: EncodingRun,
  chunks: readonly CodedChunk[],
  quality: Quality,
): Encoded {
  const parts = webpParts(appearance, { width, height, hasAlpha: isTransparent(chunks), chunks });
  if (lengthOf(parts) > maxBytes) throw tooLong();
  return { parts, quality };
}

/**
 * Determines, while rows are read for the first time, whether they look drawn: by few colors, few different rows, or
 * few edges. Lossless coding often takes fewer bytes for such pictures, and always looks better.
 */
class DrawnRows {
  /** The rows, to be read instead of the original ones. */
  readonly seen: RowSource;
  readonly #size: { readonly width: number; readonly height: number };
  readonly #colors = new Set<number>();
  readonly #hashes = new Set<number>();
  #rows = 0;
  #edges = 0;

  constructor(rows: RowSource) {
    this.#size = rows;
    this.seen = changedRows(rows, (row) => {
      if (this.#rows < rows.height) this.#see(row);
    });
  }

  get areDrawn(): boolean {
    const { width, height } = this.#size;
    const edges = this.#edges / (width * height);
    // Gray photos also have few colors, but their pixels differ from each other.
    const hasFewColors =
      this.#colors.size <= maxInkColors || (this.#colors.size <= maxColors && edges <= 1 / 2);
    return hasFewColors || this.#hashes.size <= height / 4 || edges <= 1 / 16;
  }

  #see({ buffer, byteOffset }: Uint8Array): void {
    const words = new Uint32Array(buffer, byteOffset, this.#size.width);
    let before = -1;
    let hash = 0;
    for (const word of words) {
      hash = Math.imul(hash ^ word, 0x9e3779b1) ^ (hash >>> 15);
      if (word === before) continue;
      before = word;
      this.#edges += 1;
      if (this.#colors.size <= maxColors) this.#colors.add(word);
    }
    this.#hashes.add(hash);
    this.#rows += 1;
  }
}

/** Maximum number of colors of dithered pictures, in which any pixel may differ from the next. */
const maxInkColors = 16;

/** Maximum number of colors in a palette (RFC 9649 §4.4). */
const maxColors = 256;
