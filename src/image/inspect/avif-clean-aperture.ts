import type { SpatialExtents } from './avif-properties.ts';
import { ByteCursor } from './byte-cursor.ts';
import type { CleanAperture } from './inspection.ts';
import type { Box } from './iso-boxes.ts';
import { broken, type Refusal, unsupportedFeature } from './refusal.ts';

/**
 * `clap` as whole pixels. The box gives its size, and the distance of its centre from the picture's
 * centre, as fractions (ISO/IEC 14496-12 §12.1.4.1); MIAF (ISO/IEC 23000-22 §7.3.6.7) wants them to
 * come out as whole pixels inside the picture, which is what decoders can apply.
 */
export function readCleanAperture(
  view: DataView,
  box: Box,
  picture: SpatialExtents,
): CleanAperture | Refusal {
  const cursor = new ByteCursor(view, box.start, box.end);
  const width = cursor.uint32() / cursor.uint32();
  const height = cursor.uint32() / cursor.uint32();
  const horizontalOffset = cursor.int32() / cursor.uint32();
  const verticalOffset = cursor.int32() / cursor.uint32();
  const left = horizontalOffset + (picture.width - width) / 2;
  const top = verticalOffset + (picture.height - height) / 2;
  const numbers = [left, top, width, height];
  if (cursor.overrun || !numbers.every(Number.isFinite)) {
    return broken('The AVIF clean aperture is damaged.');
  }
  if (!numbers.every(Number.isInteger)) {
    return unsupportedFeature('AVIF cut to fractions of a pixel is not supported.');
  }
  const isInside =
    left >= 0 && top >= 0 && left + width <= picture.width && top + height <= picture.height;
  if (width === 0 || height === 0 || !isInside) {
    return broken('The AVIF clean aperture lies outside the picture.');
  }
  return { left, top, width, height };
}
