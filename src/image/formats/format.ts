import type { StoredProfile } from '../color/icc-reader.ts';
import type { SampleStatement, SourceColor } from '../color/source-color.ts';
import type { Keeping } from '../metadata/carried.ts';
import type { Metadata } from '../metadata/metadata.ts';
import type { PictureShape, Region } from '../pixels/raster.ts';
import type { Refusal } from '../refusal.ts';
import type { Slices } from '../slices.ts';
import type { ReleaseFile } from '../wasm/run-in-arena.ts';
import type { AnimationReader, AnimationWriter } from './animation-format.ts';
import type { Coding, Detail, Placement, RowDecoder, RowEncoder, Speed } from './coding.ts';
import type { FormatFacts } from './format-facts.ts';
import type { Appearance, Inspection, InspectionResult, Quality, Source } from './inspection.ts';

/**
 * The definition of a format. Reading and writing are separate abilities: a format without `read` is output only, one
 * without `write` is input only. A format that has both may also recode its own files.
 *
 * Methods that take an inspection are only called with one that the format itself has created.
 */
export interface Format<Image extends Inspection = Inspection> {
  readonly facts: FormatFacts;
  readonly read?: Reader<Image>;
  readonly write?: Writer;
}

/** The type of `Reader.rewrap`. */
export type Rewrapper<Image extends Inspection = Inspection> = (
  image: Image,
  file: Uint8Array,
  appearance: Appearance,
) => Uint8Array<ArrayBuffer>;

/** The ability to read files of a format. */
export interface Reader<Image extends Inspection> {
  /**
   * Reads headers without decoding any pixels. Never throws, makes no allocation that grows with the file, and takes at
   * most linear time.
   */
  inspect(file: Uint8Array): InspectionResult<Image>;
  /** Describes the samples of the file in terms that all formats share. */
  samples(image: Image): SampleStatement;
  /** Absent if only the EXIF orientation determines how a picture is shown. */
  placement?(image: Image): Placement;
  /** Adapts an inspection to another size; absent if only width and height differ. */
  withSize?(image: Image, size: { readonly width: number; readonly height: number }): Image;
  /** The embedded ICC profile. Uses neither arena, in which the work on another file may pause. */
  profile(file: Uint8Array, image: Image): StoredProfile;
  /** Whether profiles are compressed. Default: false. */
  readonly hasPackedProfile?: boolean;
  /**
   * Why a maliciously crafted file is refused; null if it is harmless. Takes time in proportion to the file, and uses
   * the arena, which must be empty.
   */
  findHarm?(file: Uint8Array): Slices<Refusal | null>;
  /**
   * The EXIF, XMP and IPTC blocks of the file: subarrays of it unless they are compressed or fragmented.
   * @throws ContainerError if the structure of the file cannot be read
   */
  metadata(file: Uint8Array): Metadata;
  /**
   * Copies a file without changing its coded picture, with exactly the given profile and metadata.
   * @throws ContainerError if the structure of the file cannot be read or cannot carry the profile
   */
  rewrap(image: Image, file: Uint8Array, appearance: Appearance): Uint8Array<ArrayBuffer>;
  readonly decoder: RowDecoder<Image>;
  /** Estimates the amount of detail in the picture from its header and file size. */
  detail(image: Image, fileBytes: number): Detail;
  /** The quality, on libjpeg's scale, that the picture was coded with; absent if headers do not reveal it. */
  jpegQuality?(image: Image): number;
  /** The candidates for a picture that keeps its format and size, best first. */
  candidates(source: Source<Image>, wanted: WantedQuality): readonly OwnCandidate[];
  readonly recoder?: Recoder<Image>;
  /** Absent if the format has no animations, or they are passed through unchanged. */
  readonly animation?: AnimationReader<Image>;
}

/** The requested quality. */
interface WantedQuality {
  /** Never `auto`, which has been resolved. */
  readonly quality: Quality;
  readonly isAutomatic: boolean;
  /** Whether the invisible colors of fully transparent pixels are kept as well. */
  readonly exact: boolean;
  /** Whether decoding and encoding would change colors. */
  readonly hasColorObstacle: boolean;
}

/** A candidate that keeps the picture's format and size. */
export type OwnCandidate =
  /** Recoded from the file by the format's recoder. */
  | ({ readonly kind: 'recode' } & RecodeSettings)
  /** Decoded to pixels and encoded again. */
  | { readonly kind: 'encode'; readonly quality: Quality }
  /** The coded picture unchanged. */
  | {
      readonly kind: 'passthrough';
      /** Whether to decode it first, so that no damaged picture is returned; an earlier candidate may have done so. */
      readonly verify: boolean;
      /**
       * The factor by which it may be longer than another candidate and still be preferred: each encoding costs a
       * little quality, which is not worth a negligible gain.
       */
      readonly advantage: number;
    };

export interface RecodeSettings {
  /** `lossless` preserves every bit of all visible samples. */
  readonly quality: Quality;
  /** Whether invisible samples are preserved as well. */
  readonly exact: boolean;
  /** See `Coding.minScore`. */
  readonly minScore?: number;
  /** Whether a gain map is kept. Default: false. */
  readonly keepsGainMap?: boolean;
  /** Default: `usualSpeed`. */
  readonly speed?: Speed;
  /**
   * Whether a lossless coding that may be shorter is tried beside a lossy one, where that takes little time. Default:
   * false, because trials measure the loss.
   */
  readonly triesLossless?: boolean;
}

