import type { ColorTolerance } from '../animation/differences.ts';
import type {
  AnimationFrame,
  Canvas,
  Disposal,
  DurationLimits,
  PlannedFrame,
} from '../animation/timeline.ts';
import type { StoredProfile } from '../color/icc-reader.ts';
import type { SampleStatement, SourceColor } from '../color/source-color.ts';
import type { Build } from '../container/assemble.ts';
import type { ByteRange } from '../container/byte-cursor.ts';
import type { StreamPieces } from '../container/drained-output.ts';
import type { Keeping } from '../metadata/carried.ts';
import type { Orientation } from '../metadata/exif-block.ts';
import type { GainMapStatement } from '../metadata/gain-map.ts';
import type { Metadata } from '../metadata/metadata.ts';
import type { PictureShape, Raster, Region, Size } from '../pixels/raster.ts';
import type { RowSource } from '../pixels/row-source.ts';
import type { Unreadable } from '../refusal.ts';
import type { Arena } from '../wasm/arena.ts';
import type { Curve } from '../wasm/memory-ledger.ts';
import type { ReleaseFile } from '../wasm/run-in-arena.ts';
import type { FormatFacts } from './format-facts.ts';

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

/** The rows of a frame. */
export interface FrameRows extends RowSource {
  /** Samples have been rounded to 8 bits so far; absent: none ever are. */
  readonly isRounded?: boolean;
}

/** The ability to read animations, frame by frame. */
export interface AnimationReader<
  Image extends Inspection = Inspection,
  Frame extends AnimationFrame = AnimationFrame,
> {
  /**
   * What `Reader.rewrap` writes, not written yet: a long file need not be held twice.
   * @throws ContainerError when the structure of the file cannot be read
   */
  rewrapped(image: Image, file: Uint8Array, appearance: Appearance): Build;
  /** How often it is played; 0: without end. */
  plays(file: Uint8Array, image: Image): number;
  /** The frames in their order, as their headers say: one at a time, so that no list of them exists. */
  frames(file: Uint8Array, image: Image): Iterable<Frame>;
  /** Computing time of decoding all frames, in milliseconds. */
  cpuMs(image: Image, fileBytes: number): number;
  /** Of an arena, in bytes, what opening a frame takes at most. */
  arenaBytes(image: Image, fileBytes: number): number;
  /**
   * Opens the picture of a frame, as rows of its region, for as long as `use` runs.
   * @param memory to run in; nothing else may run there meanwhile
   * @throws CodecError where the file is damaged, or takes more memory than there is; so do the rows
   */
  open<Result>(
    file: Uint8Array,
    image: Image,
    frame: Frame,
    memory: Arena,
    use: (rows: FrameRows) => Result,
    deepSamples?: Decoding['deepSamples'],
  ): Result;
  /** A picture as large as the canvas for programs that show no animations, which is no frame; absent: there never is one. */
  readonly substitute?: {
    isThere(image: Image): boolean;
    /** Opens it as `open` opens a frame. */
    open<Result>(
      file: Uint8Array,
      image: Image,
      memory: Arena,
      use: (rows: FrameRows) => Result,
    ): Result;
  };
}

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
  arenaBytes(image: Image, fileBytes: number): number;
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
}

/** Times that the sides of a picture are halved while it is decoded. */
export type Halvings = 0 | 1 | 2 | 3;

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
  /** Made from the file itself by the format's recoder, which falls back on the file. */
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

/**
 * How much faster than usual something is coded, at the price of bytes: a step of libaom's speed each, any of
 * them for a greedy parse in PNG. Chosen where the usual speed takes more computing time than there is.
 */
export type Speed = 0 | 1 | 2 | 3;

export const usualSpeed: Speed = 0;

/** Makes a smaller file from a file of the same format and size, without a raster. */
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
   * The picture coded anew, or the file with its coded picture untouched where that would not make it smaller:
   * with the profile, the orientation and the metadata that belong to the answer, so that there is no
   * second copy of a large one.
   *
   * @param makeWay called once the file is not needed any more
   * @throws CodecError where the file is damaged, or takes more memory than there is
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
  /** What `quality=auto` means for a source that the scale does not fit; null: as for any other. */
  automaticQuality?(image: Inspection): Quality | null;
  /** What a quality comes to for a source of these colours; absent: itself. */
  effectiveQuality?(quality: Quality, color: SourceColor): Quality;
  /** Absent: animations are not written. */
  readonly animation?: AnimationWriter;
}

