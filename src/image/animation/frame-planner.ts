import { buffers, type Workspace } from '../container/workspace.ts';
import type { Region, Size } from '../pixels/raster.ts';
import { Pace, type Slices } from '../slices.ts';
import { clearRegion, emptyCanvases, endCanvas } from './composition.ts';
import {
  BoundingBox,
  type ColorTolerance,
  changedRegion,
  isChanged,
  signedPixels,
} from './differences.ts';
import { mergedDuration } from './durations.ts';
import { aligned, union, wholeOf } from './regions.ts';
import type { Canvas, Disposal, Duration, DurationLimits, PlannedFrame } from './timeline.ts';

/** The constraints of a format on its frames. */
export interface FrameRules {
  /** The disposals that the format supports. */
  readonly disposals: readonly Disposal[];
  /** Whether frames can make opaque pixels transparent; if not, only the disposal of the preceding frame can. */
  readonly canClear: boolean;
  /** Frame offsets are multiples of this number of pixels. */
  readonly offsetStep: 1 | 2;
  /** Whether the first frame has to cover the whole canvas. */
  readonly isFirstWhole: boolean;
  readonly durations: DurationLimits;
}

/** A frame that is not yet written, because its disposal depends on the next picture. */
interface PendingFrame {
  readonly region: Region;
  duration: Duration;
}

/**
 * Turns the pictures of an animation into frames. Each frame is the bounding box of the pixels that change. Its
 * disposal is chosen to suit the next picture, and consecutive equal pictures become one frame.
 *
 * It holds two canvases. Where the writer is lossy, a third one holds the wanted picture, which differs from the
 * displayed one: pixels are then drawn again only where the next wanted picture differs from the last wanted one.
 */
export class FramePlanner {
  readonly #rules: FrameRules;
  readonly #isAcceptable: ColorTolerance;
  readonly #emit: (frame: PlannedFrame) => Slices<void>;
  readonly #memory: Workspace;
  /** The canvas before the pending frame. */
  #base: Canvas;
  /** The canvas with the pending frame. */
  #picture: Canvas;
  /** The wanted picture of the pending frame; null if the writer is lossless and `#picture` is the wanted one. */
  readonly #wanted: Canvas | null;
  #pending: PendingFrame | undefined;
  /** The region in which pictures merged into the pending frame may differ from it; null for none. */
  #skipped: Region | null = null;

  /**
   * @param isAcceptable decides whether a pixel can be left unchanged
   * @param emit receives the frames in order
   * @param isLossy whether `emit` replaces the pixels of a frame's region with those that are really displayed
   * @throws NoMemory if memory does not suffice for the canvases
   */
  constructor(
    size: Size,
    rules: FrameRules,
    isAcceptable: ColorTolerance,
    emit: (frame: PlannedFrame) => Slices<void>,
    isLossy = false,
    memory: Workspace = buffers,
  ) {
    this.#rules = rules;
    this.#isAcceptable = isAcceptable;
    this.#emit = emit;
    this.#memory = memory;
    const [base, picture, wanted] = emptyCanvases(size, isLossy ? 3 : 2, memory);
    if (!base || !picture) throw new TypeError('there are two canvases at least');
    this.#base = base;
    this.#picture = picture;
    this.#wanted = wanted ?? null;
  }

  /**
   * Takes the next picture, which is copied.
   * @param changed the region outside of which it equals the preceding picture
   * @throws any error that `emit` throws
   */
  *show(picture: Canvas, duration: Duration, changed: Region = wholeOf(picture)): Slices<void> {
    yield* this.#plan(picture, duration, changed);
    const pixels = changed.width * changed.height;
    yield* new Pace(pictureMs + (comparingMs * pixels) / 1e6).after();
  }

