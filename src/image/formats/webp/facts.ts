import type { FormatFacts } from '../format-facts.ts';

export const webpFacts = {
  type: 'webp',
  name: 'WebP',
  mediaType: 'image/webp',
  otherMediaTypes: [],
  extensions: ['webp'],
  isInput: true,
  output: {
    /** libwebp's WEBP_MAX_DIMENSION, one less than RFC 9649 allows a lossless picture. */
    longestSide: 16_383,
    holdsAlpha: true,
    holdsGrey: false,
    holdsProfiles: true,
    holdsIptc: false,
    holdsOrientation: true,
    isExact: true,
    isAutomatic: true,
    quality: { automatic: 86, perJpegStep: 0.9 },
  },
} as const satisfies FormatFacts;
