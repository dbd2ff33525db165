import type { Metadata } from '../metadata/metadata.ts';

export const imageTypes = ['jpeg', 'png', 'webp', 'avif'] as const;
export type ImageType = (typeof imageTypes)[number];

/** EXIF tag 0x0112 (CIPA DC-008 §4.6.4): 1 is upright, 5 to 8 exchange width and height. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** A stretch of the file, in bytes from its beginning. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

interface Common {
  /** Coded size in pixels, before any orientation; see `uprightSize` for the size as shown. */
  readonly width: number;
  readonly height: number;
  /** Bits per sample as stored: 1, 2, 4, 8, 10, 12 or 16; of a palette PNG, bits per index. */
  readonly bitDepth: number;
  /** The file can hold transparent pixels. Whether it does is known only after decoding. */
  readonly hasAlpha: boolean;
  /** Samples carry no colour: one-component JPEG, grey PNG, monochrome AVIF. */
  readonly isGrey: boolean;
  /**
   * Frames shown one after the other. `frames > 1` is the one test for an animation: a file that is
   * an animation by its form but has a single frame (a hidden PNG default image, an ANIM flag, an
   * `avis` brand) says 2, because still-image decoders do not show that frame.
   */
  readonly frames: number;
  /** As stored in EXIF, 1 when absent or senseless. AVIF: always 1, its transforms stand apart. */
  readonly orientation: Orientation;
  /**
   * Where the ICC profile lies, empty when there is none: several ranges to be joined in a JPEG, the
   * deflated stream in a PNG, one plain range in WebP and AVIF.
   */
  readonly icc: readonly ByteRange[];
}

export interface JpegComponent {
  readonly id: number;
  /** Sampling factors, 1 to 4. */
  readonly horizontal: number;
  readonly vertical: number;
  /** Id of its quantization table, 0 to 3. */
  readonly quantizationTable: number;
}

export type JpegColorSpace = 'grey' | 'ycbcr' | 'rgb' | 'cmyk' | 'ycck';

export interface JpegInspection extends Common {
  readonly type: 'jpeg';
  readonly process: 'baseline' | 'extended' | 'progressive';
  readonly components: readonly JpegComponent[];
  readonly colorSpace: JpegColorSpace;
  /**
   * By id, 64 steps each in row-major (not zigzag) order, as they stand at the first scan. A table
   * that arrives between scans is not there yet; steps of 0, which T.81 forbids, are not refused.
   */
  readonly quantizationTables: readonly (Uint16Array | undefined)[];
  /** In MCUs, 0 when there are no restart markers; a later DRI may change it between scans. */
  readonly restartInterval: number;
  readonly hasEndMarker: boolean;
}

/** PNG chunks that say what the samples mean, highest precedence first (PNG third edition §4.3). */
export const pngColorChunks = ['cICP', 'iCCP', 'sRGB', 'gAMA'] as const;
export type PngColorChunk = (typeof pngColorChunks)[number];

/** Code points of ITU-T H.273; the matrix is always that of RGB. */
export interface PngCodePoints {
  readonly primaries: number;
  readonly transfer: number;
  readonly fullRange: boolean;
}

/** CIE 1931 x and y. */
export interface Chromaticity {
  readonly x: number;
  readonly y: number;
}

export interface Chromaticities {
  readonly white: Chromaticity;
  readonly red: Chromaticity;
  readonly green: Chromaticity;
  readonly blue: Chromaticity;
}

export type PngColorType = 0 | 2 | 3 | 4 | 6;

export interface PngInspection extends Common {
  readonly type: 'png';
  readonly colorType: PngColorType;
  readonly interlaced: boolean;
  /** Entries of PLTE, never more than the bit depth can index; 0 without PLTE. */
  readonly paletteSize: number;
  /** The one that takes precedence among those that can be used and stand where they may. */
  readonly colorChunk: PngColorChunk | null;
  /** What the chunks themselves say, null without a usable one; `colorChunk` says which of them counts. */
  readonly cicp: PngCodePoints | null;
  /** Encoding exponent of gAMA: the reciprocal of the display's, about 1/2.2. */
  readonly gamma: number | null;
  /** Of cHRM, which counts together with gAMA only. */
  readonly chromaticities: Chromaticities | null;
}