  *#plan(picture: Canvas, duration: Duration, changed: Region): Slices<void> {
    const pending = this.#pending;
    if (!pending) {
      const region = this.#drawn(picture, wholeOf(picture), null);
      this.#pending = { duration, region: this.#rules.isFirstWhole ? wholeOf(picture) : region };
      return;
    }
    const area = union(changed, this.#skipped);
    const sum = mergedDuration(pending.duration, duration, this.#rules.durations);
    const before = this.#wanted ?? this.#picture;
    if (sum && !isChanged(before, picture, this.#isAcceptable, area)) {
      pending.duration = sum;
      this.#skipped = area;
      return;
    }
    this.#skipped = null;
    const { disposal, region } = yield* this.#settle(pending, picture, union(area, pending.region));
    const kept = disposal === 'keep' ? this.#wanted : null;
    this.#pending = { duration, region: this.#drawn(picture, union(area, region), kept) };
  }

  /**
   * Makes a picture the next displayed one where it has to be drawn; elsewhere, the base is kept.
   * @param within the region in which it may have to be drawn
   * @param wantedBefore the wanted picture that the base displays: pixels equal to it are not drawn again; null for
   *   none
   * @returns the region that has to be drawn
   */
  #drawn(picture: Canvas, within: Region, wantedBefore: Canvas | null): Region {
    const [base, shown, wanted] = [this.#base, this.#picture, this.#wanted];
    const isAcceptable = this.#isAcceptable;
    if (!wanted) {
      shown.pixels.set(picture.pixels);
      return this.#aligned(changedRegion(base, picture, isAcceptable, within));
    }
    // acceptability is judged by the displayed pixels, so that errors do not accumulate
    shown.pixels.set(base.pixels);
    this.#takeWanted(picture, within, wantedBefore);
    wanted.pixels.set(picture.pixels);
    const region = this.#aligned(changedRegion(base, shown, isAcceptable, within));
    restore(shown, base, within, region);
    return region;
  }

  /** Copies the pixels whose wanted color is new into the displayed picture. */
  #takeWanted(picture: Canvas, within: Region, wantedBefore: Canvas | null): void {
    const [pixels, shown] = [signedPixels(picture), signedPixels(this.#picture)];
    const before = wantedBefore && signedPixels(wantedBefore);
    for (let y = within.top; y < within.top + within.height; y += 1) {
      const start = y * picture.width + within.left;
      for (let i = start; i < start + within.width; i += 1) {
        if (!before || pixels[i] !== before[i]) shown[i] = pixels[i] ?? 0;
      }
    }
  }

  #aligned(changed: Region | null): Region {
    return aligned(changed ?? { left: 0, top: 0, width: 1, height: 1 }, this.#rules.offsetStep);
  }

  /** Writes the last frame. */
  *finish(): Slices<void> {
    const pending = this.#pending;
    if (pending) yield* this.#emitFrame(pending, pending.region, 'keep');
    this.#pending = undefined;
  }

  /** Frees all memory at once. */
  end(): void {
    for (const canvas of [this.#base, this.#picture, this.#wanted]) {
      if (canvas) endCanvas(canvas, this.#memory);
    }
  }

  /**
   * Writes the pending frame with the disposal that suits the next picture, and makes the canvas after it the new base.
   * @param within the region in which the next picture may differ from the displayed picture or from the base
   */
  *#settle(
    pending: PendingFrame,
    next: Canvas,
    within: Region,
  ): Slices<{ readonly disposal: Disposal; readonly region: Region }> {
    const { disposal, region } = this.#chosen(pending, next, within);
    yield* this.#emitFrame(pending, region, disposal);
    if (disposal === 'background') clearRegion(this.#picture, region);
    if (disposal !== 'previous') [this.#base, this.#picture] = [this.#picture, this.#base];
    return { disposal, region };
  }

  *#emitFrame({ duration }: PendingFrame, region: Region, disposal: Disposal): Slices<void> {
    const [picture, base] = [this.#picture, this.#base];
    yield* this.#emit({ region, picture, base, duration, disposal });
  }

  /** The disposal of the pending frame, and the region that the frame needs for it. */
  #chosen(
    { region }: PendingFrame,
    next: Canvas,
    within: Region,
  ): { disposal: Disposal; region: Region } {
    const { disposals, canClear, offsetStep } = this.#rules;
    const { keep, background, previous, cleared } = this.#changes(region, next, within);
    const isKept = canClear || cleared === null;
    let best = { disposal: 'keep' as Disposal, region, cost: isKept ? keep.cost : Infinity };
    if (disposals.includes('previous') && (canClear || !previous.leavesOpaque)) {
      if (previous.cost < best.cost) best = { disposal: 'previous', region, cost: previous.cost };
    }
    if (disposals.includes('background')) {
      const wanted = canClear ? region : aligned(union(region, cleared), offsetStep);
      const extra = wanted.width * wanted.height - region.width * region.height;
      const cost = background.cost + areaWeight * extra;
      if (cost < best.cost) best = { disposal: 'background', region: wanted, cost };
    }
    return best;
  }

  /** The pixels to draw for the next picture after each disposal. */
  #changes(region: Region, next: Canvas, within: Region) {
    const { width } = next;
    const [shown, base] = [signedPixels(this.#picture), signedPixels(this.#base)];
    const [before, wanted] = [
      this.#wanted ? signedPixels(this.#wanted) : shown,
      signedPixels(next),
    ];
    const isAcceptable = this.#isAcceptable;
    const [keep, background, previous] = [new Change(), new Change(), new Change()];
    const cleared = new BoundingBox();
    for (let y = within.top; y < within.top + within.height; y += 1) {
      const start = y * width;
      const isWithinRows = y >= region.top && y < region.top + region.height;
      const [left, right] = isWithinRows ? [region.left, region.left + region.width] : [0, 0];
      // disposal to background clears the whole region
      for (let x = left; x < right; x += 1) {
        if (isVisible(wanted[start + x] ?? 0)) background.add(x, y);
      }
      for (let x = within.left; x < within.left + within.width; x += 1) {
        const target = wanted[start + x] ?? 0;
        const below = base[start + x] ?? 0;
        const isAsBefore = before[start + x] === target;
        // shortcut for most pixels
        if (isAsBefore && below === target) continue;
        const above = isAsBefore ? target : (shown[start + x] ?? 0);
        if (above !== target && !isAcceptable(above >>> 0, target >>> 0)) {
          keep.add(x, y);
          if (x < left || x >= right) background.add(x, y);
          if (!isVisible(target) && isVisible(above)) cleared.add(y, x, x);
        }
        if (below !== target && !isAcceptable(below >>> 0, target >>> 0)) {
          previous.add(x, y);
          if (!isVisible(target) && isVisible(below)) previous.leavesOpaque = true;
        }
      }
    }
    return { keep, background, previous, cleared: cleared.region };
  }
}

/** CPU time in milliseconds of planning a frame, whatever its size, and of comparing a megapixel with those before. */
const pictureMs = 0.5;
const comparingMs = 15;

/** Copies the pixels within one region and outside of another. */
function restore(to: Canvas, from: Canvas, within: Region, outside: Region): void {
  const right = outside.left + outside.width;
  for (let y = within.top; y < within.top + within.height; y += 1) {
    const row = y * to.width;
    const isBeside = y >= outside.top && y < outside.top + outside.height;
    const copy = (start: number, end: number) => {
      if (end > start) to.pixels.set(from.pixels.subarray(row + start, row + end), row + start);
    };
    copy(within.left, isBeside ? outside.left : within.left + within.width);
    if (isBeside) copy(right, within.left + within.width);
  }
}

/** Whether a pixel is not fully transparent. */
function isVisible(pixel: number): boolean {
  return (pixel & 0xff000000) !== 0;
}

/** The cost of an unchanged pixel inside a frame, relative to that of a changed one. */
const areaWeight = 0.25;

/** Pixels that have to be drawn after a disposal. */
class Change {
  /** Whether visible pixels remain where the next picture is transparent. */
  leavesOpaque = false;
  #count = 0;
  readonly #box = new BoundingBox();

  add(x: number, y: number): void {
    this.#count += 1;
    this.#box.add(y, x, x);
  }

  get cost(): number {
    const { region } = this.#box;
    return region ? this.#count + areaWeight * region.width * region.height : 0;
  }
}
