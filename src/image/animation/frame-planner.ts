import { buffers, type Workspace } from '../container/workspace.ts';
import type { Region, Size } from '../pixels/raster.ts';
import { clearRegion, emptyCanvas, endCanvas, wholeOf } from './composition.ts';
import { aligned, changedRegion, Extent, type Passes, union } from './differences.ts';
import { mergedDuration } from './durations.ts';
import type { Canvas, Disposal, Duration, DurationLimits, PlannedFrame } from './timeline.ts';

/** What frames of a format can do. */
export interface FrameRules {
  /** What can become of a frame when its time is over. */
  readonly disposals: readonly Disposal[];
  /** A frame can make pixels transparent that were not; if not, only what becomes of the frame before can. */
  readonly canClear: boolean;
  /** Frames begin at multiples of so many pixels. */
  readonly offsetStep: 1 | 2;
  /** The first frame covers all of the canvas. */
  readonly isFirstWhole: boolean;
  readonly durations: DurationLimits;
}

/** A picture that is shown until it is known what comes after it. */
interface Pending {
  readonly region: Region;
  duration: Duration;
}

/**
 * Turns the pictures of an animation into frames: of each, the smallest part that changes, with what becomes of it chosen
 * by the picture after it. Pictures that are the same become one. It holds two canvases, or three where what is shown is not
 * always what is wanted: what has been shown then stays until something else is wanted.
 */
export class FramePlanner {
  readonly #rules: FrameRules;
  readonly #passes: Passes;
  readonly #emit: (frame: PlannedFrame) => void;
  readonly #memory: Workspace;
  /** What is seen below the pending frame. */
  #base: Canvas;
  /** What is seen while it is shown. */
  #picture: Canvas;
  /** What should be seen then; null where it is what is seen. */
  readonly #wanted: Canvas | null;
  #pending: Pending | undefined;

  /**
   * @param passes whether a colour may stay where another one shall be seen
   * @param emit takes the frames in their order; it may change pixels of a frame's picture, within its region
   * @param isLossy it does
   * @throws NoMemory where there is no memory for canvases
   */
  constructor(
    size: Size,
    rules: FrameRules,
    passes: Passes,
    emit: (frame: PlannedFrame) => void,
    isLossy = false,
    memory: Workspace = buffers,
  ) {
    this.#rules = rules;
    this.#passes = passes;
    this.#emit = emit;
    this.#memory = memory;
    this.#base = emptyCanvas(size, memory);
    this.#picture = emptyCanvas(size, memory);
    this.#wanted = isLossy ? emptyCanvas(size, memory) : null;
  }