/** The ability to write animations, frame by frame. */
export interface AnimationWriter {
  /** What can become of a frame when its time is over. */
  readonly disposals: readonly Disposal[];
  /** A frame can make pixels transparent that were not; if not, only what becomes of the frame before can. */
  readonly canClear: boolean;
  /** Pixels can be partly transparent; if not, they are made opaque or fully transparent first. */
  readonly holdsPartialAlpha: boolean;
  /** Frames begin at multiples of so many pixels. */
  readonly offsetStep: 1 | 2;
  /** The first frame covers all of the canvas. */
  readonly isFirstWhole: boolean;
  /** All frames are looked at before the first is added: see `AnimationSink.survey`. */
  readonly isSurveyed: boolean;
  /** SSIMULACRA2 that pictures come to as a rule, at ascending qualities; null: none is looked for. */
  readonly scores: Curve | null;
  readonly durations: DurationLimits;
  /** That a file can say; more become so many. */
  readonly maxPlays: number;
  /** The arena, in bytes, that coding a frame of this shape takes. */
  arenaBytes(frame: PictureShape, coding: AnimationCoding): number;
  /** What it takes where canvases lie in the same memory; absent: no less. */
  inPlaceBytes?(frame: PictureShape, coding: AnimationCoding): number;
  /** Computing time of coding so many pixels in so many frames, in milliseconds. */
  cpuMs(
    frames: { readonly count: number; readonly pixels: number },
    coding: AnimationCoding,
  ): number;
  /** Where pixels can be left as they are. */
  toleranceFor(coding: AnimationCoding): ColorTolerance;
  /** Whether frames show other colours than they should, which they then write into their pictures. */
  changesColors(coding: AnimationCoding): boolean;
  /** What it takes to show pictures in fewer colours; null: they keep theirs. Absent: they always do. */
  recoloring?(coding: AnimationCoding): RecoloringCost | null;
  /** Begins a file. */
  begin(animation: AnimationShape, coding: AnimationCoding, run: AnimationRun): AnimationSink;
}

/** What it takes to show pictures in fewer colours. */
export interface RecoloringCost {
  /** Buffers, in bytes, for pictures of this size. */
  bufferBytes(size: Size): number;
  /** Computing time of going through so many pictures with so many pixels in all once, in milliseconds. */
  cpuMs(pictures: { readonly count: number; readonly pixels: number }): number;
}

/** Colours that all pictures of an animation share, fewer than they have. */
export interface Recoloring {
  /** SSIMULACRA2 that they have to come to. */
  readonly leastScore: number;
  /** What is shown in place of a picture, good until the next call; what does not change is shown the same again. */
  shown(picture: Canvas): Canvas;
  /**
   * These colours come to too low a score, or to none that can be told: those of the sink are more from now on, or null.
   */
  refine(score: number | null): void;
}

/** What a file says before its frames. */
export interface AnimationShape extends Size {
  /** There may be pixels that are not opaque. */
  readonly hasAlpha: boolean;
  /** 0: without end. */
  readonly plays: number;
}

/** How the pixels of frames are coded. */
export type AnimationCoding = Pick<Coding, 'quality' | 'exact' | 'icc' | 'isAutomatic'>;

export interface AnimationRun {
  /** To code frames in; between two frames anything may run there. */
  readonly memory: Arena;
  /** Takes frames as they are coded; of no more bytes than the file may have. */
  readonly pieces: StreamPieces;
  /** The file of the same format and size that is made anew, which may say more than pictures do; absent: there is none. */
  readonly original?: Uint8Array;
}

/** An animation that is being written. */
export interface AnimationSink {
  /** Looks at a frame, all of them before the first is added, where the format has to know them all; absent: it has not. */
  survey?(frame: Pick<PlannedFrame, 'region' | 'picture'>): void;
  /**
   * Once all frames have been surveyed: fewer colours in which pictures are to be shown before they become frames; null: as
   * they are. Absent: they always are.
   */
  readonly recoloring?: Recoloring | null;
  /** Adds what programs show that show no animations, before the first frame; absent: the format has no place for it. */
  addSubstitute?(picture: Canvas): void;
  /** Computing time of adding a frame of so many pixels, in milliseconds; absent: what the writer says of it. */
  cpuMs?(pixels: number): number;
  /**
   * Adds a frame.
   * @throws NoRoomForResult where the file gets longer than it may be, TooManyColors, and CodecError where there is too
   *   little memory
   */
  add(frame: PlannedFrame): void;
  /**
   * The file in parts, some of them those of the run's pieces; `lossless` where every visible sample is what it was.
   * @throws NoRoomForResult where it is longer than it may be
   */
  finish(appearance: Appearance): Pick<Encoded, 'parts' | 'quality'>;
  /** Gives back what is held beside the run's pieces; absent: nothing is. */
  free?(): void;
}

/** A frame has more colours than the format can show, and none may change. */
export class TooManyColors extends Error {
  override readonly name = 'TooManyColors';
}

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
