import { changesWithin, traitsWithin } from '../../animation/changes.ts';
import { rowsOfRegion } from '../../animation/composition.ts';
import { wholeOf } from '../../animation/regions.ts';
import type { AnimationFrame, Canvas, PlannedFrame } from '../../animation/timeline.ts';
import { joinBytes } from '../../container/assemble.ts';
import type { StreamPieces } from '../../container/drained-output.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import { Pace, type Slices } from '../../slices.ts';
import { NoRoomForResult } from '../../wasm/codec.ts';
import type {
  AnimationCoding,
  AnimationRun,
  AnimationShape,
  AnimationSink,
  AnimationWriter,
  Recoloring,
} from '../animation-format.ts';
import type { Encoded } from '../coding.ts';
import type { Appearance } from '../inspection.ts';
import {
  type ColorSurvey,
  indexed,
  newColorSurvey,
  orderedAsIn,
  type SharedLayout,
  sharedLayout,
  surveyFrame,
  withWholeBytes,
} from './animation-colors.ts';
import { type Effort, type TriedFilters, WrittenRows } from './candidates.ts';
import { pngChunk } from './chunks.ts';
import { animatedPngParts } from './coded-png.ts';
import { maxPngBytes } from './encode.ts';
import { expectRoom, runPngKernel } from './kernel.ts';
import { type SampleKinds, sampleKinds, smallPicture } from './layout.ts';
import { pngFrameBytes } from './memory.ts';
import { allocateRowBuffers, passMs } from './pixel-rows.ts';
import { RecoloredPictures, recoloringCost } from './recolored-pictures.ts';
import { codedPreamble } from './rewrap.ts';
import { FrameColors } from './shared-palette.ts';

/**
 * Writes APNG. Its frames share the sample layout, and the palette if there is one, so all of them are surveyed first
 * (PNG third edition §11.3.6).
 */
export const pngAnimationWriter: AnimationWriter = {
  disposals: ['keep', 'background', 'previous'],
  holdsPartialAlpha: true,
  canClear: true,
  offsetStep: 1,
  isFirstWhole: true,
  isSurveyed: true,
  scores: null,
  isUneven: false,
  durations: { perSecond: null, maxTicks: 0xffff },
  maxPlays: 0x7fff_ffff,
  arenaBytes: (frame) => pngFrameBytes(frame, maxPngBytes(frame, false) / 2),
  cpuMs: (frames) => writingCpu(frames, effortFor(frames)),
  toleranceFor: () => () => false,
  changesColors: () => false,
  recoloring: recoloringCost,
  begin: (shape, coding, run) => new PngAnimation(shape, coding, run),
};

/** Number of frames, and their total pixels. */
interface Frames {
  readonly count: number;
  readonly pixels: number;
}

/**
 * CPU time in milliseconds per megapixel, including both ways of encoding a frame and the attempts for the first frame;
 * measured with drawings with gradients, which take longest. More is tried for small frames.
 */
const writingMs: Readonly<Record<Effort, number>> = { full: 1300, least: 1000, greedy: 450 };
const smallFrameMs = 2800;

function writingCpu({ count, pixels }: Frames, effort: Effort): number {
  const isSmall = effort === 'full' && pixels <= count * smallPicture;
  return count + (isSmall ? smallFrameMs : writingMs[effort]) * 1e-6 * pixels;
}

/** Maximum total milliseconds for which frames are encoded with an effort. */
const maxMsForEffort = { full: 25_000, least: 40_000 } as const;

/** The effort for all frames together. */
function effortFor(frames: Frames): Effort {
  if (writingCpu(frames, 'full') <= maxMsForEffort.full) return 'full';
  return writingCpu(frames, 'least') <= maxMsForEffort.least ? 'least' : 'greedy';
}

class PngAnimation implements AnimationSink {
  readonly #shape: AnimationShape;
  readonly #coding: AnimationCoding;
  readonly #run: AnimationRun;
  readonly #chunks: StreamPieces;
  readonly #colors: ColorSurvey = newColorSurvey();
  readonly #kinds: SampleKinds;
  /** Null if no colors are to be chosen. */
  readonly #counted: FrameColors | null;
  #recolored: RecoloredPictures | null = null;
  /** The surveyed frames. */
  #frames: Frames = { count: 0, pixels: 0 };
  #layout: SharedLayout | undefined;
  #count = 0;
  /** Whether image data have been written, of the first frame or of a substitute. */
  #hasDefault = false;
  /** Sequence number of the next chunk that has one (§11.3.6.1). */
  #number = 0;

