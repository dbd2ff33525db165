import type { NoticePlace } from '../metadata/metadata.ts';

/** What can be said of a format without any of its code; pages in the browser know it, too. */
export interface FormatFacts {
  /** Its word in options, headers and the log, such as `jpeg`. */
  readonly type: string;
  /** Its name for people, such as `JPEG`. */
  readonly name: string;
  readonly mediaType: string;
  /** Other media types that its files go by. */
  readonly otherMediaTypes: readonly string[];
  /** Lower case, without a dot; a result is named with the first. */
  readonly extensions: readonly [string, ...string[]];
  readonly isInput: boolean;
  /** Null for a format that is input only. */
  readonly output: OutputFacts | null;
}

/** What a file of a format can hold when it is written here. */
export interface OutputFacts {
  /** Types of the pictures that become files of it; absent: all do. */
  readonly sources?: readonly string[];
  /** In pixels. */
  readonly longestSide: number;
  readonly holdsAlpha: boolean;
  /** One component instead of three, and ICC profiles for grey. */
  readonly holdsGrey: boolean;
  readonly holdsProfiles: boolean;
  readonly holdsIptc: boolean;
  /** Where a copyright notice takes the fewest bytes; `xmp`: there is no place for EXIF. */
  readonly noticesIn: NoticePlace;
  /** An EXIF orientation that viewers obey. */
  readonly holdsOrientation: boolean;
  /** Still pictures become files of it; if not, only animations do, and stills that came in one. */
  readonly holdsStills: boolean;
  /** Animations become files of it, and stay animations. */
  readonly holdsAnimations: boolean;
  /** Decoded samples of 8 bits can be written without loss. */
  readonly isExact: boolean;
  /** It is tried under `format=auto`, whatever the source is; `named`: where its own media type is accepted by name. */
  readonly isAutomatic: boolean | 'named';
  readonly quality: QualityScale;
}

/** An encoder's scale from 1 to 100. */
export type QualityScale =
  | {
      /**
       * SSIMULACRA2 that photos come to as a rule, at ascending qualities. A search begins there, and measures what holds
       * for the picture; where none is possible, the figure itself is taken.
       */
      readonly scores: readonly (readonly [quality: number, score: number])[];
      /** Qualities from which on pictures are coded in another way, so that scores leap there; absent: there are none. */
      readonly leaps?: readonly number[];
    }
  | {
      /** Quality is not about detail. */
      readonly scores: null;
      /** What serves where none is asked for. */
      readonly automatic: number;
      /** SSIMULACRA2 that is asked for with a quality, at ascending qualities. */
      readonly targets: readonly (readonly [number, number])[];
    };
