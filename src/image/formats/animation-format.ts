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
import type { Slices } from '../slices.ts';
import type { Arena } from '../wasm/arena.ts';
import type { Curve } from '../wasm/memory-ledger.ts';
import type { Coding, Decoding, Encoded } from './coding.ts';
import type { Appearance, Inspection } from './inspection.ts';

/** The rows of a frame. */
export interface FrameRows extends RowSource {
  /** Whether samples have been rounded to 8 bits so far; absent if that never happens. */
  readonly isRounded?: boolean;
}

/** The ability to read animations, frame by frame. */
export interface AnimationReader<
  Image extends Inspection = Inspection,
  Frame extends AnimationFrame = AnimationFrame,
> {
  /**
   * The result of `Reader.rewrap` as a build that is not yet written, so that a long file need not be held twice.
   * @throws ContainerError if the structure of the file cannot be read
   */
  rewrapped(image: Image, file: Uint8Array, appearance: Appearance): Build;
  /** How many times it is played; 0 for infinite. */
  plays(file: Uint8Array, image: Image): number;
  /** The frames in order, read from their headers one at a time, so that no list of them exists. */
  frames(file: Uint8Array, image: Image): Iterable<Frame>;
  /** CPU time of decoding all frames, in milliseconds. */
  cpuMs(image: Image, fileBytes: number): number;
  /** Maximum bytes of an arena that opening a frame takes. */
  arenaBytes(image: Image, fileBytes: number): number;
  /**
   * Opens the picture of a frame, as rows of its region, while `use` runs.
   * @param memory arena to run in, which nothing else may use meanwhile
   * @throws CodecError if the file is damaged or takes more memory than is available; reading rows may throw it as well
   */
  open<Result>(
    file: Uint8Array,
    image: Image,
    frame: Frame,
    memory: Arena,
    use: (rows: FrameRows) => Slices<Result>,
    deepSamples?: Decoding['deepSamples'],
  ): Slices<Result>;
  /**
   * The picture for software without support for animations, as large as the canvas, if it is not a frame; absent if
   * the format has none.
   */
  readonly substitute?: {
    isThere(image: Image): boolean;
    /** Opens it like a frame; see `open`. */
    open<Result>(
      file: Uint8Array,
      image: Image,
      memory: Arena,
      use: (rows: FrameRows) => Slices<Result>,
    ): Slices<Result>;
  };
}

/** The ability to write animations, frame by frame. */
export interface AnimationWriter {
  /** Supported disposal methods. */
  readonly disposals: readonly Disposal[];
  /** Whether a frame can make opaque pixels transparent; if not, only the disposal of the previous frame can. */
  readonly canClear: boolean;
  /** Whether pixels can be partially transparent; if not, they are made opaque or fully transparent first. */
  readonly holdsPartialAlpha: boolean;
  /** Frame offsets are multiples of this many pixels. */
  readonly offsetStep: 1 | 2;
  /** Whether the first frame must cover the whole canvas. */
  readonly isFirstWhole: boolean;
  /** Whether all frames are surveyed before the first one is added; see `AnimationSink.survey`. */
  readonly isSurveyed: boolean;
  /** Typical SSIMULACRA2 scores at ascending qualities; null if no quality is searched for. */
  readonly scores: Curve | null;
  /** Whether scores jump between qualities, because errors in a frame remain visible in later ones. */
  readonly isUneven: boolean;
  readonly durations: DurationLimits;
  /** Maximum number of plays that a file can state; higher numbers are clamped. */
  readonly maxPlays: number;
  /** Bytes of the arena for encoding a frame of this shape. */
  arenaBytes(frame: PictureShape, coding: AnimationCoding): number;
  /** Bytes of the arena if the canvases lie in it as well; absent if that saves nothing. */
  inPlaceBytes?(frame: PictureShape, coding: AnimationCoding): number;
  /** CPU time of encoding this many frames with this many pixels in total, in milliseconds. */
  cpuMs(
    frames: { readonly count: number; readonly pixels: number },
    coding: AnimationCoding,
  ): number;
  /** How much a pixel may differ before it has to be updated. */
  toleranceFor(coding: AnimationCoding): ColorTolerance;
  /** Whether frames may show slightly different colors, which the encoder writes back into their pictures. */
  changesColors(coding: AnimationCoding): boolean;
  /** The cost of reducing the number of colors; null if colors are kept. Absent if they always are. */
  recoloring?(coding: AnimationCoding): RecoloringCost | null;
  /** Starts a file. */
  begin(animation: AnimationShape, coding: AnimationCoding, run: AnimationRun): AnimationSink;
}

