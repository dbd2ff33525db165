import type { ColorTolerance } from '../../animation/differences.ts';
import type { Canvas, PlannedFrame } from '../../animation/timeline.ts';
import type { StreamPieces } from '../../container/drained-output.ts';
import { Pace, type Slices } from '../../slices.ts';
import type { Arena } from '../../wasm/arena.ts';
import { NoRoomForResult } from '../../wasm/codec.ts';
import {
  type AnimationCoding,
  type AnimationRun,
  type AnimationShape,
  type AnimationSink,
  type AnimationWriter,
  TooManyColors,
} from '../animation-format.ts';
import type { Encoded } from '../coding.ts';
import type { Appearance, Quality } from '../inspection.ts';
import {
  ChoiceRotation,
  type CodedFrame,
  exactFrame,
  frameArenaBytes,
  isLossless,
  lossyFrame,
  toleranceAt,
  unchangedShare,
} from './coded-frame.ts';
import { frameHead, gifHead, gifTrailer } from './coded-gif.ts';
import {
  type FrameTable,
  frequentColors,
  GlobalTable,
  localTable,
  maxColors,
  setKernelTable,
  tableOf,
  withAllIndices,
} from './color-tables.ts';
import { CodedDensity, gifWritingMs } from './cpu.ts';
import { gifFacts } from './facts.ts';
import { type FrameColors, frameColors } from './frame-colors.ts';
import { expectRoom, type GifKernel, runGifKernel } from './kernel.ts';
import { colorCells, meanLoss, reducedColors, squaredDistance } from './reduced-colors.ts';

export const gifAnimationWriter: AnimationWriter = {
  disposals: ['keep', 'background', 'previous'],
  holdsPartialAlpha: false,
  canClear: false,
  offsetStep: 1,
  isFirstWhole: false,
  isSurveyed: false,
  scores: gifFacts.output.quality.scores,
  isUneven: true,
  durations: { perSecond: 100, maxTicks: 65_535 },
  maxPlays: 65_536,
  arenaBytes: (frame) => frameArenaBytes(frame),
  inPlaceBytes: (frame) => frameArenaBytes(frame, true),
  cpuMs: (frames, { quality }) => gifWritingMs(frames, quality),
  toleranceFor,
  changesColors: ({ quality }) => !isLossless(quality),
  begin: (animation, coding, run) => new GifSink(animation, coding, run),
};

/** Pixels with less than half coverage are fully transparent. */
function isClear(word: number): boolean {
  return word >>> 24 < 128;
}

const isSame: ColorTolerance = (shown, wanted) =>
  shown === wanted || (shown >>> 24 === 0 && wanted >>> 24 === 0);

function toleranceFor({ quality }: Pick<AnimationCoding, 'quality'>): ColorTolerance {
  if (isLossless(quality)) return isSame;
  const most = (unchangedShare * toleranceAt(quality)) ** 2;
  return (shown, wanted) => {
    if (shown === wanted) return true;
    if (isClear(shown) || isClear(wanted)) return isClear(shown) && isClear(wanted);
    return squaredDistance(shown, wanted) <= most;
  };
}

class GifSink implements AnimationSink {
  readonly #animation: AnimationShape;
  readonly #quality: Quality;
  readonly #memory: Arena;
  readonly #isAcceptable: ColorTolerance;
  readonly #global = new GlobalTable();
  readonly #tried = new ChoiceRotation();
  readonly #pieces: StreamPieces;
  readonly #density: CodedDensity;
  #hasFrames = false;

  constructor(
    animation: AnimationShape,
    { quality }: AnimationCoding,
    { memory, pieces }: AnimationRun,
  ) {
    this.#animation = animation;
    this.#quality = quality;
    this.#memory = memory;
    this.#isAcceptable = toleranceFor({ quality });
    this.#pieces = pieces;
    this.#density = new CodedDensity(quality);
  }

