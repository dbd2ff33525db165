import type { Orientation } from '../metadata/exif-block.ts';
import type { PictureShape, Region } from '../pixels/raster.ts';
import type { RowSource } from '../pixels/row-source.ts';
import type { Slices } from '../slices.ts';
import type { Arena } from '../wasm/arena.ts';
import type { Appearance, Inspection, Quality } from './inspection.ts';

/** The amount of detail in a picture, from which the cost of encoding it is estimated. */
export interface Detail {
  /** Approximate bytes per pixel of a JPEG at the automatic quality, without the fixed cost of flat blocks. */
  readonly density: number;
  /** Whether it is drawn, such as a screenshot or an icon, and so takes few bytes even without loss. */
  readonly isDrawn: boolean;
}

/** How a coded picture is shown. */
export interface Placement {
  /** The visible part; null if all of it is. */
  readonly region: Region | null;
  /** The rotation or reflection that makes the visible part upright. */
  readonly turn: Orientation;
}

/** Decodes to rows from top to bottom, repeatedly if needed, so that no full raster is ever held. */
export interface RowDecoder<Image extends Inspection> {
  /** Bytes of an arena that decoding needs; a file that contains more than its header states takes more. */
  arenaBytes(image: Image, fileBytes: number, how?: Pick<Decoding, 'asTranscoded'>): number;
  /** Bytes of buffers while it is open, not counting the arena; absent if there is only a row. */
  bufferBytes?(image: Image, fileBytes: number): number;
  /** CPU time of decoding, in milliseconds (`npm run bench -- --only cpu`). */
  cpuMs(image: Image, fileBytes: number, halvings: Halvings): number;
  /** How many times decoding can halve width and height, which takes less work. */
  readonly maxHalvings: Halvings;
  /** Number of halvings that cause no visible difference if the picture is reduced by this factor in all. */
  halvingsFor(reduction: number): Halvings;
  /**
   * Opens the picture while `use` runs.
   * @param memory arena to run in, which nothing else may use meanwhile
   * @throws CodecError if the file is damaged or takes more memory than is available; reading rows may throw it as well
   */
  open<Result>(
    file: Uint8Array,
    image: Image,
    how: Decoding,
    memory: Arena,
    use: (rows: RowSource) => Slices<Result>,
  ): Slices<Result>;
}

/** How rows are decoded. */
export interface Decoding {
  readonly halvings: Halvings;
  /** Lookup table from 16-bit samples to 8-bit codes; null to round to the nearest. */
  readonly deepSamples: Uint8Array | null;
  /**
   * Whether to decode a JPEG, in full size, as JPEG XL decoders show its coefficients after transcoding. Default:
   * false.
   */
  readonly asTranscoded?: boolean;
}

/** How many times width and height are halved during decoding. */
export type Halvings = 0 | 1 | 2 | 3;

/**
 * How much faster than usual to encode, at the expense of size: each step is one of libaom's speeds; in PNG, all of
 * them select a greedy parse. Used if the usual speed would exceed the available CPU time.
 */
export type Speed = 0 | 1 | 2 | 3;

export const usualSpeed: Speed = 0;

/** Settings for encoding pixels. */
export interface Coding {
  readonly quality: Quality;
  /** Whether the invisible colors of fully transparent pixels are kept as well. */
  readonly exact: boolean;
  /** Profile of the result; null for sRGB. */
  readonly icc: Uint8Array | null;
  /** Whether to write a single gray component, if the format supports it. */
  readonly grey: boolean;
  /**
   * The SSIMULACRA2 score that a palette must reach in a format that could also keep all colors; absent if quality
   * alone determines the palette.
   */
  readonly minScore?: number;
  /**
   * Whether the quality was chosen automatically, so that the encoder may deviate if that is better. Default: false.
   */
  readonly isAutomatic?: boolean;
  /** Whether the picture was reduced, so that most of its colors are new ones between those of the source. Default: false. */
  readonly isReduced?: boolean;
  /** Default: `usualSpeed`. */
  readonly speed?: Speed;
  /** What the source reveals about the pixels; absent: those of a detailed photo. */
  readonly detail?: Detail;
  /** If the rows are a sample: the shape of the whole picture, and the speed at which that is encoded. */
  readonly sampleOf?: { readonly shape: PictureShape; readonly speed: Speed };
}

/**
 * Encodes a stream of rows, which it may read several times. The memory it takes, in bytes, depends on the picture:
 * noise takes several times as much as a photo.
 */
export interface RowEncoder {
  /** Bytes of an arena for a photo; the encoder is tried if these fit. */
  readonly photoBytes: number;
  /** Bytes of an arena for noise; it may use them as far as the arena can grow. */
  readonly maxBytes: number;
  /** Bytes of the otherwise unused side arena, to score the result; absent if none are needed. */
  readonly sideBytes?: number;
  /**
   * Bytes of buffers for a photo, not counting pixels and arenas: parts of the result, or what a codec holds with it.
   */
  readonly bufferBytes: number;
  /** Bytes of buffers for noise. */
  readonly maxBufferBytes: number;
  /** CPU time in milliseconds for this amount of detail (`npm run bench -- --only cpu`). */
  cpuMs(detail: Detail): number;
  /** How many times it reads all rows of a photo. */
  readonly runs: number;
  /**
   * Present if it reads strips; otherwise it uses its memory throughout, the result lies there, and rows are upright.
   */
  readonly strips?: (turn: Orientation) => StripWork;
  /**
   * @throws CodecError if it fails for this picture: `NoRoomForResult` if the file, or the part of it outside the
   *   arena, gets longer than the run allows; also whatever reading the rows throws
   */
  encode(rows: RowSource, run: EncodingRun): Slices<Encoded>;
}

/**
 * How rows are read for a codec that needs many at once. It uses its memory only between two strips, so that a reader
 * can use it otherwise; the coded strips are held in buffers until the picture is complete. Rows are read before any
 * rotation, because the parts of a strip can be rotated individually.
 */
export interface StripWork {
  /** Minimum rows per strip. */
  readonly rows: number;
  /** Bytes of pixel buffers. */
  readonly heldBytes: number;
  /** How many times it reads a photo strip by strip, in addition to the runs row by row. */
  readonly runs: number;
}

/** The resources and limits of one encoding. */
export interface EncodingRun {
  /** Arena to run in, which nothing else may use meanwhile. */
  readonly memory: Arena;
  /** An unused arena in which `sideBytes` are reserved; absent if there is none. */
  readonly spareMemory?: Arena;
  /** Profile and metadata to embed. */
  readonly appearance: Appearance;
  /** The rotation still to be applied to the rows, for an encoder that reads strips; absent if they are upright. */
  readonly turn?: Orientation;
  /** Maximum file size in bytes. */
  readonly maxBytes: number;
  /** Maximum bytes of buffers outside that memory. */
  readonly bufferBytes: number;
}

/** A complete file and the quality it was encoded with. */
export interface Encoded {
  /**
   * The file: views of the encoder's arena and, for an encoder in the side arena, pieces in buffers of their own, at
   * most as many bytes as its run allows. They are freed after being copied, so they must not contain anything that
   * lasts.
   */
  readonly parts: readonly Uint8Array[];
  /** `lossless` if every visible sample is unchanged. */
  readonly quality: Quality;
  /** SSIMULACRA2 score compared with the rows it was made from; absent if not measured. */
  readonly score?: number;
}