  /** Takes the next picture, which is copied. What `emit` throws is thrown here, too. */
  show(picture: Canvas, duration: Duration): void {
    const pending = this.#pending;
    let disposal: Disposal = 'keep';
    if (pending) {
      const sum = mergedDuration(pending.duration, duration, this.#rules.durations);
      const before = this.#wanted ?? this.#picture;
      if (sum && changedRegion(before, picture, this.#passes) === null) {
        pending.duration = sum;
        return;
      }
      disposal = this.#settle(pending, picture);
    }
    this.#picture.pixels.set(picture.pixels);
    if (this.#wanted) {
      if (pending && disposal === 'keep') this.#leaveShown(this.#wanted.pixels);
      this.#wanted.pixels.set(picture.pixels);
    }
    const region = this.#regionOf(this.#picture, pending === undefined);
    this.#pending = { region, duration };
  }

  /** Where the picture is what was wanted before, what was shown then is good enough. */
  #leaveShown(before: Uint32Array): void {
    const { pixels } = this.#picture;
    const shown = this.#base.pixels;
    for (let i = 0; i < pixels.length; i += 1) {
      if (pixels[i] === before[i]) pixels[i] = shown[i] ?? 0;
    }
  }

  /** The last picture has been shown. */
  finish(): void {
    const pending = this.#pending;
    if (pending) this.#emitFrame(pending, pending.region, 'keep');
    this.#pending = undefined;
  }

  /** Gives the memory back now. */
  end(): void {
    for (const canvas of [this.#base, this.#picture, this.#wanted]) {
      if (canvas) endCanvas(canvas, this.#memory);
    }
  }

  #regionOf(picture: Canvas, isFirst: boolean): Region {
    const { isFirstWhole, offsetStep } = this.#rules;
    if (isFirst && isFirstWhole) return wholeOf(picture);
    const changed = changedRegion(this.#base, picture, this.#passes);
    return aligned(changed ?? { left: 0, top: 0, width: 1, height: 1 }, offsetStep);
  }

  /** Writes the pending frame such that the next picture can follow it; what is then left of it is the new base. */
  #settle(pending: Pending, next: Canvas): Disposal {
    const { disposal, region } = this.#chosen(pending, next);
    this.#emitFrame(pending, region, disposal);
    if (disposal === 'previous') return disposal;
    if (disposal === 'background') clearRegion(this.#picture, region);
    [this.#base, this.#picture] = [this.#picture, this.#base];
    return disposal;
  }

  #emitFrame({ duration }: Pending, region: Region, disposal: Disposal): void {
    const [picture, base] = [this.#picture, this.#base];
    this.#emit({ region, picture, base, duration, disposal });
  }

  /** What becomes of the pending frame, and how large it has to be for that. */
  #chosen({ region }: Pending, next: Canvas): { disposal: Disposal; region: Region } {
    const { disposals, canClear, offsetStep } = this.#rules;
    const { keep, background, previous, cleared } = this.#changes(region, next);
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

  /** What would have to be drawn for the next picture after each disposal of the pending frame. */
  #changes(region: Region, next: Canvas) {
    const { width, height } = next;
    const [shown, below, wanted] = [this.#picture.pixels, this.#base.pixels, next.pixels];
    const passes = this.#passes;
    const before = this.#wanted?.pixels ?? shown;
    const [keep, background, previous] = [new Change(), new Change(), new Change()];
    const cleared = new Extent();
    const bottom = region.top + region.height;
    const right = region.left + region.width;
    for (let y = 0; y < height; y += 1) {
      const isWithinRows = y >= region.top && y < bottom;
      for (let x = 0, i = y * width; x < width; x += 1, i += 1) {
        const [was, shall] = [below[i] ?? 0, wanted[i] ?? 0];
        const is = before[i] === shall ? shall : (shown[i] ?? 0);
        if (is === shall && was === shall) {
          // most pixels, which only a disposal to background changes
          const isLost = isWithinRows && x >= region.left && x < right && shall >>> 24 !== 0;
          if (isLost) background.add(x, y);
          continue;
        }
        const isWithin = isWithinRows && x >= region.left && x < right;
        const isTransparent = shall >>> 24 === 0;
        if (is !== shall && !passes(is, shall)) {
          keep.add(x, y);
          if (!isWithin) background.add(x, y);
          if (isTransparent && is >>> 24 !== 0) cleared.add(y, x, x);
        }
        if (isWithin && !isTransparent) background.add(x, y);
        if (was !== shall && !passes(was, shall)) {
          previous.add(x, y);
          if (isTransparent && was >>> 24 !== 0) previous.leavesOpaque = true;
        }
      }
    }
    return { keep, background, previous, cleared: cleared.region };
  }
}

/** What a pixel costs that lies within a frame and does not change, against one that does. */
const areaWeight = 0.25;

/** Pixels that have to be drawn. */
class Change {
  /** Opaque pixels would be left where none shall be. */
  leavesOpaque = false;
  #count = 0;
  readonly #extent = new Extent();

  add(x: number, y: number): void {
    this.#count += 1;
    this.#extent.add(y, x, x);
  }

  get cost(): number {
    const region = this.#extent.region;
    return region ? this.#count + areaWeight * region.width * region.height : 0;
  }
}
