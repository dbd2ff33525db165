import type { FormatFacts } from '../format-facts.ts';

export const pngFacts = {
  type: 'png',
  name: 'PNG',
  mediaType: 'image/png',
  otherMediaTypes: ['image/apng'],
  extensions: ['png', 'apng'],
  isInput: true,
  output: {
    /** PNG third edition §11.2.1. */
    longestSide: 2 ** 31 - 1,
    holdsAlpha: true,
    holdsGrey: true,
    holdsProfiles: true,
    holdsIptc: true,
    holdsOrientation: true,
    isExact: true,
    isAutomatic: false,
    /** How many colours a palette may lose, so the loss of a JPEG has no part in it; see `paletteTarget`. */
    quality: { automatic: 80, perJpegStep: null },
  },
} as const satisfies FormatFacts;
