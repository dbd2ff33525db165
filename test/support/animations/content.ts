import type { Region, Size } from '../../../src/image/pixels/raster.ts';
import type { Random } from '../random.ts';
import type { FrameDisposal } from './composition.ts';
import type { AnimationType, Timeline } from './timeline.ts';

/** The result of a generator. */
export interface GeneratedAnimation {
  /** Describes the content, for messages of tests. */
  readonly name: string;
  readonly type: AnimationType;
  readonly file: Buffer;
  /** The intended timeline. */
  readonly timeline: Timeline;
}

/** The kind of alpha in the pixels of a frame. */
export type AlphaKind = 'opaque' | 'binary' | 'partial';
/** Flat shapes in few colors, or gradients with noise. */
type ContentKind = 'drawn' | 'photo';

/** A frame before its format is chosen. */
export interface FramePlan {
  readonly region: Region;
  /** Pixels of the region, straight RGBA. */
  readonly pixels: Buffer;
  readonly disposal: FrameDisposal;
  readonly blend: 'over' | 'replace';
}

export interface ContentOptions {
  readonly kind: ContentKind;
  readonly alpha: AlphaKind;
  readonly frames: number;
  readonly disposals: readonly FrameDisposal[];
  readonly blends: readonly FramePlan['blend'][];
  /** Frame offsets are multiples of this many pixels. */
  readonly offsetStep: 1 | 2;
  /** Whether the first frame covers the canvas. */
  readonly fullFirst: boolean;
}

/** A random integer from 0 to `limit` − 1. */
export function below(random: Random, limit: number): number {
  return Math.floor(random.unit() * limit);
}

/** A random item of a list that is not empty. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[below(random, items.length)] as Item;
}

export function chance(random: Random, share: number): boolean {
  return random.unit() < share;
}

/** 1 × 1 to 96 × 64; small and thin sizes are frequent. */
export function canvasSize(random: Random): Size {
  const side = (most: number) => 1 + below(random, pick(random, [1, 4, 9, 33, most, most, most]));
  return { width: side(96), height: side(64) };
}

/** Frames on a canvas. Some repeat the previous frame, or change only transparent pixels. */
export function framePlans(random: Random, canvas: Size, options: ContentOptions): FramePlan[] {
  const plans: FramePlan[] = [];
  const colors = Array.from({ length: 2 + below(random, 14) }, () => color(random));
  for (let i = 0; i < options.frames; i++) {
    const before = plans.at(-1);
    const disposal = pick(random, options.disposals);
    const blend = pick(random, options.blends);
    if (before && chance(random, 0.15)) {
      plans[i - 1] = { ...before, disposal: chance(random, 0.7) ? 'keep' : before.disposal };
      plans.push({ ...before, disposal, blend });
      continue;
    }
    const whole = { left: 0, top: 0, ...canvas };
    const covers = chance(random, 0.25) || (i === 0 && options.fullFirst);
    const region = covers ? whole : regionOf(random, canvas, options.offsetStep);
    const pixels = options.kind === 'drawn' ? drawn(random, region, colors) : photo(random, region);
    const cleared = options.alpha !== 'opaque' && chance(random, 0.05);
    setAlpha(random, pixels, region.width, cleared ? null : options.alpha);
    plans.push({ region, pixels, disposal, blend });
  }
  return plans;
}

function regionOf(random: Random, { width, height }: Size, step: number): Region {
  const left = step * below(random, Math.ceil(width / step));
  const top = step * below(random, Math.ceil(height / step));
  return {
    left,
    top,
    width: 1 + below(random, width - left),
    height: 1 + below(random, height - top),
  };
}

function color(random: Random): number[] {
  return [random.word() & 255, random.word() & 255, random.word() & 255];
}

/** Rectangles and discs on a plain background. */
function drawn(random: Random, size: Size, colors: readonly number[][]): Buffer {
  const pixels = Buffer.alloc(
    4 * size.width * size.height,
    Buffer.from([...pick(random, colors), 255]),
  );
  for (let shape = 1 + below(random, 4); shape > 0; shape--) {
    const paint = pick(random, colors);
    const round = chance(random, 0.5);
    const [cx, cy] = [below(random, size.width), below(random, size.height)];
    const [rx, ry] = [1 + below(random, size.width / 2), 1 + below(random, size.height / 2)];
    for (let y = Math.max(0, cy - ry); y < Math.min(size.height, cy + ry); y++) {
      for (let x = Math.max(0, cx - rx); x < Math.min(size.width, cx + rx); x++) {
        const inside = !round || ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 < 1;
        if (inside) pixels.set(paint, 4 * (y * size.width + x));
      }
    }
  }
  return pixels;
}

/** Gradients with noise. */
function photo(random: Random, { width, height }: Size): Buffer {
  const pixels = Buffer.alloc(4 * width * height, 255);
  const [from, toRight, down] = [color(random), color(random), color(random)];
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const noise = 4 * random.normal();
      for (let c = 0; c < 3; c++) {
        const start = from[c] ?? 0;
        const across = (((toRight[c] ?? 0) - start) * x) / width / 2;
        const along = (((down[c] ?? 0) - start) * y) / height / 2;
        const value = Math.round(start + across + along + noise);
        pixels[at + c] = Math.min(255, Math.max(0, value));
      }
    }
  }
  return pixels;
}

/** Sets the alpha of pixels; null makes all of them fully transparent. Colors of fully transparent pixels are kept. */
function setAlpha(random: Random, pixels: Buffer, width: number, alpha: AlphaKind | null): void {
  if (alpha === 'opaque') return;
  const [slope, phase, period] = [below(random, 3) - 1, below(random, 40), 5 + below(random, 40)];
  for (let at = 0, x = 0, y = 0; at < pixels.length; at += 4) {
    const wave = Math.abs((x + slope * y + phase) % period) / period;
    if (alpha === null) pixels[at + 3] = 0;
    else if (alpha === 'binary') pixels[at + 3] = wave < 0.4 ? 0 : 255;
    else pixels[at + 3] = Math.min(255, Math.max(0, Math.round(400 * wave - 70)));
    x += 1;
    if (x === width) [x, y] = [0, y + 1];
  }
}
