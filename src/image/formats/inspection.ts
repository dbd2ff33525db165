import type { SourceColor } from '../color/source-color.ts';
import type { ByteRange } from '../container/byte-cursor.ts';
import type { Orientation } from '../metadata/exif-block.ts';
import type { GainMapStatement } from '../metadata/gain-map.ts';
import type { Metadata } from '../metadata/metadata.ts';
import type { Unreadable } from '../refusal.ts';

/** `lossless` preserves every decoded sample; a number is on the encoder's scale. */
export type Quality = 'lossless' | number;

/** What the headers of a file reveal about its picture; formats extend it. */
export interface Inspection {
  readonly type: string;
  /** Coded size in pixels, before the orientation is applied; see `Reader.placement` for how it is shown. */
  readonly width: number;
  readonly height: number;
  /** Bits per stored sample: 1, 2, 4, 8, 10, 12 or 16; for a palette PNG, bits per index. */
  readonly bitDepth: number;
  /** Whether the file can contain transparent pixels. Whether it does is only known after decoding. */
  readonly hasAlpha: boolean;
  /** Whether samples have no color: one-component JPEG, gray PNG, monochrome AVIF. */
  readonly isGrey: boolean;
  /**
   * Number of frames. `frames > 1` is the only test for an animation: a file that is formally an animation but has a
   * single frame (a hidden PNG default image, an ANIM flag, an `avis` brand) counts 2, because still-image decoders do
   * not show that frame.
   */
  readonly frames: number;
  /** Totals over the frames of an animation; absent if their headers are not read. */
  readonly frameTotals?: FrameTotals;
  /** Whether only the first picture of an animation is used, and `frames` is 1. Default: false. */
  readonly isFirstOnly?: boolean;
  /** EXIF orientation; 1 if absent or invalid. Always 1 for AVIF, which has transforms of its own. */
  readonly orientation: Orientation;
  /**
   * Location of the ICC profile, empty if there is none: several ranges to be joined in a JPEG, the compressed stream
   * in a PNG, a single plain range in WebP and AVIF.
   */
  readonly icc: readonly ByteRange[];
  /**
   * The gain map, which states how much brighter each part of the picture is on an HDR screen; absent if there is none.
   * A `bound` one cannot be kept in a result.
   */
  readonly gainMap?: GainMap | 'bound';
  /**
   * CPU time in milliseconds that the parts of the file take besides its coded picture, once for each candidate:
   * walking over chunks, segments, blocks or boxes however short they are, and unpacking a profile and texts. Absent:
   * none that is noticeable.
   */
  readonly partsMs?: number;
}

/** The gain map of a picture: itself a picture, which shows the same scene. */
export interface GainMap {
  /** Location of its file within that of the picture. */
  readonly at: ByteRange;
  /** Inspection of that file. It has the picture's orientation, whatever its own headers say. */
  readonly image: Inspection;
  readonly statement: GainMapStatement;
}

/** Totals from the headers of all frames of an animation. */
export interface FrameTotals {
  /** Actual number of frames, which may be 1. */
  readonly frames: number;
  /** Number of coded pixels, including those outside the canvas. */
  readonly codedPixels: number;
  /** Whether any frame has the disposal method “restore to previous”. */
  readonly restores: boolean;
  /** Maximum number of different colors in all frames; absent if unlimited. */
  readonly maxColors?: number;
}

export type InspectionResult<Image extends Inspection = Inspection> =
  | { readonly kind: 'image'; readonly image: Image }
  | Unreadable;

/** A file that has been inspected but not decoded: all that planning knows. */
export interface Source<Image extends Inspection = Inspection> {
  readonly kind: 'source';
  readonly image: Image;
  readonly fileBytes: number;
  /** Profile to keep with unchanged samples; null if there is none or it is sRGB, which is the default anyway. */
  readonly icc: Uint8Array | null;
  /** Meaning of the decoded samples, from whatever part of the file states it. */
  readonly color: SourceColor;
  /** Whether reductions of it are held, so that CPU time is predicted for them; absent if it is read for each. */
  readonly isReduced?: true;
}

/** The profile and metadata of a file to be written. */
export interface Appearance {
  /** ICC profile to embed, uncompressed; null for none. */
  readonly icc: Uint8Array | null;
  /**
   * Metadata blocks to embed unchanged. The orientation is part of the EXIF block; AVIF ignores it and has transforms
   * of its own.
   */
  readonly metadata: Metadata;
  /** Its part in a picture with a gain map; absent if it has none. */
  readonly gainMap?: GainMapRole;
  /** A file of the same format whose comments are copied; absent if there are none to copy. */
  readonly commentsOf?: Uint8Array;
}

/** The part of a file in a picture with a gain map. */
export type GainMapRole =
  /** It is the gain map. */
  | { readonly kind: 'map'; readonly statement: GainMapStatement }
  /** It is the base picture, followed by the gain map, whose complete file is `map`. */
  | {
      readonly kind: 'picture';
      readonly statement: GainMapStatement;
      readonly map: Uint8Array<ArrayBuffer>;
    };
