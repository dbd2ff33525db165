import { changedBlocksWithin, changesWithin, traitsWithin } from '../../animation/changes.ts';
import { rowsOfRegion } from '../../animation/composition.ts';
import type { AnimationFrame, PlannedFrame } from '../../animation/timeline.ts';
import { joinBytes } from '../../container/assemble.ts';
import type { StreamPieces } from '../../container/drained-output.ts';
import { noMetadata } from '../../metadata/metadata.ts';
import type { Region, Size } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import type { Arena } from '../../wasm/arena.ts';
import { NoRoomForResult } from '../../wasm/codec.ts';
import type {
  AnimationCoding,
  AnimationRun,
  AnimationShape,
  AnimationSink,
  AnimationWriter,
} from '../animation-format.ts';
import type { Encoded } from '../coding.ts';
import type { Appearance } from '../inspection.ts';
import { animatedWebpParts, frameHeader, lengthOf } from './coded-webp.ts';
import { losslessWebp, lossyWebp } from './encode-rows.ts';
import { losslessEncodingMs, lossyEncodingMs } from './encoders.ts';
import { webpFacts } from './facts.ts';
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
    const detail = { density: 0.1, isDrawn: true };
    const lossless = losslessEncodingMs(shape, detail);
    const lossy = quality === 'lossless' ? 0 : 1.3 * lossyEncodingMs(shape, detail);
    return lossless + lossy + count;
  },
  toleranceFor: () => () => false,
  changesColors: () => false,
  begin: (shape, coding, run) => new WebpAnimation(shape, coding, run),
};

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

  add(frame: PlannedFrame): void {
    const { region, duration, disposal } = frame;
    const coded = this.#smallest(frame);
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

  finish(appearance: Appearance): Pick<Encoded, 'parts' | 'quality'> {
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
  #smallest({ region, picture, base }: PlannedFrame): CodedFrame {
    const { quality, exact } = this.#coding;
    const traits = traitsWithin(picture, base, region);
    const { colors, kept, hasAlpha, isCoverable, hasPartialAlpha } = traits;
    const replacing = { blend: 'replace', hasAlpha, rows: rowsOfRegion(picture, region) } as const;
    const covering = {
      blend: 'over',
      hasAlpha: true,
      rows: changesWithin(picture, base, region),
    } as const;
    let best: CodedFrame | undefined;
    const offer = (
      way: { blend: CodedFrame['blend']; hasAlpha: boolean; rows: RowSource },
      coding: AnimationCoding,
    ) => {
      const bytes = this.#coded(way.rows, way.hasAlpha, coding);
      const isExact = coding.quality === 'lossless';
      const least = best?.isExact && !isExact ? exactWorth : 1;
      if (best && least * bytes.length >= best.bytes.length) return free(bytes);
      if (best) free(best.bytes);
      best = { blend: way.blend, hasAlpha: way.hasAlpha, isExact, bytes };
    };
    const lossless = { ...this.#coding, quality: 'lossless' } as const;
    const isLosslessTried = quality === 'lossless' || colors !== null;
    if (isLosslessTried) {
      if (!isCoverable || kept < mostlyKept) offer(replacing, { ...lossless, exact });
      if (isCoverable && kept >= hardlyKept) offer(covering, { ...lossless, exact: false });
    }
    const isDrawn = colors !== null && colors <= drawnColors;
    if (quality !== 'lossless' && !(isDrawn || (best && best.bytes.length < shortBytes))) {
      if (!isCoverable || hasPartialAlpha || kept < mostlyKept) offer(replacing, this.#coding);
      // Partially transparent pixels must not be blended over themselves.
      if (isCoverable && !hasPartialAlpha && kept >= losslyKept) {
        offer({ ...covering, rows: changedBlocksWithin(picture, base, region) }, this.#coding);
      }
    }
    if (!best) throw new TypeError('a frame was coded in no way');
    return best;
  }

  #coded(rows: RowSource, hasAlpha: boolean, coding: AnimationCoding): Uint8Array {
    const { quality, exact } = coding;
    const run = {
      memory: this.#memory,
      appearance: bare,
      maxBytes: Number.POSITIVE_INFINITY,
      bufferBytes: 0,
    };
    const encoded: Encoded =
      quality === 'lossless'
        ? losslessWebp(rows, { exact }, run)
        : lossyWebp(rows, { quality, hasAlpha, exact, maxLosslessBytes: 0 }, run);
    return imageChunks(joinBytes(encoded.parts));
  }
}

/** Gives the memory of what was coded in vain back now. */
function free({ buffer }: Uint8Array): void {
  (buffer as ArrayBuffer).transfer(0);
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