  constructor(shape: AnimationShape, coding: AnimationCoding, run: AnimationRun) {
    this.#shape = shape;
    this.#coding = coding;
    this.#run = run;
    this.#kinds = sampleKinds(coding.icc);
    this.#counted = recoloringCost(coding) ? new FrameColors(run.memory) : null;
    this.#chunks = run.pieces;
  }

  *survey(frame: Pick<PlannedFrame, 'region' | 'picture'>): Slices<void> {
    yield* surveyFrame(this.#colors, frame, this.#coding.exact);
    if (this.#counted) yield* this.#counted.add(frame);
    const { count, pixels } = this.#frames;
    const { width, height } = frame.region;
    this.#frames = { count: count + 1, pixels: pixels + width * height };
  }

  *endSurvey(): Slices<void> {
    const { quality } = this.#coding;
    if (quality === 'lossless' || !this.#counted) return;
    const size = this.#colors.colors?.size ?? null;
    this.#recolored = new RecoloredPictures(this.#counted, size, quality, this.#run.memory);
    yield* this.#recolored.begin();
  }

  get recoloring(): Recoloring | null {
    return this.#recolored?.colors ? this.#recolored : null;
  }

  /** The layout of all frames. @param first the picture that is written before all others */
  *#shared(first: Canvas): Slices<SharedLayout> {
    this.#layout ??= yield* this.#shortest(this.#unordered, first);
    return this.#layout;
  }

  get #unordered(): SharedLayout {
    const chosen = this.#recolored?.colors;
    return chosen
      ? indexed(new Uint32Array(chosen.buffer))
      : sharedLayout(this.#colors, this.#kinds);
  }

  /**
   * Chooses between colors ordered by luma or by adjacency, and between packed indices and whole bytes, which may suit
   * deflate better: the shortest variant for the first picture is the shortest for most others, too.
   */
  *#shortest(byLuma: SharedLayout, first: Canvas): Slices<SharedLayout> {
    if (this.#effort !== 'full' || !byLuma.palette) return byLuma;
    const rows = rowsOfRegion(first, wholeOf(first));
    let best = byLuma;
    let { room } = this.#chunks;
    const byBorders = yield* orderedAsIn(byLuma, first);
    for (const one of [byLuma, byBorders].flatMap(withWholeBytes)) {
      const stream = yield* this.#stream(rows, one, 'all', room, 'least');
      if (!stream) continue;
      best = one;
      room = stream.length - 1;
    }
    return best;
  }

  *addSubstitute(picture: Canvas): Slices<void> {
    const { recoloring } = this;
    const shown = recoloring ? yield* recoloring.shown(picture) : picture;
    const rows = rowsOfRegion(shown, wholeOf(shown));
    const shared = yield* this.#shared(shown);
    const stream = yield* this.#stream(rows, shared, 'all', this.#chunks.room);
    if (!stream) throw new NoRoomForResult('png animation');
    this.#append(pngChunk('IDAT', stream));
    this.#hasDefault = true;
  }

  cpuMs(pixels: number): number {
    return writingCpu({ count: 1, pixels }, this.#effort);
  }

  /** The same for all frames: it depends on their total. */
  get #effort(): Effort {
    return effortFor(this.#frames);
  }

  *add(frame: PlannedFrame): Slices<void> {
    const shared = yield* this.#shared(frame.picture);
    const { blend, stream } = yield* this.#smallest(frame, shared);
    this.#append(pngChunk('fcTL', this.#control(frame, blend)));
    const isDefault = !this.#hasDefault;
    const number = isDefault ? new Uint8Array() : this.#nextNumber();
    this.#append(pngChunk(isDefault ? 'IDAT' : 'fdAT', number, stream));
    this.#hasDefault = true;
    this.#count += 1;
  }

  *finish(appearance: Appearance): Slices<Pick<Encoded, 'parts' | 'quality'>> {
    const { width, height, plays } = this.#shape;
    const { layout, palette } = this.#layout ?? this.#unordered;
    const frame = { width, height, layout, palette, ownKey: null };
    const preamble = codedPreamble(appearance, this.#run.original);
    const file = animatedPngParts(
      frame,
      preamble,
      { frames: this.#count, plays },
      this.#chunks.parts,
    );
    const length = file.reduce((sum, part) => sum + part.length, 0);
    if (length > this.#chunks.maxBytes) throw new NoRoomForResult('png animation');
    return { parts: file, quality: this.recoloring ? this.#coding.quality : 'lossless' };
  }

  free(): void {
    this.#counted?.free();
    this.#recolored?.free();
  }

  #append(bytes: Uint8Array): void {
    if (bytes.length > this.#chunks.room) throw new NoRoomForResult('png animation');
    this.#chunks.append(bytes);
  }

  #nextNumber(): Uint8Array {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, this.#number);
    this.#number += 1;
    return bytes;
  }

  /** §11.3.6.2 */
  #control({ region, duration, disposal }: PlannedFrame, blend: AnimationFrame['blend']) {
    const bytes = new Uint8Array(22);
    const view = new DataView(bytes.buffer);
    const { left, top, width, height } = region;
    for (const [i, value] of [width, height, left, top].entries()) view.setUint32(4 * i, value);
    view.setUint16(16, duration.ticks);
    view.setUint16(18, duration.perSecond);
    bytes.set([['keep', 'background', 'previous'].indexOf(disposal), blend === 'over' ? 1 : 0], 20);
    return joinBytes(this.#nextNumber(), bytes);
  }

  /** Returns the smallest of the possible encodings of a frame. */
  *#smallest({ region, picture, base }: PlannedFrame, shared: SharedLayout): Slices<FrameStream> {
    const { kept, isCoverable } = traitsWithin(picture, base, region);
    const mayCover = isCoverable && shared.hasTransparent && this.#count > 0;
    let best: FrameStream | null = null;
    if (!mayCover || kept < mostlyKept) {
      best = yield* this.#shorter(best, 'replace', rowsOfRegion(picture, region), shared);
    }
    if (mayCover && kept >= hardlyKept) {
      best = yield* this.#shorter(best, 'over', changesWithin(picture, base, region), shared);
    }
    if (!best) throw new NoRoomForResult('png animation');
    return best;
  }

  /** Returns the smallest encoding of these rows if it is shorter than `best`, otherwise that. */
  *#shorter(
    best: FrameStream | null,
    blend: AnimationFrame['blend'],
    rows: RowSource,
    shared: SharedLayout,
  ): Slices<FrameStream | null> {
    let shortest = best;
    const isSmall = this.#effort === 'full' && rows.width * rows.height <= smallPicture;
    for (const filters of isSmall ? (['all', 'none'] as const) : (['all'] as const)) {
      const room = shortest ? shortest.stream.length - 1 : this.#chunks.room;
      const stream = yield* this.#stream(rows, shared, filters, room);
      if (stream) shortest = { blend, stream };
    }
    return shortest;
  }

  /** Returns the zlib stream of a frame; null if it exceeds `maxBytes`. */
  *#stream(
    rows: RowSource,
    shared: SharedLayout,
    filters: TriedFilters,
    maxBytes: number,
    effort: Effort = this.#effort,
  ): Slices<Uint8Array | null> {
    const { layout, palette } = shared;
    const { width, height } = rows;
    const { exact } = this.#coding;
    return yield* runPngKernel(
      null,
      function* (kernel) {
        const { rgba, packed } = allocateRowBuffers(kernel, width, false);
        expectRoom(kernel.beginColors());
        if (palette) {
          const at = kernel.allocate(palette.length + 16);
          expectRoom(at);
          kernel.bytes.set(palette, at);
          // Maps each color to its own position in the palette.
          kernel.surveyRow(at, palette.length / 4, true);
          kernel.bytes.set(identityIndices, kernel.colorIndicesAt());
        }
        kernel.drainOutput(false);
        const written = new WrittenRows(kernel, rows, { layout, maxBytes, filters, effort });
        const pace = Pace.ofRows(width, passMs.packing);
        yield* rows.start();
        for (let y = 0; y < height && !written.isTooLong; y += 1) {
          kernel.bytes.set(yield* rows.next(), rgba);
          if (!exact) kernel.clearHidden(rgba, width);
          kernel.packRow(rgba, width, packed);
          yield* written.write(packed);
          yield* pace.after();
        }
        yield* rows.end();
        const length = yield* written.end();
        const at = kernel.outputAt();
        return length > 0 ? kernel.bytes.slice(at, at + length) : null;
      },
      { memory: this.#run.memory },
    );
  }
}

/** A frame that was encoded. */
interface FrameStream {
  readonly blend: AnimationFrame['blend'];
  readonly stream: Uint8Array;
}

const identityIndices = Uint8Array.from({ length: 256 }, (_, i) => i);

/** Shares of unchanged pixels in a frame below or above which only one way is tried. */
const hardlyKept = 0.1;
const mostlyKept = 0.95;
