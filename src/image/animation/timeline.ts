import type { Region, Size } from '../pixels/raster.ts';

/**
 * How long a frame is shown, as a fraction of a second. GIF counts hundredths and WebP thousandths of a second; APNG
 * stores both numbers.
 */
export interface Duration {
  /** A whole number, not negative. */
  readonly ticks: number;
  /** A whole number, at least 1. */
  readonly perSecond: number;
}

/** What happens to the region of a frame at the end of its duration. */
export type Disposal =
  /** It stays as it is. */
  | 'keep'
  /** It becomes transparent. */
  | 'background'
  /** It is restored to what it was before the frame. */
  | 'previous';

/** A frame of an animation, as its file describes it. */
export interface AnimationFrame {
  /** In pixels of the canvas; never empty, and never beyond the canvas. */
  readonly region: Region;
  readonly duration: Duration;
  readonly disposal: Disposal;
  /**
   * `over`: drawn over the canvas, with alpha blending; `replace`: pixels of the region are overwritten, alpha
   * included.
   */
  readonly blend: 'over' | 'replace';
}

/**
 * A picture in memory. Pixels are straight (not premultiplied) RGBA, one 32-bit word each, with red in the lowest byte;
 * rows from the top.
 */
export interface Canvas extends Size {
  readonly pixels: Uint32Array<ArrayBuffer>;
}

/** A frame to be written. */
export interface PlannedFrame {
  /** The region that the frame covers. Outside of it, `base` already equals `picture`. */
  readonly region: Region;
  /** The picture to show. A lossy writer replaces the pixels of the region with those that its frame really shows. */
  readonly picture: Canvas;
  /** The canvas before the frame is drawn; read-only. */
  readonly base: Canvas;
  /** Representable in the format. */
  readonly duration: Duration;
  readonly disposal: Disposal;
}

/** The durations that a format can represent. */
export interface DurationLimits {
  /** The only denominator that the format allows; null: any up to 65,535. */
  readonly perSecond: number | null;
  readonly maxTicks: number;
}
