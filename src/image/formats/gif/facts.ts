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
    holdsAnimations: true,
    isExact: false,
    isAutomatic: false,
    /** How far colours may be from those that are wanted; see `toleranceAt`. Photos come to these scores. */
    quality: {
      scores: null,
      automatic: 80,
      targets: [
        [30, 15],
        [60, 55],
        [80, 77],
        [90, 88],
        [99, 96],
      ],
    },
  },
} as const satisfies FormatFacts;
