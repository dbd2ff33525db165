import type { ImageType } from '../inspect/inspection.ts';

/**
 * In pixels, what can be written: libjpeg's JPEG_MAX_DIMENSION, PNG third edition §11.2.1, libwebp's
 * WEBP_MAX_DIMENSION (one less than RFC 9649 allows a lossless picture), AV1 §5.5.1.
 */
export const longestSide = {
  jpeg: 65_500,
  png: 2 ** 31 - 1,
  webp: 16_383,
  avif: 65_536,
} as const satisfies Record<ImageType, number>;

export function holdsSides(
  type: ImageType,
  { width, height }: { readonly width: number; readonly height: number },
): boolean {
  return Math.max(width, height) <= longestSide[type];
}
