import type { Inspection } from '../inspect/inspection.ts';
import type { Quality } from '../options.ts';
import type { Raster } from '../raster.ts';

/** The way from a file to pixels in one format. */
export interface Decoder {
  /**
   * The arena, in bytes, that decoding needs: at least what was measured
   * (`bench/tuning/codec-memory.ts`), never a hope.
   */
  arenaBytes(image: Inspection, fileBytes: number): number;
  /**
   * Lets `look` see the pixels where they lie in the arena, which is only until
   * it returns; it may use no codec.
   * @throws CodecError when the file cannot be decoded in full
   */
  decode<Result>(file: Uint8Array, image: Inspection, look: (raster: Raster) => Result): Result;
}

/** The way from pixels to a file in one format. */
export interface Encoder<Settings> {
  /** As {@link Decoder.arenaBytes}. */
  arenaBytes(picture: PictureShape, settings: Settings): number;
  /** @throws CodecError as decoding does */
  encode(raster: Raster, settings: Settings): Uint8Array<ArrayBuffer>;
}

/** A file, and what it was written with. */
export interface Encoded {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** `lossless` where every visible sample is what it was. */
  readonly quality: Quality;
}

/** What an encoder's memory depends on beside its settings. */
export interface PictureShape {
  readonly width: number;
  readonly height: number;
  /** There may be pixels that are not opaque. */
  readonly hasAlpha: boolean;
}

/** A codec gave up: it trapped, exited, ran out of arena, or returned nothing. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
  /** It asked for more memory than was reserved; the picture itself may be sound. */
  readonly exhausted: boolean;

  constructor(codec: string, exhausted: boolean, cause: unknown) {
    super(`${codec} gave up`, { cause });
    this.exhausted = exhausted;
  }
}
