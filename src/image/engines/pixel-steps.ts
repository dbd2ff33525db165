import type { Orientation } from '../inspect/inspection.ts';
import type { CodedTarget } from '../pixels/resize-target.ts';

/** What happens to pixels between decoding and coding, in this order. */
export interface PixelSteps {
  /** Grey samples leave their profile for sRGB. */
  readonly toSrgb: boolean;
  /** Cut out and reduced; null: all of it as it is. */
  readonly target: CodedTarget | null;
  /** Turned upright; 1 where the tag goes on with the file instead. */
  readonly turn: Orientation;
  /** Ground to lay transparent pixels on, as RGB bytes. */
  readonly background: readonly [number, number, number] | null;
}

/** Whether both make the same pixels of a picture. */
export function sameSteps(a: PixelSteps, b: PixelSteps): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
