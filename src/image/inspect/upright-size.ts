import type { Inspection } from './inspection.ts';

/**
 * Width and height in pixels as a viewer shows the picture: EXIF orientations 5 to 8 exchange them;
 * an AVIF is first cut to its clean aperture, then turned.
 */
export function uprightSize(image: Inspection): { width: number; height: number } {
  if (image.type === 'avif') {
    const { width, height } = image.cleanAperture ?? image;
    const turned = image.rotation === 90 || image.rotation === 270;
    return turned ? { width: height, height: width } : { width, height };
  }
  return image.orientation >= 5
    ? { width: image.height, height: image.width }
    : { width: image.width, height: image.height };
}
