import type { Failure } from '../api/failure.ts';

/** The factor by which a width that was refused is reduced. */
const reductionFactor = 0.75;

/** The smallest width suggested, in pixels. */
const minWidth = 400;

/**
 * Suggests a width for an image that has too many pixels for its options; returns null if resizing does not help.
 * Resizing takes somewhat more memory than an image of the target size, so a second step may be needed.
 */
export function smallerWidth({ code, size }: Failure, query: string): number | null {
  if (code !== 'image_too_large' || size === undefined) return null;
  const { width, height, limitPixels } = size;
  const requested = Number(new URLSearchParams(query).get('width') ?? Number.POSITIVE_INFINITY);
  const fitting = width * Math.sqrt(limitPixels / (width * height));
  const wanted = Math.min(fitting, reductionFactor * Math.min(requested, width));
  const rounded = 100 * Math.floor(wanted / 100);
  return rounded >= minWidth ? rounded : null;
}
