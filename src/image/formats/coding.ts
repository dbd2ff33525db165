import type { Orientation } from '../metadata/exif-block.ts';
import type { PictureShape, Raster, Region } from '../pixels/raster.ts';
import type { RowSource } from '../pixels/row-source.ts';
import type { Arena } from '../wasm/arena.ts';
import type { Appearance, Inspection, Quality } from './inspection.ts';

/** How much there is to code in pixels, for who has to say what encoding them takes. */
export interface Detail {
  /** About the bytes per pixel that a JPEG of them takes at the automatic quality, without what blocks take that are flat. */
  readonly density: number;
  /** Drawn, as screens and icons are: kept without loss, in few bytes. */
  readonly isDrawn: boolean;
}

/** How a coded picture is shown. */
export interface Placement {
  /** The part of it that is shown; null: all. */
  readonly region: Region | null;
  /** The turn that shows the part upright. */
  readonly turn: Orientation;
}

/** Decodes to rows from the top, any number of times, so that nothing of the picture's size exists. */
export interface RowDecoder<Image extends Inspection> {
  /** Of an arena, in bytes, what decoding needs; a file that says less in its header than it holds takes more. */
  arenaBytes(image: Image, fileBytes: number, how?: Pick<Decoding, 'asTranscoded'>): number;
  /** Buffers beside the arena while it is open, in bytes; absent: none but for a row. */
  bufferBytes?(image: Image, fileBytes: number): number;
  /** Computing time that decoding takes, in milliseconds (`npm run bench -- --only cpu`). */
  cpuMs(image: Image, fileBytes: number, halvings: Halvings): number;
  /** How often decoding can halve the picture's sides, for less work. */
  readonly maxHalvings: Halvings;
  /** Halvings that are not seen in a picture whose sides are then reduced to so small a part. */
  halvingsFor(reduction: number): Halvings;
  /**
   * Opens the picture for as long as `use` runs.
   * @param memory to run in; nothing else may run there meanwhile
   * @throws CodecError where the file is damaged, or takes more memory than there is; so do the rows
   */
  open<Result>(
    file: Uint8Array,
    image: Image,
    how: Decoding,
    memory: Arena,
    use: (rows: RowSource) => Result,
  ): Result;
}

/** How rows are decoded. */
export interface Decoding {
  readonly halvings: Halvings;
  /** The 8-bit code of each 16-bit sample; null: the nearest. */
  readonly deepSamples: Uint8Array | null;
  /** In full size: a JPEG as decoders of JPEG XL show its coefficients once it has become one; absent: false. */
  readonly asTranscoded?: boolean;
}

/** Times that the sides of a picture are halved while it is decoded. */
export type Halvings = 0 | 1 | 2 | 3;

/**
 * How much faster than usual something is coded, at the price of bytes: a step of libaom's speed each, any of
 * them for a greedy parse in PNG. Chosen where the usual speed takes more computing time than there is.
 */
export type Speed = 0 | 1 | 2 | 3;

export const usualSpeed: Speed = 0;

/** How pixels are encoded. */
export interface Coding {
  readonly quality: Quality;
  /** Colours that nobody sees, under full transparency, are kept as well. */
  readonly exact: boolean;
  /** Profile for the result; null: sRGB. */
  readonly icc: Uint8Array | null;
  /** As one component, where the format knows that. */
  readonly grey: boolean;
  /**
   * SSIMULACRA2 below which a format does not give up colours for a palette that can also keep them all; absent: quality
   * alone says what is given up.
   */
  readonly minScore?: number;
  /** Nobody has asked for this very quality, so that a picture may be coded otherwise where that serves it; absent: false. */
  readonly isAutomatic?: boolean;
  /** Absent: `usualSpeed`. */
  readonly speed?: Speed;
  /** See `Detail`; absent: it is not. */
  readonly isDrawn?: boolean;
  /** The picture that the rows are a sample of, and how fast that is coded; absent: they are all of it. */
  readonly sampleOf?: { readonly shape: PictureShape; readonly speed: Speed };
}

