import type { StoredProfile } from '../color/icc-reader.ts';
import type { SampleStatement, SourceColor } from '../color/source-color.ts';
import type { Keeping } from '../metadata/carried.ts';
import type { Metadata } from '../metadata/metadata.ts';
import type { PictureShape, Region } from '../pixels/raster.ts';
import type { Unreadable } from '../refusal.ts';
import type { ReleaseFile } from '../wasm/run-in-arena.ts';
import type { AnimationReader, AnimationWriter } from './animation-format.ts';
import type { Coding, Detail, Placement, RowDecoder, RowEncoder, Speed } from './coding.ts';
import type { FormatFacts } from './format-facts.ts';
import type { Appearance, Inspection, InspectionResult, Quality, Source } from './inspection.ts';

/**
 * What a format is. Reading and writing are separate abilities: a format without `read` is output only, one
 * without `write` input only. A format that has both may also recode its own files.
 *
 * Methods that take an inspection are only ever given one that the format itself has made.
 */
export interface Format<Image extends Inspection = Inspection> {
  readonly facts: FormatFacts;
  readonly read?: Reader<Image>;
  readonly write?: Writer;
}

/** `Reader.rewrap` by itself. */
export type Rewrapper<Image extends Inspection = Inspection> = (
  image: Image,
  file: Uint8Array,
  appearance: Appearance,
) => Uint8Array<ArrayBuffer>;

/** The ability to read files of a format. */
export interface Reader<Image extends Inspection> {
  /** Whether a file begins as files of this format do. */
  recognizes(file: Uint8Array): boolean;
  /**
   * Reads headers, without decoding any of the picture. Never throws, allocates nothing that grows with
   * the file, and takes time linear in its length at most.
   */
  inspect(file: Uint8Array): InspectionResult<Image>;
  /** What the file says of its samples, in terms that all formats share. */
  samples(image: Image): SampleStatement;
  /** Absent where a picture is shown by its EXIF orientation alone. */
  placement?(image: Image): Placement;
  /** The inspection of such a picture in another size; absent: one that differs in size alone. */
  withSize?(image: Image, size: { readonly width: number; readonly height: number }): Image;
  /** The ICC profile that the file carries; nothing may lie in the arena. */
  profile(file: Uint8Array, image: Image): StoredProfile;
  /** Why a file is not worked on that was made to do harm; nothing may lie in the arena. */
  findHarm?(file: Uint8Array): Unreadable | null;
  /**
   * The EXIF, XMP and IPTC blocks of the file, subarrays of it where they are not deflated or in pieces.
   * @throws ContainerError when the structure of the file cannot be read
   */
  metadata(file: Uint8Array): Metadata;
  /**
   * A copy of a file whose coded picture is untouched, with this profile and these blocks and no others.
   * @throws ContainerError when the structure of the file cannot be read or cannot carry the profile
   */
  rewrap(image: Image, file: Uint8Array, appearance: Appearance): Uint8Array<ArrayBuffer>;
  readonly decoder: RowDecoder<Image>;
  /** How much there is to code in the picture, as far as its header and the length of its file tell. */
  detail(image: Image, fileBytes: number): Detail;
  /** The quality on libjpeg's scale that the picture was coded with; absent where headers do not tell. */
  jpegQuality?(image: Image): number;
  /** What can be tried for a picture that keeps its format and size, the best first. */
  candidates(source: Source<Image>, wanted: WantedQuality): readonly OwnCandidate[];
  readonly recoder?: Recoder<Image>;
  /** Absent where no file of the format moves, or its animations are passed through. */
  readonly animation?: AnimationReader<Image>;
}

/** The quality that is asked for. */
export interface WantedQuality {
  /** `auto` is resolved. */
  readonly quality: Quality;
  readonly isAutomatic: boolean;
  /** Colours that nobody sees, under full transparency, are kept as well. */
  readonly exact: boolean;
  /** Colours would not survive decoding and encoding. */
  readonly hasColorObstacle: boolean;
}

/** A candidate for the answer that keeps the picture's format and size. */
export type OwnCandidate =
  /** Made from the file itself by the format's recoder. */
  | ({ readonly kind: 'recode' } & RecodeSettings)
  /** Decoded and encoded. */
  | { readonly kind: 'encode'; readonly quality: Quality }
  /** The coded picture as it is. */
  | {
      readonly kind: 'passthrough';
      /** Decode it first, so that no damaged picture is handed on; candidates before it may have done so. */
      readonly verify: boolean;
      /**
       * How many times as long as another candidate it may be and still be sent: encoding again costs
       * a little quality each time, and for next to nothing it is not worth it.
       */
      readonly advantage: number;
    };

export interface RecodeSettings {
  /** `lossless`: what is seen stays as it is, in all its bits. */
  readonly quality: Quality;
  /** What nobody sees stays, too. */
  readonly exact: boolean;
  /** See `Coding.minScore`. */
  readonly minScore?: number;
  /** A gain map goes on; absent: it is dropped, where there is one. */
  readonly keepsGainMap?: boolean;
  /** Absent: `usualSpeed`. */
  readonly speed?: Speed;
}

