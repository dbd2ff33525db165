import { changedBlocksWithin, changesWithin, traitsWithin } from '../../animation/changes.ts';
import { rowsOfRegion } from '../../animation/composition.ts';
import type { AnimationFrame, PlannedFrame } from '../../animation/timeline.ts';
import { joinBytes } from '../../container/assemble.ts';
import type { StreamPieces } from '../../container/drained-output.ts';
import { freeMemory } from '../../container/workspace.ts';
import { noMetadata } from '../../metadata/metadata.ts';
import type { Region, Size } from '../../pixels/raster.ts';
import { pacedRows, type RowSource } from '../../pixels/row-source.ts';
import type { Slices } from '../../slices.ts';
import type { Arena } from '../../wasm/arena.ts';
import { NoRoomForResult } from '../../wasm/codec.ts';
import type {
  AnimationCoding,
  AnimationRun,
  AnimationShape,
  AnimationSink,
  AnimationWriter,
} from '../animation-format.ts';
import type { Detail, Encoded } from '../coding.ts';
import type { Appearance } from '../inspection.ts';
import { animatedWebpParts, frameHeader, lengthOf } from './coded-webp.ts';
import { losslessWebp, lossyWebp } from './encode-rows.ts';
import { losslessEncodingMs, lossyEncodingMs } from './encoders.ts';
import { webpFacts } from './facts.ts';
import { losslessRuns } from './lossless-coder.ts';
import { lossyRuns } from './lossy-coder.ts';
import { losslessEncodingBytes, lossyEncodingBytes } from './memory.ts';
import { frameFlag, imageChunks } from './reader.ts';

/** Writes animated WebP. Each frame is coded separately, lossless if that is smaller (RFC 9649 §2.7.1.1). */
export const webpAnimationWriter: AnimationWriter = {
  disposals: ['keep', 'background'],
  holdsPartialAlpha: true,
  canClear: true,
  offsetStep: 2,
  isFirstWhole: false,
  isSurveyed: false,
  scores: webpFacts.output.quality.scores,
  isUneven: false,
  durations: { perSecond: 1000, maxTicks: 0xff_ffff },
  maxPlays: 0xffff,
  arenaBytes(frame, { quality }) {
    const lossless = losslessEncodingBytes(frame).photo;
    if (quality === 'lossless') return lossless;
    const settings = { quality, hasAlpha: frame.hasAlpha, exact: false };
    return Math.max(lossless, lossyEncodingBytes(frame, settings).photo);
  },
  cpuMs({ count, pixels }, { quality }) {
    const shape = { width: pixels, height: 1, hasAlpha: true };
    const lossless = losslessEncodingMs(shape, frameDetail);
    const lossy = quality === 'lossless' ? 0 : 1.3 * lossyEncodingMs(shape, frameDetail);
    return lossless + lossy + count;
  },
  toleranceFor: () => () => false,
  changesColors: () => false,
  begin: (shape, coding, run) => new WebpAnimation(shape, coding, run),
};

/** What frames usually hold. */
const frameDetail: Detail = { density: 0.1, isDrawn: true };

function isWholeOf({ width, height }: Size, region: Region): boolean {
  return region.width === width && region.height === height;
}

/** An encoded frame: the image chunks of its own WebP file. */
interface CodedFrame {
  readonly blend: AnimationFrame['blend'];
  readonly hasAlpha: boolean;
  readonly isExact: boolean;
  readonly bytes: Uint8Array;
}

/** One way to code a frame: its rows, and how they are drawn. */
interface FrameRows {
  readonly blend: AnimationFrame['blend'];
  readonly hasAlpha: boolean;
  readonly rows: RowSource;
}

class WebpAnimation implements AnimationSink {
  readonly #shape: AnimationShape;
  readonly #coding: AnimationCoding;
  readonly #memory: Arena;
  readonly #frames: StreamPieces;
  /** Whether anything transparent is visible, inside frames or outside of them. */
  #hasAlpha = false;
  #isExact = true;

  constructor(shape: AnimationShape, coding: AnimationCoding, { memory, pieces }: AnimationRun) {
    this.#shape = shape;
    this.#coding = coding;
    this.#memory = memory;
    this.#frames = pieces;
  }