  cpuMs(pixels: number): number {
    const bytes = this.#density.of(pixels);
    return gifWritingMs({ count: 1, pixels, bytes }, this.#quality);
  }

  *add(frame: PlannedFrame): Slices<void> {
    const hadNoPartialAlpha = yield* withoutPartialAlpha(frame);
    if (!hadNoPartialAlpha && isLossless(this.#quality)) throw new TooManyColors();
    const { table, data } = yield* this.#coded(frame);
    this.#global.take(table);
    const { region, duration, disposal } = frame;
    const head = frameHead({ region, delay: duration.ticks, disposal }, table);
    if (head.length + data.length > this.#pieces.room) throw new NoRoomForResult('gif kernel');
    this.#pieces.append(head);
    this.#pieces.append(data);
    this.#density.add(region.width * region.height, data.length);
    this.#hasFrames = true;
  }

  *#coded(frame: PlannedFrame): Slices<CodedFrame> {
    const quality = this.#quality;
    const { width, height } = frame.region;
    const { exact: exactColors, lossy: lossyColors } = yield* frameColors(
      frame,
      this.#isAcceptable,
      this.#leavesClear(frame),
    );
    const exactTables = this.#exactTables(frame, exactColors);
    const lossyTable = isLossless(quality) ? null : yield* this.#lossyTable(frame, lossyColors);
    const inPlace = [frame.picture, frame.base].every((canvas) => liesIn(this.#memory, canvas));
    const tried = this.#tried;
    const work = function* (kernel: GifKernel): Slices<CodedFrame> {
      yield* setPlanes(kernel, frame, inPlace);
      const lossy =
        isLossless(quality) || !lossyTable
          ? null
          : yield* lossyFrame(kernel, frame.region, lossyTable, quality);
      const exact =
        exactTables && (yield* exactFrame(kernel, width * height, exactTables, tried, lossy));
      if (exact) return exact;
      if (!lossy) throw new TooManyColors();
      setKernelTable(kernel, lossy.table);
      kernel.applyIndices();
      if (!inPlace) yield* copyPlaneBack(kernel, kernel.targetsAt(), frame);
      return lossy;
    };
    return yield* runGifKernel(null, work, this.#memory);
  }

  /** See `FrameColors`. */
  #leavesClear({ region, disposal }: PlannedFrame): boolean {
    const { width, height } = this.#animation;
    if (this.#hasFrames) return disposal === 'background';
    return disposal !== 'keep' || region.width < width || region.height < height;
  }

  /** Tables with which a frame can be encoded without loss; null if it has too many colors. */
  #exactTables(frame: PlannedFrame, colors: FrameColors): [FrameTable, ...FrameTable[]] | null {
    const global = this.#global.extended(colors);
    const { width, height } = frame.region;
    if (global && width * height < minLocalPixels) return [global];
    const local = [localTable(colors, false), localTable(colors, true)].filter(
      (one) => one !== null,
    );
    const [first, ...others] = global ? [global, ...local] : local;
    return first ? [first, ...others] : null;
  }

  /** The table for a frame that is encoded with loss. */
  *#lossyTable(frame: PlannedFrame, colors: FrameColors): Slices<FrameTable> {
    const global = this.#global.extended(colors);
    if (global) return withAllIndices(global);
    const isFirst = this.#global.colors.length === 0;
    if (colors.needed.isComplete && colors.needed.size < maxColors) {
      return tableOf(frequentColors(colors), !isFirst);
    }
    const cells = yield* colorCells(frame, this.#isAcceptable);
    const enough = (toleranceAt(Number(this.#quality)) / 2) ** 2;
    if (!isFirst && (yield* meanLoss(cells, this.#global.colors)) <= enough) {
      return tableOf(this.#global.colors, false);
    }
    return tableOf(yield* reducedColors(cells, maxColors - 1), !isFirst);
  }

  *finish(appearance: Appearance): Slices<Pick<Encoded, 'parts' | 'quality'>> {
    const { width, height, plays } = this.#animation;
    const { colors, length } = this.#global;
    const head = gifHead({ width, height, colors, tableLength: length, plays }, appearance);
    // With loss, pixels outside the frames may also deviate slightly.
    const quality = isLossless(this.#quality) ? 'lossless' : this.#quality;
    const parts = [...head, ...this.#pieces.parts, gifTrailer];
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    if (bytes > this.#pieces.maxBytes) throw new NoRoomForResult('gif kernel');
    return { parts, quality };
  }
}

/** A frame of fewer pixels does not benefit from a local table. */
const minLocalPixels = 200;

/** CPU time of looking at pixels or copying them, in milliseconds per megapixel. */
const copyingMs = 5;

/** Makes all pixels of the region opaque or 0, in place; returns false if one was partly transparent. */
function* withoutPartialAlpha({ region, picture, base }: PlannedFrame): Slices<boolean> {
  let hasNoPartialAlpha = true;
  const pace = Pace.ofRows(region.width, copyingMs);
  for (let y = region.top; y < region.top + region.height; y += 1) {
    const start = y * picture.width + region.left;
    for (let i = start; i < start + region.width; i += 1) {
      const word = picture.pixels[i] ?? 0;
      const alpha = word >>> 24;
      if (alpha === 255) continue;
      if (alpha > 0) hasNoPartialAlpha = false;
      // An opaque pixel below cannot be made transparent.
      const below = base.pixels[i] ?? 0;
      picture.pixels[i] =
        alpha < 128 ? (below >>> 24 === 255 ? below : 0) : (word | 0xff000000) >>> 0;
    }
    yield* pace.after();
  }
  return hasNoPartialAlpha;
}

function liesIn({ memory }: Arena, { pixels }: Canvas): boolean {
  return pixels.buffer === memory.buffer;
}

/**
 * Passes a frame's pixels to the kernel.
 * @param inPlace whether they are in the kernel's memory already
 * @throws CodecError if memory runs out
 */
function* setPlanes(kernel: GifKernel, frame: PlannedFrame, inPlace: boolean): Slices<void> {
  const { region, picture, base } = frame;
  const { width, height } = region;
  expectRoom(kernel.allocateEncoder(width * height, inPlace));
  if (inPlace) {
    const first = 4 * (region.top * picture.width + region.left);
    const [target, below] = [picture, base].map(({ pixels }) => pixels.byteOffset + first);
    kernel.placePlanes(target ?? 0, below ?? 0, width, picture.width);
    return;
  }
  yield* setPlane(kernel, kernel.targetsAt(), picture, frame);
  yield* setPlane(kernel, kernel.basesAt(), base, frame);
}

/** Copies the region of a canvas into the kernel's memory. */
function* setPlane(
  kernel: GifKernel,
  at: number,
  canvas: Canvas,
  { region }: PlannedFrame,
): Slices<void> {
  const { left, top, width, height } = region;
  const plane = new Uint32Array(kernel.bytes.buffer, at, width * height);
  const pace = Pace.ofRows(width, copyingMs);
  for (let y = 0; y < height; y += 1) {
    const start = (top + y) * canvas.width + left;
    plane.set(canvas.pixels.subarray(start, start + width), y * width);
    yield* pace.after();
  }
}

/** Copies a plane from the kernel's memory into the region of the frame's picture. */
function* copyPlaneBack(
  kernel: GifKernel,
  at: number,
  { region, picture }: PlannedFrame,
): Slices<void> {
  const { left, top, width, height } = region;
  const pace = Pace.ofRows(width, copyingMs);
  for (let y = 0; y < height; y += 1) {
    const row = new Uint32Array(kernel.bytes.buffer, at + 4 * y * width, width);
    picture.pixels.set(row, (top + y) * picture.width + left);
    yield* pace.after();
  }
}
