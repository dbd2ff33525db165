import type { FormatFacts } from '../format-facts.ts';

export const jpegFacts = {
  type: 'jpeg',
  name: 'JPEG',
  mediaType: 'image/jpeg',
  otherMediaTypes: [],
  extensions: ['jpg', 'jpeg', 'jpe', 'jfif'],
  isInput: true,
  output: {
    /** libjpeg's JPEG_MAX_DIMENSION. */
    longestSide: 65_500,
    holdsAlpha: false,
    holdsGrey: true,
    holdsProfiles: true,
    holdsIptc: true,
    holdsOrientation: true,
    isExact: false,
    isAutomatic: false,
    quality: { automatic: 77, perJpegStep: 1 },
  },
} as const satisfies FormatFacts;
