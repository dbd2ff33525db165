import type { ColorTolerance } from '../animation/differences.ts';
import type {
  AnimationFrame,
  Canvas,
  Disposal,
  DurationLimits,
  PlannedFrame,
} from '../animation/timeline.ts';
import type { Build } from '../container/assemble.ts';
import type { StreamPieces } from '../container/drained-output.ts';
import type { PictureShape, Size } from '../pixels/raster.ts';
import type { RowSource } from '../pixels/row-source.ts';
import type { Arena } from '../wasm/arena.ts';
import type { Curve } from '../wasm/memory-ledger.ts';
import type { Coding, Decoding, Encoded } from './coding.ts';
import type { Appearance, Inspection } from './inspection.ts';

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
  /** Scores leap from one quality to the next, since what a frame leaves is seen in those after it. */
  readonly isUneven: boolean;
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