/** Converts the coded data of a file without decoding it to pixels; within a format, the result is smaller. */
export interface Recoder<Image extends Inspection> {
  /** Its name in the request log. */
  readonly engine: string;
  /** Bytes of the arena, including the result, which lies there until it is complete. */
  arenaBytes(source: Source<Image>, settings: RecodeSettings): number;
  /** Bytes of the side arena, where the result is scored; absent if it is not needed. */
  sideBytes?(source: Source<Image>, settings: RecodeSettings): number;
  /** Bytes of buffers, not counting the arena and the file; absent if there are none. */
  bufferBytes?(source: Source<Image>, settings: RecodeSettings): number;
  /** CPU time in milliseconds (`npm run bench -- --only cpu`). */
  cpuMs(source: Source<Image>, settings: RecodeSettings): number;
  /** Speeds above the usual one, slowest first; absent if there are none. */
  readonly speeds?: readonly Speed[];
  /**
   * Recodes the picture. Within a format, the coded picture is left unchanged if recoding would not make it smaller.
   * The result includes the profile, orientation and metadata of the response, so that a large file is not copied
   * again.
   *
   * @param makeWay called when the file is no longer needed
   * @throws CodecError if the file is damaged or takes more memory than is available; `Unrepresentable` if the other
   *   format cannot represent it
   */
  recode(
    file: Uint8Array<ArrayBuffer>,
    source: Source<Image>,
    settings: RecodeSettings,
    keeping: Keeping,
    makeWay: ReleaseFile,
  ): Slices<Finished>;
  /**
   * Assembles parts of the picture, one below the other, into a file on which recoding has the same effect as on the
   * whole; null if these parts cannot be cut out. Absent if that is never possible.
   * @param parts regions of equal size
   * @param slotHeight distance in rows between the tops of consecutive parts
   * @throws CodecError if the file is damaged or takes more memory than is available
   */
  cutOut?(
    file: Uint8Array<ArrayBuffer>,
    source: Source<Image>,
    parts: readonly Region[],
    slotHeight: number,
  ): Slices<Uint8Array<ArrayBuffer> | null>;
  /** CPU time of a trial on a file of parts, relative to recoding as many pixels of the whole. Default: 3. */
  readonly partsShare?: number;
  /**
   * Whether scores vary erratically between the parts of a picture and between qualities, so that only the score of the
   * whole picture at a quality that was tried is reliable. Default: false.
   */
  readonly isUneven?: boolean;
}

/** A file that is ready to be sent. */
export interface Finished {
  readonly kind: 'finished';
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The quality it was coded with; `original` if the coded picture is unchanged. */
  readonly quality: Quality | 'original';
  /** False if requested metadata was left out, because it would have made the file longer than the original. */
  readonly isComplete: boolean;
  /** SSIMULACRA2 score, compared with the pixels it was made from; absent if not measured. */
  readonly score?: number;
  /** Name in the request log of the engine that made it; absent if it is the usual one for the candidate. */
  readonly engine?: string;
}

/** How pictures of another format are converted to this one without decoding to pixels, at their own size. */
export interface Transcoding<Image extends Inspection = Inspection> {
  readonly recoder: Recoder<Image>;
  /** Why a picture cannot be converted, as far as its header reveals, as a sentence for users; null if it can. */
  obstacle(image: Image): string | null;
}

/** A format whose files substitute for those of another one in trials and scoring. */
export interface TrialForm {
  /** The substitute format, which codes identical coefficients at each quality. */
  readonly type: string;
  /** Typical size of the actual files relative to those of the substitute. */
  readonly bytesShare: number;
  /** See `Decoding.asTranscoded`. */
  readonly asTranscoded?: boolean;
}

/** The ability to write files of a format from pixels. */
export interface Writer {
  /** Encoders for a picture of this shape, best first. If one runs out of memory, the next one is tried. */
  encoders(shape: PictureShape, coding: Coding): readonly RowEncoder[];
  /** Encoders that fit into the side arena, for when a reader needs the main arena; absent if there are none. */
  asideEncoders?(shape: PictureShape, coding: Coding): readonly RowEncoder[];
  /** Speeds above the usual one, slowest first; absent if there are none. */
  readonly speeds?: readonly Speed[];
  /**
   * Maximum CPU time in milliseconds for a picture of this shape, and the fastest speed that may be used to meet it.
   */
  readonly patience?: { readonly ms: number; readonly fastest: Speed };
  /** How trials on samples are run if the usual speed is too slow for them. */
  readonly trial?: {
    readonly speed: Speed;
    /**
     * The part of a photo's distance to a score of 100 that the usual speed gains over the trial speed; `drawnGain` is
     * the less reliable figure for graphics.
     */
    gain(detail: Detail): number;
    readonly drawnGain: number;
    /** Typical CPU time for a photo relative to the prediction, which is conservative. */
    readonly codingShare: number;
  };
  /** Absent if pictures of all other formats are decoded and encoded. */
  readonly transcoding?: Transcoding;
  /** The format used for trials and scoring, if files of this one cannot be decoded here. */
  readonly trialForm?: TrialForm;
  /** The meaning of `quality=auto` for a source that the quality scale does not fit; null if it fits. */
  automaticQuality?(image: Inspection): Quality | null;
  /** The quality actually used for a source with these colors; absent if it is always the requested one. */
  effectiveQuality?(quality: Quality, color: SourceColor): Quality;
  /** Absent if the format is not written as an animation. */
  readonly animation?: AnimationWriter;
}