/** The cost of reducing the number of colors. */
export interface RecoloringCost {
  /** Bytes of buffers for pictures of this size. */
  bufferBytes(size: Size): number;
  /** CPU time of one pass over this many pictures with this many pixels in total, in milliseconds. */
  cpuMs(pictures: { readonly count: number; readonly pixels: number }): number;
}

/** A reduced palette shared by all pictures of an animation. */
export interface Recoloring {
  /** The SSIMULACRA2 score that it has to reach. */
  readonly minScore: number;
  /** A picture in the colors of the palette, valid until the next call; unchanged pixels are mapped consistently. */
  shown(picture: Canvas): Slices<Canvas>;
  /** Reports that the score is too low, or null if unknown; the sink then has a larger palette, or null. */
  refine(score: number | null): Slices<void>;
}

/** What a file states before its frames. */
export interface AnimationShape extends Size {
  /** Whether there may be pixels that are not opaque. */
  readonly hasAlpha: boolean;
  /** Number of plays; 0 for infinite. */
  readonly plays: number;
}

/** Settings for encoding the pixels of frames. */
export type AnimationCoding = Pick<Coding, 'quality' | 'exact' | 'icc' | 'isAutomatic'>;

export interface AnimationRun {
  /** Arena for encoding frames; between two frames, anything else may use it. */
  readonly memory: Arena;
  /** Receives encoded frames; limited to the maximum size of the file. */
  readonly pieces: StreamPieces;
  /** The original file if format and size stay the same, which may hold more than the pictures do. */
  readonly original?: Uint8Array;
}

/** An animation being written. */
export interface AnimationSink {
  /** Surveys a frame; called for all of them before the first one is added. Absent if the format does not need it. */
  survey?(frame: Pick<PlannedFrame, 'region' | 'picture'>): Slices<void>;
  /** Called after the survey of all frames, to choose colors; absent if there is nothing to choose. */
  endSurvey?(): Slices<void>;
  /**
   * After `endSurvey`: the reduced palette to apply to pictures before they become frames; null to keep
   * all colors. Absent if they are always kept.
   */
  readonly recoloring?: Recoloring | null;
  /**
   * Adds the picture for software without support for animations, before the first frame; absent if the format has
   * none.
   */
  addSubstitute?(picture: Canvas): Slices<void>;
  /** CPU time of adding a frame of this many pixels, in milliseconds; absent if the writer's estimate holds. */
  cpuMs?(pixels: number): number;
  /**
   * Adds a frame.
   * @throws NoRoomForResult if the file exceeds its maximum size, TooManyColors, or CodecError if there is too little
   *   memory
   */
  add(frame: PlannedFrame): Slices<void>;
  /**
   * Returns the file in parts, which may include the run's pieces; `quality` is `lossless` if every visible sample is
   * unchanged.
   * @throws NoRoomForResult if the file exceeds its maximum size
   */
  finish(appearance: Appearance): Slices<Pick<Encoded, 'parts' | 'quality'>>;
  /** Frees what is held besides the run's pieces; absent if there is nothing. */
  free?(): void;
}

/** Thrown if a frame has more colors than the format can represent and none of them may change. */
export class TooManyColors extends Error {
  override readonly name = 'TooManyColors';
}
