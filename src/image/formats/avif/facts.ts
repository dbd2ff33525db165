import { viewOf } from '../../container/byte-cursor.ts';
import { fileTypeBrands } from '../../container/iso-boxes.ts';
import type { FormatFacts } from '../format-facts.ts';

export const avifFacts = {
  type: 'avif',
  name: 'AVIF',
  mediaType: 'image/avif',
  otherMediaTypes: [],
  extensions: ['avif'],
  isInput: true,
  recognizes: (file) => isAvif(fileTypeBrands(viewOf(file))),
  output: {
    /** AV1 §5.5.1. */
    longestSide: 65_536,
    holdsAlpha: true,
    holdsGrey: false,
    holdsProfiles: true,
    holdsMetadata: ['exif', 'xmp'],
    noticesIn: 'exif',
    holdsOrientation: false,
    holdsStills: true,
    holdsAnimations: false,
    isExact: true,
    chosen: 'if-accepted',
    quality: {
      scores: [
        [5, 0],
        [20, 22],
        [30, 42],
        [40, 56],
        [50, 66],
        [60, 73.5],
        [66, 77.5],
        [75, 83],
        [82, 86],
        [90, 90],
        [95, 92.5],
        [100, 97],
      ],
    },
  },
} as const satisfies FormatFacts;

/** Whether a file with these brands is an AVIF, either a still picture or a sequence. */
function isAvif(brands: readonly string[]): boolean {
  return brands.includes('avif') || brands.includes('avis');
}
