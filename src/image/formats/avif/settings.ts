import type { Speed } from '../coding.ts';
import type { Quality } from '../inspection.ts';

/** Settings of the encoder; `quality` is 1–100 on libavif's scale, or lossless. */
export interface AvifSettings {
  readonly quality: Quality;
  /** Whether to keep chroma at full resolution; lossless coding always does. */
  readonly fullChroma?: boolean;
  readonly speed?: Speed;
  /**
   * Whether the picture is drawn, such as a screenshot: libaom then searches for copies of blocks. Absent: a photo,
   * which is encoded with quantization matrices.
   */
  readonly isDrawn?: boolean;
}

/** The speed from which on chroma is halved to save CPU time, of which full chroma takes a third more. */
export const hurriedSpeed: Speed = 2;

/**
 * libaom's speeds, from 0 (slowest) to 10. Below 6, CPU time grows faster than the result shrinks; for cells as large
 * as those of photos, 7 takes as many bytes as 8 and twice the CPU time. The two speeds with 8 differ in full chroma.
 */
export const libaomSpeed: Readonly<Record<Speed, number>> = { 0: 6, 1: 8, 2: 8, 3: 9 };