/**
 * Encodes rows as they come, in any number of runs through the picture. What memory it takes, in bytes, depends on
 * the picture: noise makes it keep several times as much as a photo does.
 */
export interface RowEncoder {
  /** Of an arena, for a photo: the encoder is tried where that fits. */
  readonly photoBytes: number;
  /** Of an arena, for noise: it may have that, as far as the arena may grow. */
  readonly maxBytes: number;
  /** Of the side arena, where nothing else runs there: to score what becomes of the picture; absent: none. */
  readonly sideBytes?: number;
  /** Buffers beside pixels and arenas, for a photo: a result of rows, or what a codec holds with its result. */
  readonly bufferBytes: number;
  /** That for noise. */
  readonly maxBufferBytes: number;
  /** Computing time that it takes for pixels of so much detail, in milliseconds (`npm run bench -- --only cpu`). */
  cpuMs(detail: Detail): number;
  /** How often it goes through a photo, row by row. */
  readonly runs: number;
  /** Absent: it uses its memory all the time, the result lies there, and rows come upright. */
  readonly strips?: (turn: Orientation) => StripWork;
  /**
   * @throws CodecError where it does not work for this picture: a `NoRoomForResult` where the file, or what of it does
   *   not stay in its memory, gets longer than the run allows; and whatever the rows throw
   */
  encode(rows: RowSource, run: EncodingRun): Encoded;
}

/**
 * How rows are taken for a codec that wants many at once. It uses its memory between two strips only, so that a reader
 * may have it meanwhile; what comes of each strip is held in buffers until the picture is complete. Rows come as they
 * lie before a turn, since a strip's parts can be turned one by one.
 */
export interface StripWork {
  /** Rows of a strip, at least. */
  readonly rows: number;
  /** Buffers of pixels that are held, in bytes. */
  readonly heldBytes: number;
  /** How often it goes through a photo strip by strip, beside the runs row by row. */
  readonly runs: number;
}

/** What rows are encoded with beside their coding. */
export interface EncodingRun {
  /** To run in; nothing else may run there meanwhile. */
  readonly memory: Arena;
  /** In which nothing runs, and `sideBytes` have been reserved; absent: there is none. */
  readonly spareMemory?: Arena;
  /** Written into the file. */
  readonly appearance: Appearance;
  /** Rows come as they lie before this turn, for an encoder that takes strips; absent: upright. */
  readonly turn?: Orientation;
  /** Bytes that the file may have. */
  readonly maxBytes: number;
  /** Bytes of buffers for what does not stay in that memory. */
  readonly bufferBytes: number;
}

/** A complete file, and what it was written with. */
export interface Encoded {
  /**
   * The file: views of the arena that the encoder ran in, and, of an encoder aside, pieces in buffers of their own,
   * of which there were no more bytes than its run allows. Those are freed once they have been copied, so that nothing
   * that is to stay may lie in them.
   */
  readonly parts: readonly Uint8Array[];
  /** `lossless` where every visible sample is what it was. */
  readonly quality: Quality;
  /** SSIMULACRA2 against the rows that it was made from; absent: it was not measured. */
  readonly score?: number;
}

/** A codec that decodes a file to pixels. */
export interface Decoder<Image extends Inspection = Inspection> {
  /**
   * The arena, in bytes, that decoding needs: at least what was measured
   * (`bench/tuning/codec-memory.ts`).
   */
  arenaBytes(image: Image, fileBytes: number): number;
  /**
   * Lets `look` see the pixels where they lie in the arena, which is only until
   * it returns; it may use no codec.
   * @throws CodecError when the file cannot be decoded in full
   */
  decode<Result>(file: Uint8Array, image: Image, look: (raster: Raster) => Result): Result;
}

/** A codec that encodes pixels to a file. */
export interface Encoder<Settings> {
  /** The arena, in bytes, that encoding needs at most. */
  arenaBytes(picture: PictureShape, settings: Settings): number;
  /** @throws CodecError when it fails, or needs more memory than there is */
  encode(raster: Raster, settings: Settings): Uint8Array<ArrayBuffer>;
}