  *add(frame: PlannedFrame): Slices<void> {
    const { region, duration, disposal } = frame;
    const coded = yield* this.#smallest(frame);
    // Software that relies on the file's alpha flag would show uncovered parts of the canvas in black.
    const isFirst = this.#frames.heldBytes === 0;
    const isBare = disposal === 'background' || (isFirst && !isWholeOf(this.#shape, region));
    this.#hasAlpha ||= coded.hasAlpha || isBare;
    this.#isExact &&= coded.isExact;
    const flags =
      (disposal === 'background' ? frameFlag.clearsAfter : 0) |
      (coded.blend === 'replace' ? frameFlag.replaces : 0);
    const header = frameHeader(region, duration.ticks, flags, coded.bytes.length);
    if (header.length + coded.bytes.length > this.#frames.room) {
      throw new NoRoomForResult('webp animation');
    }
    this.#frames.append(header);
    this.#frames.append(coded.bytes);
  }

  *finish(appearance: Appearance): Slices<Pick<Encoded, 'parts' | 'quality'>> {
    const { plays } = this.#shape;
    const { parts } = this.#frames;
    const file = animatedWebpParts(appearance, {
      ...this.#shape,
      hasAlpha: this.#hasAlpha,
      plays,
      frames: parts,
    });
    if (lengthOf(file) > this.#frames.maxBytes) throw new NoRoomForResult('webp animation');
    return { parts: file, quality: this.#isExact ? 'lossless' : this.#coding.quality };
  }

  /** The smallest encoding of a frame among the possible methods. */
  *#smallest({ region, picture, base }: PlannedFrame): Slices<CodedFrame> {
    const { quality, exact } = this.#coding;
    const traits = traitsWithin(picture, base, region);
    const { colors, kept, hasAlpha, isCoverable, hasPartialAlpha } = traits;
    const replacing = { blend: 'replace', hasAlpha, rows: rowsOfRegion(picture, region) } as const;
    const covering = {
      blend: 'over',
      hasAlpha: true,
      rows: changesWithin(picture, base, region),
    } as const;
    let best: CodedFrame | null = null;
    const lossless = { ...this.#coding, quality: 'lossless' } as const;
    const isLosslessTried = quality === 'lossless' || colors !== null;
    if (isLosslessTried) {
      if (!isCoverable || kept < mostlyKept) {
        best = yield* this.#better(best, replacing, { ...lossless, exact });
      }
      if (isCoverable && kept >= hardlyKept) {
        best = yield* this.#better(best, covering, { ...lossless, exact: false });
      }
    }
    const isDrawn = colors !== null && colors <= drawnColors;
    if (quality !== 'lossless' && !(isDrawn || (best && best.bytes.length < shortBytes))) {
      if (!isCoverable || hasPartialAlpha || kept < mostlyKept) {
        best = yield* this.#better(best, replacing, this.#coding);
      }
      // Partially transparent pixels must not be blended over themselves.
      if (isCoverable && !hasPartialAlpha && kept >= losslyKept) {
        const blocks = { ...covering, rows: changedBlocksWithin(picture, base, region) };
        best = yield* this.#better(best, blocks, this.#coding);
      }
    }
    if (!best) throw new TypeError('a frame was coded in no way');
    return best;
  }

  /** Codes a frame in one way; returns that or the best so far, and frees the other. */
  *#better(
    best: CodedFrame | null,
    { blend, hasAlpha, rows }: FrameRows,
    coding: AnimationCoding,
  ): Slices<CodedFrame> {
    const bytes = yield* this.#coded(rows, hasAlpha, coding);
    const isExact = coding.quality === 'lossless';
    const least = best?.isExact && !isExact ? exactWorth : 1;
    if (best && least * bytes.length >= best.bytes.length) {
      freeMemory(bytes);
      return best;
    }
    if (best) freeMemory(best.bytes);
    return { blend, hasAlpha, isExact, bytes };
  }

  *#coded(rows: RowSource, hasAlpha: boolean, coding: AnimationCoding): Slices<Uint8Array> {
    const { quality, exact } = coding;
    const shape = { width: rows.width, height: rows.height, hasAlpha };
    const run = {
      memory: this.#memory,
      appearance: bare,
      maxBytes: Number.POSITIVE_INFINITY,
      bufferBytes: 0,
    };
    if (quality === 'lossless') {
      const rowMs = losslessEncodingMs(shape, frameDetail) / (losslessRuns * rows.height);
      const { parts } = yield* losslessWebp(pacedRows(rows, rowMs), { exact }, run);
      return imageChunks(joinBytes(parts));
    }
    const settings = { quality, hasAlpha, exact, maxLosslessBytes: 0 };
    const rowMs = lossyEncodingMs(shape, frameDetail) / (lossyRuns(settings) * rows.height);
    const { parts } = yield* lossyWebp(pacedRows(rows, rowMs), settings, run);
    return imageChunks(joinBytes(parts));
  }
}

/** Frames have no profile or metadata, which belong to the animation. */
const bare: Appearance = { icc: null, metadata: noMetadata };

/** Shares of unchanged pixels in a frame, below and above which only one method is tried. */
const hardlyKept = 0.1;
const mostlyKept = 0.9;
/** Share of unchanged pixels from which on only the changed blocks are coded lossily. */
const losslyKept = 0.25;

/** Frames with at most this many colors count as drawn, and are smaller lossless. */
const drawnColors = 16;
/**
 * The factor by which a lossless frame may be larger than a lossy one: small letters look poor in lossy frames, and
 * later frames benefit from exact pixels.
 */
const exactWorth = 1.12;
/** A lossless picture of at most this many bytes is not worth another attempt. */
const shortBytes = 128;
