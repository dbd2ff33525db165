import type { PngColors } from './color-chunks.ts';
import { expandShort } from './expand-short.ts';
import { expandSingle } from './expand-single.ts';
import { expandWide } from './expand-wide.ts';
import type { PngSamples, RowExpander } from './expansion.ts';

/**
 * How rows of this kind become straight 8-bit RGBA in `target`. `to8` has an 8-bit value for each of
 * the 65,536 values that a 16-bit sample of colour or grey can have; without one they are rounded.
 */
export function rowExpander(
  image: PngSamples,
  colors: PngColors,
  to8: Uint8Array | null,
  target: ArrayBuffer,
): RowExpander {
  const { colorType, bitDepth } = image;
  if (bitDepth === 16) return expandWide(colorType, colors, to8, target);
  if (colorType === 0 || colorType === 3) return expandSingle(image, colors, target);
  return expandShort(colorType, colors, target);
}
