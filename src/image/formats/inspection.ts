import type { SourceColor } from '../color/source-color.ts';
import type { ByteRange } from '../container/byte-cursor.ts';
import type { Orientation } from '../metadata/exif-block.ts';
import type { GainMapStatement } from '../metadata/gain-map.ts';
import type { Metadata } from '../metadata/metadata.ts';
import type { Unreadable } from '../refusal.ts';

/** `lossless` keeps every decoded sample; a number is on the scale of the encoder. */
export type Quality = 'lossless' | number;

/** What the headers of a file say of its picture; formats add what only they know. */
export interface Inspection {
  readonly type: string;
  /** Coded size in pixels, before any orientation; see `Reader.placement` for how it is shown. */
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
  /** What the frames of an animation come to; absent: their headers are not read. */
  readonly frameTotals?: FrameTotals;
  /** Nothing but the first picture of an animation is meant, of which `frames` is then 1; absent: all of the file is. */
  readonly isFirstOnly?: boolean;
  /** As stored in EXIF, 1 when absent or senseless. AVIF: always 1, its transforms stand apart. */
  readonly orientation: Orientation;
  /**
   * Where the ICC profile lies, empty when there is none: several ranges to be joined in a JPEG, the
   * deflated stream in a PNG, one plain range in WebP and AVIF.
   */
  readonly icc: readonly ByteRange[];
  /**
   * How much brighter each part of the picture is on an HDR screen; absent: nothing says so. One that is
   * `bound` cannot go on in a result.
   */
  readonly gainMap?: GainMap | 'bound';
}

/** A gain map beside a picture: a picture itself, which covers the same part of the world. */
export interface GainMap {
  /** Its file, inside that of the picture. */
  readonly at: ByteRange;
  /** Of that file; turned as the picture is, whatever it says of that. */
  readonly image: Inspection;
  readonly statement: GainMapStatement;
}

/** What the headers of all frames of an animation say together. */
export interface FrameTotals {
  /** How many there are, be it a single one. */
  readonly frames: number;
  /** Pixels that they code, those that lie beyond the canvas as well. */
  readonly codedPixels: number;
  /** What a frame covers is restored when its time is over. */
  readonly restores: boolean;
  /** Colours that they can have in all; absent: any number. */
  readonly mostColors?: number;
}

export type InspectionResult<Image extends Inspection = Inspection> =
  | { readonly kind: 'image'; readonly image: Image }
  | Unreadable;

/** A file that has been inspected, not decoded: all that planning knows. */
export interface Source<Image extends Inspection = Inspection> {
  readonly kind: 'source';
  readonly image: Image;
  readonly fileBytes: number;
  /** Profile that goes on with the samples as they are; null when there is none or it is sRGB, which goes without saying. */
  readonly icc: Uint8Array | null;
  /** What the decoded samples mean, wherever the file says it. */
  readonly color: SourceColor;
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
  /** What it has to do with gain maps; absent: nothing. */
  readonly gainMap?: GainMapRole;
  /** A file of the same format, whose comments are carried as well; absent: none are. */
  readonly commentsOf?: Uint8Array;
}

/** What a file says of gain maps, in the ways in which `statement` says something. */
export type GainMapRole =
  /** It is one. */
  | { readonly kind: 'map'; readonly statement: GainMapStatement }
  /** It has one behind it, whose complete file is `map`. */
  | {
      readonly kind: 'picture';
      readonly statement: GainMapStatement;
      readonly map: Uint8Array<ArrayBuffer>;
    };
