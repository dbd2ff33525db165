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
import type { Finished } from '../../formats/format.ts';
import type { Appearance, Quality } from '../../formats/inspection.ts';
import { damaged, refuseImage, refuseOptions, refuseTooLarge } from '../../refusal.ts';
import { arena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { SpareCpu } from '../attempts.ts';
import { ReadingError } from '../decode.ts';
import type { Failure } from '../result.ts';
import { type AnimateCandidate, animationWriterOf, keepsOriginal } from './candidates.ts';
import { drawingCpu } from './cpu.ts';
import { settleColors } from './fewer-colors.ts';
import {
  animationReaderOf,
  preparedSize,
  type Reading,
  shownPictures,
  withSubstitute,
} from './pictures.ts';

/** What an animation is made of. */
export interface AnimationPass extends Reading {
  readonly appearance: Appearance;
  /** That the result may have, in bytes. */
  readonly maxBytes: number;
  /** Of the request, which all passes over its animation share. */
  readonly spareCpu: SpareCpu;
  /** Copies the result out. @param parts which go afterwards */
  copyOut(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer>;
}

/**
 * Makes an animation anew: its pictures become frames, each the smallest part that changes. The arenas have been reserved.
 * @returns the file, or why there is none: `impossible` where it does not fit, though the source is sound
 */
export function animated(candidate: AnimateCandidate, pass: AnimationPass): Finished | Failure {
  const pieces = new StreamPieces(pass.maxBytes, pass.workspace);
  try {
    const { parts, quality } = codedFrames(candidate, pass, pieces);
    return { kind: 'finished', bytes: pass.copyOut(parts), quality, isComplete: true };
  } catch (error) {
    return failureOf(error, pass);
  } finally {
    pieces.free();
  }
}

function codedFrames(
  candidate: AnimateCandidate,
  pass: AnimationPass,
  pieces: StreamPieces,
): { readonly parts: readonly Uint8Array[]; readonly quality: Quality } {
  const writer = animationWriterOf(candidate);
  const { file, source } = pass;
  const size = preparedSize(source, candidate.pixels);
  const plays = Math.min(animationReaderOf(source).plays(file, source.image), writer.maxPlays);
  const hasAlpha = source.image.hasAlpha && candidate.pixels.background === null;
  const shape = { ...size, hasAlpha, plays };
  const original = keepsOriginal(candidate, source.image) ? { original: file } : {};
  const sink = writer.begin(shape, candidate, { memory: arena, pieces, ...original });
  try {
    return framesInto(sink, candidate, pass);
  } finally {
    sink.free?.();
  }
}

/** Hands all pictures over to a sink, which has seen nothing yet. */
function framesInto(
  sink: AnimationSink,
  candidate: AnimateCandidate,
  pass: AnimationPass,
): { readonly parts: readonly Uint8Array[]; readonly quality: Quality } {
  const writer = animationWriterOf(candidate);
  const { source, appearance, spareCpu } = pass;
  const { pixels } = candidate;
  const size = preparedSize(source, pixels);
  const survey = sink.survey?.bind(sink);
  const addSubstitute = sink.addSubstitute?.bind(sink);
  const isKept = addSubstitute && candidate.type === source.image.type && !candidate.isFirstOnly;
  if (survey && isKept) {
    withSubstitute(pass, pixels, (picture) => survey({ region: wholeOf(size), picture }));
  }
  if (survey) planFrames(candidate, pass, survey);
  if (sink.recoloring) spareCpu.spend(drawingCpu(candidate, source));
  settleColors(sink, candidate, pass);
  let hasLostDepth = false;
  if (isKept) {
    withSubstitute(pass, pixels, (picture, isRounded) => {
      if (isRounded) expectLoss(candidate, source);
      hasLostDepth = isRounded;
      addSubstitute(picture);
    });
  }
  const add = (frame: PlannedFrame) => {
    const framePixels = frame.region.width * frame.region.height;
    const counted = { count: 1, pixels: framePixels };
    spareCpu.spend(sink.cpuMs?.(framePixels) ?? writer.cpuMs(counted, candidate));
    if (spareCpu.ms < 0) throw new TooMuchWork();
    sink.add(frame);
  };
  const areRounded = planFrames(candidate, pass, add, sink.recoloring);
  const { parts, quality } = sink.finish(appearance);
  hasLostDepth ||= areRounded;
  return { parts, quality: hasLostDepth && quality === 'lossless' ? numberOf(candidate) : quality };
}

/** More changes than can be coded in the computing time that there is. */
class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

/** What is kept without loss stays as it is where its pictures cannot be had exactly. */
class InexactPictures extends Error {
  override readonly name = 'InexactPictures';
  readonly detail: string;

  constructor(detail: string) {
    super(detail);
    this.detail = detail;
  }
}

/**
 * To be called where samples were rounded to 8 bits.
 * @throws InexactPictures where all of them shall be kept
 */
function expectLoss(candidate: AnimateCandidate, { image }: Reading['source']): void {
  if (candidate.quality === 'lossless' && keepsOriginal(candidate, image)) {
    throw new InexactPictures(depthDetail);
  }
}

/** What it is called that 8 bits hold as well as they can. */
function numberOf({ quality }: AnimateCandidate): number {
  return quality === 'lossless' ? 100 : quality;
}

/**
 * Goes through the source once, and hands over the frames that its pictures become.
 * @returns whether samples of more than 8 bits have been rounded
 */
function planFrames(
  candidate: AnimateCandidate,
  pass: AnimationPass,
  emit: (frame: PlannedFrame) => void,
  recoloring: Recoloring | null = null,
): boolean {
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
      const { picture, changed, duration, isRounded } = shown;
      if (isRounded && candidate.exact && candidate.type === source.image.type) {
        // it looks a little different in each decoder
        throw new InexactPictures(blendingDetail);
      }
      hasLostDepth = shown.hasLostDepth;
      if (hasLostDepth) expectLoss(candidate, source);
      const seen = recoloring?.shown(picture) ?? picture;
      for (const part of durations.convert(duration)) planner.show(seen, part, changed);
      if (candidate.isFirstOnly) break;
    }
    planner.finish();
    return hasLostDepth;
  } finally {
    planner.end();
  }
}

/** The failure that an error stands for. @throws any error that neither the file nor a lack of memory explains */
export function failureOf(error: unknown, { source: { image } }: Pick<Reading, 'source'>): Failure {
  if (error instanceof ReadingError) {
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
    // how much smaller it has to be depends on what is in it
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
