import type { Speed } from '../coding.ts';
import type { Quality } from '../inspection.ts';

/** `quality` 1–100 on libavif's own scale, or every sample kept. */
export interface AvifSettings {
  readonly quality: Quality;
  /** Keep chroma at full resolution; lossless coding does so anyway. */
  readonly fullChroma?: boolean;
  readonly speed?: Speed;
  /**
   * Drawn, as screens are: copies of what was coded before are looked for; absent: a photo, as quantization matrices
   * suit it.
   */
  readonly isDrawn?: boolean;
}

/** From which on there is no time for full chroma, which takes a third more of it. */
export const hurriedSpeed: Speed = 2;

/**
 * libaom's speeds, 0 (slowest) – 10. Below 6 the time grows faster than the bytes shrink, and in cells as large as photos
 * have, 7 takes as many bytes as 8 and twice the time. Between the two that are 8, full chroma makes the difference.
 */
export const libaomSpeed: Readonly<Record<Speed, number>> = { 0: 6, 1: 8, 2: 8, 3: 9 };
