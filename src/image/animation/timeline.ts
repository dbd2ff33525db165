import type { Region, Size } from '../pixels/raster.ts';

/** How long a frame is shown, as a fraction of a second: GIF counts hundredths, WebP thousandths, APNG says both numbers. */
export interface Duration {
  /** A whole number, not negative. */
  readonly ticks: number;
  /** A whole number, at least 1. */
  readonly perSecond: number;
}

/** What becomes of the part of the canvas that a frame was drawn on, once its time is over. */
export type Disposal =
  /** It stays. */
  | 'keep'
  /** It becomes transparent. */
  | 'background'
  /** It becomes what it was before the frame. */
  | 'previous';

/** A frame of an animation, as its file says. */
export interface AnimationFrame {
  /** Of the canvas, in pixels; never empty, and inside of it. */
  readonly region: Region;
  readonly duration: Duration;
  readonly disposal: Disposal;
  /** `over`: transparent pixels let through what is below; `replace`: they take its place. */
  readonly blend: 'over' | 'replace';
}

/**
 * A picture of an animation. Pixels are straight RGBA, each in a word whose lowest byte is red, rows from the top.
 */
export interface Canvas extends Size {
  readonly pixels: Uint32Array<ArrayBuffer>;
}

/** A frame that is to be written. */
export interface PlannedFrame {
  /** What the frame covers; outside, `base` shows what shall be seen. */
  readonly region: Region;
  /** What shall be seen. A writer that changes colours leaves here what it shows instead. */
  readonly picture: Canvas;
  /** What is seen below the frame, not to be changed. */
  readonly base: Canvas;
  /** In what the format can say. */
  readonly duration: Duration;
  readonly disposal: Disposal;
}

/** What durations a format can say. */
export interface DurationLimits {
  /** Null: any up to 65,535. */
  readonly perSecond: number | null;
  readonly maxTicks: number;
}