export interface WebpInspection extends Common {
  readonly type: 'webp';
  /** Of the first frame. */
  readonly compression: 'lossy' | 'lossless';
}

/** Code points of ITU-T H.273. */
export interface Nclx {
  readonly primaries: number;
  readonly transfer: number;
  readonly matrix: number;
  readonly fullRange: boolean;
}

/** Whole pixels of the coded picture, before rotation and mirroring. */
export interface CleanAperture {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export type AvifChroma = '400' | '420' | '422' | '444';

/** Degrees, anti-clockwise (ISO/IEC 23008-12 §6.5.10). */
export type AvifRotation = 0 | 90 | 180 | 270;

/**
 * Which parts change places (ISO/IEC 23008-12:2022 §6.5.12): `top-bottom` is axis 0 (EXIF 4),
 * `left-right` is axis 1 (EXIF 2). The 2017 text named the axes the other way round; decoders
 * (libavif, libheif) and the current text agree on this.
 */
export type AvifMirror = 'none' | 'top-bottom' | 'left-right';

/** To show it: `cleanAperture`, then `rotation`, then `mirror` (MIAF, ISO/IEC 23000-22 §7.3.6.7). */
export interface AvifInspection extends Common {
  readonly type: 'avif';
  readonly chroma: AvifChroma;
  readonly nclx: Nclx | null;
  readonly rotation: AvifRotation;
  readonly mirror: AvifMirror;
  readonly cleanAperture: CleanAperture | null;
  readonly isGrid: boolean;
}

export type Inspection = JpegInspection | PngInspection | WebpInspection | AvifInspection;

export type InspectionResult =
  | { readonly kind: 'image'; readonly image: Inspection }
  /** Not a type that we read: its name, or `unknown` when it is not an image that we know of. */
  | { readonly kind: 'unsupported'; readonly what: string }
  /** The right type, in a variety that we do not handle; `detail` is one plain sentence. */
  | { readonly kind: 'unsupported-feature'; readonly detail: string }
  /** Truncated, corrupt or contradicting itself; `detail` is one plain sentence. */
  | { readonly kind: 'broken'; readonly detail: string };

/**
 * Width and height in pixels as a viewer shows the picture: EXIF orientations 5 to 8 exchange them;
 * an AVIF is first cut to its clean aperture, then turned.
 */
export function uprightSize(image: Inspection): { width: number; height: number } {
  if (image.type === 'avif') {
    const { width, height } = image.cleanAperture ?? image;
    const turned = image.rotation === 90 || image.rotation === 270;
    return turned ? { width: height, height: width } : { width, height };
  }
  return image.orientation >= 5
    ? { width: image.height, height: image.width }
    : { width: image.width, height: image.height };
}

/**
 * In pixels, what can be written: libjpeg's JPEG_MAX_DIMENSION, PNG third edition §11.2.1, libwebp's
 * WEBP_MAX_DIMENSION (one less than RFC 9649 allows a lossless picture), AV1 §5.5.1.
 */
export const longestSide = {
  jpeg: 65_500,
  png: 2 ** 31 - 1,
  webp: 16_383,
  avif: 65_536,
} as const satisfies Record<ImageType, number>;

export function holdsSides(
  type: ImageType,
  { width, height }: { readonly width: number; readonly height: number },
): boolean {
  return Math.max(width, height) <= longestSide[type];
}

/** What a file holds besides its pixels. */
export interface Appearance {
  /** ICC profile to carry, as raw, uncompressed bytes; null: none. */
  readonly icc: Uint8Array | null;
  /**
   * Blocks to carry, written as they are. An orientation is part of the EXIF block; AVIF shows a
   * picture by its own transforms and ignores it.
   */
  readonly metadata: Metadata;
}

/** The same for one container; `image` is what `inspect` says of `file`. */
export type Rewrapper = (
  image: Inspection,
  file: Uint8Array,
  appearance: Appearance,
) => Uint8Array<ArrayBuffer>;
