import type { FormatFacts } from '../format-facts.ts';

export const gifFacts = {
  type: 'gif',
  name: 'GIF',
  mediaType: 'image/gif',
  otherMediaTypes: [],
  extensions: ['gif'],
  isInput: true,
  output: {
    /** GIF89a §18: sides have 16 bits. */
    longestSide: 65_535,
    holdsAlpha: true,
    holdsGrey: false,
    holdsProfiles: false,
    holdsIptc: false,
    holdsOrientation: false,
    holdsStills: false,
    isExact: false,
    isAutomatic: false,
    /** How far colours may be from those that are wanted; see `toleranceOf`. */
    quality: {
      scores: null,
      automatic: 80,
      targets: [
        [30, 50],
        [60, 70],
        [80, 82],
        [90, 88],
        [99, 95],
      ],
    },
  },
} as const satisfies FormatFacts;
