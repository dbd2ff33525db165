import type { FormatFacts } from '../format-facts.ts';

export const avifFacts = {
  type: 'avif',
  name: 'AVIF',
  mediaType: 'image/avif',
  otherMediaTypes: [],
  extensions: ['avif'],
  isInput: true,
  output: {
    /** AV1 §5.5.1. */
    longestSide: 65_536,
    holdsAlpha: true,
    holdsGrey: false,
    holdsProfiles: true,
    holdsIptc: false,
    holdsOrientation: false,
    isExact: true,
    isAutomatic: true,
    quality: { automatic: 72, perJpegStep: 1.2 },
  },
} as const satisfies FormatFacts;
