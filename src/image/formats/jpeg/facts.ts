import { startsWith } from '../../container/assemble.ts';
import type { FormatFacts } from '../format-facts.ts';

/**
 * Minimum quality at which pixels always keep full chroma. Below, photos look better for the same bytes with halved
 * chroma, which is kept only if halving would be visible, as with colored lines.
 */
export const pixelFullChroma = 88;

/**
 * Minimum quality at which recoding keeps the chroma sampling of the file: halving saved up to 9 % of the bytes at
 * equal SSIMULACRA2 near 65, and cost up to 17 % near 85.
 */
export const recodedFullChroma = 78;

export const jpegFacts = {
  type: 'jpeg',
  name: 'JPEG',
  mediaType: 'image/jpeg',
  otherMediaTypes: [],
  extensions: ['jpg', 'jpeg', 'jpe', 'jfif'],
  isInput: true,
  recognizes: (file) => startsWith(file, '\xff\xd8'),
  output: {
    /** libjpeg's JPEG_MAX_DIMENSION. */
    longestSide: 65_500,
    holdsAlpha: false,
    holdsGrey: true,
    holdsProfiles: true,
    holdsMetadata: ['exif', 'xmp', 'iptc'],
    noticesIn: 'exif',
    holdsOrientation: true,
    holdsStills: true,
    holdsAnimations: false,
    isExact: false,
    chosen: 'never',
    quality: {
      scores: [
        [5, 0],
        [10, 10],
        [20, 34],
        [30, 50],
        [40, 60],
        [50, 65.5],
        [60, 70],
        [70, 74.5],
        [77, 77.5],
        [85, 83.5],
        [90, 87],
        [95, 91],
        [98, 94],
        [100, 98],
      ],
      leaps: [recodedFullChroma, pixelFullChroma],
    },
  },
} as const satisfies FormatFacts;
