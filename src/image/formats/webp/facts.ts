import { startsWith } from '../../container/assemble.ts';
import type { FormatFacts } from '../format-facts.ts';

export const webpFacts = {
  type: 'webp',
  name: 'WebP',
  mediaType: 'image/webp',
  otherMediaTypes: [],
  extensions: ['webp'],
  isInput: true,
  recognizes: (file) => startsWith(file, 'RIFF') && startsWith(file.subarray(8), 'WEBP'),
  output: {
    /** libwebp's WEBP_MAX_DIMENSION, one less than RFC 9649 allows a lossless picture. */
    longestSide: 16_383,
    holdsAlpha: true,
    holdsGrey: false,
    holdsProfiles: true,
    holdsMetadata: ['exif', 'xmp'],
    noticesIn: 'exif',
    holdsOrientation: true,
    holdsStills: true,
    holdsAnimations: true,
    isExact: true,
    chosen: 'if-accepted',
    quality: {
      scores: [
        [5, 5],
        [20, 35],
        [35, 50],
        [50, 61],
        [60, 66],
        [70, 71],
        [80, 76.5],
        [86, 80],
        [90, 84],
        [93, 86],
        [98, 89.5],
        [100, 91],
      ],
    },
  },
} as const satisfies FormatFacts;
