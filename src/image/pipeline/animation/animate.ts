import { DurationConverter } from '../../animation/durations.ts';
import { FramePlanner } from '../../animation/frame-planner.ts';
import { wholeOf } from '../../animation/regions.ts';
import type { PlannedFrame } from '../../animation/timeline.ts';
import { StreamPieces } from '../../container/drained-output.ts';
import { NoMemory } from '../../container/workspace.ts';
import {
  type AnimationSink,
  type Recoloring,
  TooManyColors,
} from '../../formats/animation-format.ts';
import { factsOf, holdsAll } from '../../formats/facts.ts';
import type { Finished } from '../../formats/format.ts';
import type { Appearance, Quality } from '../../formats/inspection.ts';
import { damaged, excessive, refuseImage, refuseOptions, refuseTooLarge } from '../../refusal.ts';
import type { Slices } from '../../slices.ts';
import { arena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { SpareCpu } from '../attempts.ts';
import { hasAlphaAfter } from '../candidates.ts';
import { ReadingError } from '../decode.ts';
import type { Failure } from '../result.ts';
import { type AnimateCandidate, animationWriterOf, keepsOriginal } from './candidates.ts';
import { drawingCpu } from './cpu.ts';
import { chooseColors } from './fewer-colors.ts';
import {
  animationReaderOf,
  isPause,
  preparedSize,
  type Reading,
  shownPictures,
  withSubstitute,
} from './pictures.ts';

/** The input and limits of one pass over an animation. */
export interface AnimationPass extends Reading {
  readonly appearance: Appearance;
  /** Maximum size of the result in bytes. */
  readonly maxBytes: number;
  /** CPU time left for the request, shared by all passes over its animation. */
  readonly spareCpu: SpareCpu;
  /** Copies the result out. @param parts the parts of the result, which are freed afterwards */
  copyOut(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer>;
}

/**
 * Encodes an animation: each picture becomes a frame that covers only what changes. The arenas have been reserved.
 * @returns the file, or why there is none: `impossible` if it does not fit although the source is intact
 */
export function* animated(
  candidate: AnimateCandidate,
  pass: AnimationPass,
): Slices<Finished | Failure> {
  const pieces = new StreamPieces(pass.maxBytes, pass.workspace);
  try {
    const { parts, quality } = yield* codedFrames(candidate, pass, pieces);
    const isComplete = holdsAll(factsOf(candidate.type), pass.appearance.metadata);
    return { kind: 'finished', bytes: pass.copyOut(parts), quality, isComplete };
  } catch (error) {
    return failureOf(error, pass);
  } finally {
    pieces.free();
  }
}

function* codedFrames(
  candidate: AnimateCandidate,
  pass: AnimationPass,
  pieces: StreamPieces,
): Slices<{ readonly parts: readonly Uint8Array[]; readonly quality: Quality }> {
  const writer = animationWriterOf(candidate);
  const { file, source } = pass;
  const size = preparedSize(source, candidate.pixels);
  const plays = Math.min(animationReaderOf(source).plays(file, source.image), writer.maxPlays);
  const hasAlpha = hasAlphaAfter(candidate.pixels, source.image);
  const shape = { ...size, hasAlpha, plays };
  const original = keepsOriginal(candidate, source.image) ? { original: file } : {};
  const sink = writer.begin(shape, candidate, { memory: arena, pieces, ...original });
  try {
    return yield* framesInto(sink, candidate, pass);
  } finally {
    sink.free?.();
  }
}

/** Adds all pictures to a new sink. */
function* framesInto(
  sink: AnimationSink,
  candidate: AnimateCandidate,
  pass: AnimationPass,
): Slices<{ readonly parts: readonly Uint8Array[]; readonly quality: Quality }> {
  const writer = animationWriterOf(candidate);
  const { source, appearance, spareCpu } = pass;
  const { pixels } = candidate;
  const size = preparedSize(source, pixels);
  const survey = sink.survey?.bind(sink);
  const addSubstitute = sink.addSubstitute?.bind(sink);
  const isKept = addSubstitute && candidate.type === source.image.type && !candidate.isFirstOnly;
  if (survey && isKept) {
    yield* withSubstitute(pass, pixels, (picture) => survey({ region: wholeOf(size), picture }));
  }
  if (survey) yield* planFrames(candidate, pass, survey);
  if (sink.endSurvey) yield* sink.endSurvey();
  if (sink.recoloring) spareCpu.spend(drawingCpu(candidate, source));
  yield* chooseColors(sink, candidate, pass);
  let hasLostDepth = false;
  if (isKept) {
    yield* withSubstitute(pass, pixels, function* (picture, isRounded) {
      if (isRounded) expectLoss(candidate, source);
      hasLostDepth = isRounded;
      yield* addSubstitute(picture);
    });
  }
  const add = function* (frame: PlannedFrame): Slices<void> {
    const framePixels = frame.region.width * frame.region.height;
    const counted = { count: 1, pixels: framePixels };
    const frameMs = sink.cpuMs?.(framePixels) ?? writer.cpuMs(counted, candidate);
    spareCpu.spend(frameMs);
    if (spareCpu.ms < 0) throw new TooMuchWork();
    yield* sink.add(frame);
    yield frameMs;
  };
  const areRounded = yield* planFrames(candidate, pass, add, sink.recoloring);
  const { parts, quality } = yield* sink.finish(appearance);
  hasLostDepth ||= areRounded;
  return { parts, quality: hasLostDepth && quality === 'lossless' ? numberOf(candidate) : quality };
}

/** Thrown if there are more changes than can be encoded in the available CPU time. */
class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

/**
 * Thrown if a lossless result is impossible because the pictures cannot be reproduced exactly; the original is kept.
 */
class InexactPictures extends Error {
  override readonly name = 'InexactPictures';
  readonly detail: string;

  constructor(detail: string) {
    super(detail);
    this.detail = detail;
  }
}

/**
 * Called when samples have been rounded to 8 bits.
 * @throws InexactPictures if all samples have to be preserved
 */
function expectLoss(candidate: AnimateCandidate, { image }: Reading['source']): void {
  if (candidate.quality === 'lossless' && keepsOriginal(candidate, image)) {
    throw new InexactPictures(depthDetail);
  }
}

/** The quality as a number; 100 for lossless coding of samples rounded to 8 bits. */
function numberOf({ quality }: AnimateCandidate): number {
  return quality === 'lossless' ? 100 : quality;
}

/**
 * Reads the source once, and emits the frames that its pictures become.
 * @returns whether samples of more than 8 bits have been rounded
 */
function* planFrames(
  candidate: AnimateCandidate,
  pass: AnimationPass,
  emit: (frame: PlannedFrame) => Slices<void>,
  recoloring: Recoloring | null = null,
): Slices<boolean> {
  const { source, spareCpu, workspace } = pass;
  spareCpu.spend(drawingCpu(candidate, source));
  const writer = animationWriterOf(candidate);
  const { pixels } = candidate;
  const size = preparedSize(source, pixels);
  const planner = new FramePlanner(
    size,
    writer,
    writer.toleranceFor(candidate),
    emit,
    writer.changesColors(candidate),
    workspace,
  );
  const durations = new DurationConverter(writer.durations);
  let hasLostDepth = false;
  try {
    for (const shown of shownPictures(pass, pixels, writer.holdsPartialAlpha)) {
      if (isPause(shown)) {
        yield shown;
        continue;
      }
      const { picture, changed, duration, isRounded } = shown;
      if (isRounded && candidate.exact && candidate.type === source.image.type) {
        // Decoders round blended colors differently.
        throw new InexactPictures(blendingDetail);
      }
      hasLostDepth = shown.hasLostDepth;
      if (hasLostDepth) expectLoss(candidate, source);
      const seen = recoloring ? yield* recoloring.shown(picture) : picture;
      for (const part of durations.convert(duration)) yield* planner.show(seen, part, changed);
      if (candidate.isFirstOnly) break;
    }
    yield* planner.finish();
    return hasLostDepth;
  } finally {
    planner.end();
  }
}

/** Converts an error to a failure. @throws the error if neither the file nor a lack of memory explains it */
export function failureOf(error: unknown, { source: { image } }: Pick<Reading, 'source'>): Failure {
  if (error instanceof ReadingError) {
    if (error.isExcessive) return { kind: 'impossible', refusal: excessive };
    return error.exhausted ? refuseImage(exhaustedDetail) : damaged;
  }
  if (error instanceof InexactPictures) {
    return { kind: 'impossible', refusal: refuseImage(error.detail) };
  }
  if (error instanceof TooManyColors) {
    return { kind: 'impossible', refusal: refuseOptions(colorsDetail) };
  }
  const hasNoMemory = error instanceof NoMemory || (error instanceof CodecError && error.exhausted);
  if (hasNoMemory || error instanceof TooMuchWork) {
    // The size that would fit depends on the content, so this is an estimate.
    const limitPixels = Math.floor((image.width * image.height) / 2);
    return { kind: 'impossible', refusal: refuseTooLarge(limitPixels) };
  }
  throw error;
}

const blendingDetail =
  'Frames of this animation are blended with each other, which cannot be done again without loss.';
const depthDetail = 'The 16-bit samples of this animation cannot be kept in 8 bits.';
const colorsDetail =
  'A frame has more colours than this format can hold: leave quality away, or choose another format.';
const exhaustedDetail = 'A frame takes far more memory than its header allows for.';
