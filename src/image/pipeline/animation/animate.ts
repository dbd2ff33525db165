import { wholeOf } from '../../animation/composition.ts';
import { DurationConverter } from '../../animation/durations.ts';
import { FramePlanner } from '../../animation/frame-planner.ts';
import type { PlannedFrame } from '../../animation/timeline.ts';
import { StreamPieces } from '../../container/drained-output.ts';
import { NoMemory } from '../../container/workspace.ts';
import {
  type Appearance,
  type Finished,
  type Quality,
  TooManyColors,
} from '../../formats/format.ts';
import { damaged, refuseImage, refuseOptions, refuseTooLarge } from '../../refusal.ts';
import { arena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { SpareCpu } from '../attempts.ts';
import { ReadingError } from '../decode.ts';
import type { Failure } from '../result.ts';
import { type AnimateCandidate, animationWriterOf } from './candidates.ts';
import { drawingCpu } from './cpu.ts';
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
  const { file, source, appearance, spareCpu } = pass;
  const { pixels } = candidate;
  const size = preparedSize(source, pixels);
  const plays = Math.min(animationReaderOf(source).plays(file, source.image), writer.maxPlays);
  const shape = { ...size, hasAlpha: source.image.hasAlpha, plays };
  const sink = writer.begin(shape, candidate, { memory: arena, pieces });
  const survey = sink.survey?.bind(sink);
  const addSubstitute = sink.addSubstitute?.bind(sink);
  const isKept = addSubstitute && candidate.type === source.image.type && !candidate.isFirstOnly;
  if (survey && isKept) {
    withSubstitute(pass, pixels, (picture) => survey({ region: wholeOf(size), picture }));
  }
  if (survey) planFrames(candidate, pass, survey);
  if (isKept) withSubstitute(pass, pixels, addSubstitute);
  planFrames(candidate, pass, (frame) => {
    const { width, height } = frame.region;
    spareCpu.spend(writer.cpuMs({ count: 1, pixels: width * height }, candidate));
    if (spareCpu.ms < 0) throw new TooMuchWork();
    sink.add(frame);
  });
  return sink.finish(appearance);
}

/** More changes than can be coded in the computing time that there is. */
class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

/** What is kept without loss, and looks a little different in each decoder, stays as it is. */
class InexactBlending extends Error {
  override readonly name = 'InexactBlending';
}

/** Goes through the source once, and hands over the frames that its pictures become. */
function planFrames(
  candidate: AnimateCandidate,
  pass: AnimationPass,
  emit: (frame: PlannedFrame) => void,
): void {
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
  try {
    for (const shown of shownPictures(pass, pixels, writer.holdsPartialAlpha)) {
      const { picture, duration, isRounded } = shown;
      if (isRounded && candidate.exact && candidate.type === source.image.type) {
        throw new InexactBlending();
      }
      for (const part of durations.convert(duration)) planner.show(picture, part);
      if (candidate.isFirstOnly) break;
    }
    planner.finish();
  } finally {
    planner.end();
  }
}

/** @throws what is not about the file or about memory */
export function failureOf(error: unknown, { source: { image } }: Pick<Reading, 'source'>): Failure {
  if (error instanceof ReadingError) {
    return error.exhausted ? refuseImage(exhaustedDetail) : damaged;
  }
  if (error instanceof InexactBlending) {
    return { kind: 'impossible', refusal: refuseImage(blendingDetail) };
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
const colorsDetail =
  'A frame has more colours than this format can hold: leave quality away, or choose another format.';
const exhaustedDetail = 'A frame takes far more memory than its header allows for.';