/** Makes a file of the same size from a file without a raster, which is smaller where the format stays. */
export interface Recoder<Image extends Inspection> {
  /** What the log calls it. */
  readonly engine: string;
  /** The arena, in bytes, the result included: it lies there until it is complete. */
  arenaBytes(source: Source<Image>, settings: RecodeSettings): number;
  /** The side arena, in bytes, in which what becomes of the picture is scored; absent: none. */
  sideBytes?(source: Source<Image>, settings: RecodeSettings): number;
  /** Buffers beside the arena and the file, in bytes; absent: none. */
  bufferBytes?(source: Source<Image>, settings: RecodeSettings): number;
  /** Computing time in milliseconds (`npm run bench -- --only cpu`). */
  cpuMs(source: Source<Image>, settings: RecodeSettings): number;
  /** Speeds beyond the usual one, the slowest first; absent: there is none. */
  readonly speeds?: readonly Speed[];
  /**
   * The picture coded anew, or, in the same format, the file with its coded picture untouched where that would not make it smaller:
   * with the profile, the orientation and the metadata that belong to the answer, so that there is no
   * second copy of a large one.
   *
   * @param makeWay called once the file is not needed any more
   * @throws CodecError where the file is damaged, or takes more memory than there is; `Unrepresentable` where it holds what the
   *   other format cannot
   */
  recode(
    file: Uint8Array<ArrayBuffer>,
    source: Source<Image>,
    settings: RecodeSettings,
    keeping: Keeping,
    makeWay: ReleaseFile,
  ): Finished;
  /**
   * A file of parts of the picture, one below the other, on which recoding does what it does to the whole; null where
   * there is none of these parts. Absent: there never is.
   * @param parts of one size
   * @param slotHeight rows from one part to the next
   * @throws CodecError where the file is damaged, or takes more memory than there is
   */
  cutOut?(
    file: Uint8Array<ArrayBuffer>,
    source: Source<Image>,
    parts: readonly Region[],
    slotHeight: number,
  ): Uint8Array<ArrayBuffer> | null;
  /** What trying a quality on a file of parts takes, against recoding as many pixels of the whole; absent: three times as much. */
  readonly partsShare?: number;
  /**
   * Scores leap from one part of a picture to the next, and from one quality to the next: none counts but that of the whole at a
   * quality that was tried.
   */
  readonly isUneven?: boolean;
}

/** A picture as it can be sent. */
export interface Finished {
  readonly kind: 'finished';
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What it was written with; `original` when its coded picture was not touched. */
  readonly quality: Quality | 'original';
  /** False: metadata that should have stayed would have made it longer than it came. */
  readonly isComplete: boolean;
  /** SSIMULACRA2 against the pixels that it was made from; absent: it was not measured. */
  readonly score?: number;
  /** What the log calls that which made it; absent: what the candidate is made by as a rule. */
  readonly engine?: string;
}

/** How pictures of another format become files of this one without pixels, in their own size. */
export interface Transcoding<Image extends Inspection = Inspection> {
  readonly recoder: Recoder<Image>;
  /** Why a picture cannot, as far as its header tells, in a sentence for people; null: it can. */
  obstacle(image: Image): string | null;
}

/** A format whose files stand for those of another one in trials and scores. */
export interface TrialForm {
  /** It codes the very same coefficients at each quality. */
  readonly type: string;
  /** Bytes of the other's files against its own, as a rule. */
  readonly bytesShare: number;
  /** See `Decoding.asTranscoded`. */
  readonly asTranscoded?: boolean;
}

/** The ability to write files of a format from pixels. */
export interface Writer {
  /**
   * Encoders for a picture of this shape, the best first; each that runs out of memory hands over to the next.
   */
  encoders(shape: PictureShape, coding: Coding): readonly RowEncoder[];
  /**
   * Those that get by with the side arena, where a reader needs the arena itself; absent: none does.
   */
  asideEncoders?(shape: PictureShape, coding: Coding): readonly RowEncoder[];
  /** Speeds beyond the usual one, the slowest first; absent: there is none. */
  readonly speeds?: readonly Speed[];
  /** Computing time that a picture of this shape is worth, in milliseconds, and the fastest speed that is taken for its sake. */
  readonly patience?: { ms(shape: PictureShape): number; readonly fastest: Speed };
  /** How a sample is tried, where the usual speed takes too long. */
  readonly trial?: {
    readonly speed: Speed;
    /** The share of what the score of a photo lacks that the usual speed gains; and, with many exceptions, that of graphics. */
    readonly gain: number;
    readonly drawnGain: number;
    /** What coding a photo takes as a rule against what is predicted, which leaves room. */
    readonly codingShare: number;
  };
  /** Absent: pictures of any other format are decoded and encoded. */
  readonly transcoding?: Transcoding;
  /** What is tried and scored in place of its files, which cannot be read here; absent: those themselves. */
  readonly trialForm?: TrialForm;
  /** What `quality=auto` means for a source that the scale does not fit; null: as for any other. */
  automaticQuality?(image: Inspection): Quality | null;
  /** What a quality comes to for a source of these colours; absent: itself. */
  effectiveQuality?(quality: Quality, color: SourceColor): Quality;
  /** Absent: animations are not written. */
  readonly animation?: AnimationWriter;
}
