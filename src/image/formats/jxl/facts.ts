import { startsWith } from '../../container/assemble.ts';
import type { FormatFacts } from '../format-facts.ts';
import { jpegFacts } from '../jpeg/facts.ts';

export const jxlFacts = {
  type: 'jxl',
  name: 'JPEG XL',
  mediaType: 'image/jxl',
  otherMediaTypes: [],
  extensions: ['jxl'],
  isInput: false,
  /** A codestream (ISO/IEC 18181-1) or a container (18181-2). */
  recognizes: (file) =>
    startsWith(file, '\xff\x0a') || startsWith(file, '\0\0\0\x0cJXL \r\n\x87\n'),
  output: {
    sources: ['jpeg'],
    /** The limit of JPEG (ITU-T T.81 §B.2.2); that of JPEG XL is 2³⁰. */
    longestSide: 65_535,
    holdsAlpha: false,
    holdsGrey: true,
    holdsProfiles: true,
    holdsMetadata: ['exif', 'xmp'],
    noticesIn: 'exif',
    /** In the codestream; decoders ignore that of EXIF. */
    holdsOrientation: true,
    holdsStills: true,
    holdsAnimations: false,
    isExact: false,
    /** Browsers without support send a wildcard as well. */
    chosen: 'if-named',
    /** The coefficients are those of a JPEG, quantized as there. */
    quality: jpegFacts.output.quality,
  },
} as const satisfies FormatFacts;
