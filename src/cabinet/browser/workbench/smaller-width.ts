import type { Failure } from '../api/failure.ts';

/** What is left of a width that was refused as well. */
const nextShare = 0.75;

/** A width that is small for any use. */
const least = 400;

/**
 * A width to which an image may be reduced that has too many pixels for its options; null where that is no way out. A
 * reduced image takes somewhat more memory than one of that size, so that it may take a second step.
 */
export function smallerWidth({ code, size }: Failure, query: string): number | null {
  if (code !== 'image_too_large' || size === undefined) return null;
  const { width, height, limitPixels } = size;
  const asked = Number(new URLSearchParams(query).get('width') ?? Number.POSITIVE_INFINITY);
  const fitting = width * Math.sqrt(limitPixels / (width * height));
  const wanted = Math.min(fitting, nextShare * Math.min(asked, width));
  const rounded = 100 * Math.floor(wanted / 100);
  return rounded >= least ? rounded : null;
}
