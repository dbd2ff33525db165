import { startsWith } from '../../container/assemble.ts';
import type { FormatFacts } from '../format-facts.ts';

export const gifFacts = {
  type: 'gif',
  name: 'GIF',
  mediaType: 'image/gif',
  otherMediaTypes: [],
  extensions: ['gif'],
  isInput: true,
  recognizes: (file) => startsWith(file, 'GIF87a') || startsWith(file, 'GIF89a'),
  output: {
    /** GIF89a §18: sides have 16 bits. */
    longestSide: 65_535,
    holdsAlpha: true,
    holdsGrey: false,
    holdsProfiles: false,
    holdsMetadata: ['xmp'],
    noticesIn: 'xmp',
    holdsOrientation: false,
    holdsStills: false,
    holdsAnimations: true,
    isExact: false,
    chosen: 'never',
    /** Sets the tolerance for colors; see `toleranceAt`. Scores are between those of photos and of drawings. */
    quality: {
      scores: [
        [5, -45],
        [20, -32],
        [30, -15],
        [40, 2],
        [50, 17],
        [60, 36],
        [70, 54],
        [80, 72],
        [85, 79.5],
        [90, 86],
        [95, 92],
        [98, 95],
        [100, 100],
      ],
    },
  },
} as const satisfies FormatFacts;
