import { startsWith } from '../../container/assemble.ts';
import type { FormatFacts } from '../format-facts.ts';

export const pngFacts = {
  type: 'png',
  name: 'PNG',
  mediaType: 'image/png',
  otherMediaTypes: ['image/apng'],
  extensions: ['png', 'apng'],
  isInput: true,
  recognizes: (file) => startsWith(file, '\x89PNG'),
  output: {
    /** PNG third edition §11.2.1. */
    longestSide: 2 ** 31 - 1,
    holdsAlpha: true,
    holdsGrey: true,
    holdsProfiles: true,
    holdsMetadata: ['exif', 'xmp', 'iptc'],
    noticesIn: 'text',
    holdsOrientation: true,
    holdsStills: true,
    holdsAnimations: true,
    isExact: true,
    chosen: 'never',
    /**
     * How many colors a palette may lose, which is unrelated to the loss of a JPEG; see `paletteTarget`. At 42, the
     * palettes of icons, screenshots and images with soft edges reach scores of 56 to 90, at 55 of 86 and more; at
     * 80 they look as they always did under `auto`.
     */
    quality: {
      scores: null,
      automatic: 80,
      targets: [
        [30, 30],
        [42, 65],
        [80, 77],
        [90, 86],
        [99, 95],
      ],
    },
  },
} as const satisfies FormatFacts;
