import type { MetadataKind, NoticePlace } from '../metadata/metadata.ts';

/** Facts about a format that do not depend on its code, so that pages in the browser can import them. */
export interface FormatFacts {
  /** Identifier in options, headers and the request log, such as `jpeg`. */
  readonly type: string;
  /** Display name, such as `JPEG`. */
  readonly name: string;
  readonly mediaType: string;
  /** Other media types in use for its files. */
  readonly otherMediaTypes: readonly string[];
  /** Lower case, without a dot; results get the first one. */
  readonly extensions: readonly [string, ...string[]];
  readonly isInput: boolean;
  /** Whether a file begins with the signature of this format; the rest of it may be damaged. */
  recognizes(file: Uint8Array): boolean;
  /** Null if the format is input only. */
  readonly output: OutputFacts | null;
}

/** What a format can represent when it is written here. */
export interface OutputFacts {
  /** Types of the only pictures that can be converted to it; absent if all can. */
  readonly sources?: readonly string[];
  /** Maximum width and height in pixels. */
  readonly longestSide: number;
  readonly holdsAlpha: boolean;
  /** Whether it supports a single gray component and gray ICC profiles. */
  readonly holdsGrey: boolean;
  readonly holdsProfiles: boolean;
  /**
   * The kinds of metadata that every writer of the format embeds; the others are lost, which makes a result incomplete.
   */
  readonly holdsMetadata: readonly MetadataKind[];
  /** Where a copyright notice takes the fewest bytes; `xmp` if there is no place for EXIF. */
  readonly noticesIn: NoticePlace;
  /** Whether it can carry an EXIF orientation that viewers apply. */
  readonly holdsOrientation: boolean;
  /** Whether stills can be converted to it; if not, only animations can, and stills that are already in this format. */
  readonly holdsStills: boolean;
  /** Whether animations can be converted to it as animations. */
  readonly holdsAnimations: boolean;
  /** Whether it can represent 8-bit samples losslessly. */
  readonly isExact: boolean;
  /**
   * When `format=auto` makes it of pictures in other formats: whenever the client accepts it; only if the client
   * accepts its media type by name, because not everyone can decode it who accepts any image, so that no wildcard means
   * it, not that of Tinify either; or never.
   */
  readonly chosen: 'if-accepted' | 'if-named' | 'never';
  readonly quality: QualityScale;
}

/** An encoder's quality scale from 1 to 100. */
type QualityScale =
  | {
      /**
       * Typical SSIMULACRA2 scores of photos, at ascending qualities. A search starts from them and measures the actual
       * picture; if no search is possible, they are used directly.
       */
      readonly scores: readonly (readonly [quality: number, score: number])[];
      /** Qualities at which the coding method changes, so that scores jump there; absent if there are none. */
      readonly leaps?: readonly number[];
    }
  | {
      /** Quality does not determine detail. */
      readonly scores: null;
      /** Default quality. */
      readonly automatic: number;
      /** The SSIMULACRA2 score that a quality stands for, at ascending qualities. */
      readonly targets: readonly (readonly [number, number])[];
    };
