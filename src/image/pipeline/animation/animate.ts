import { wholeOf } from '../../animation/composition.ts';
import { SaidDurations } from '../../animation/durations.ts';
import { FramePlanner } from '../../animation/frame-planner.ts';
import type { PlannedFrame } from '../../animation/timeline.ts';
import {
  type Appearance,
  type Finished,
  type Recoloring,
  type Source,
  TooManyColors,
} from '../../formats/format.ts';
import { damaged, refuseImage, refuseOptions, refuseTooLarge } from '../../refusal.ts';
import { arena } from '../../wasm/arena.ts';
import { CodecError } from '../../wasm/codec.ts';
import { copiedOut } from '../../wasm/run-in-arena.ts';
import type { SpareCpu } from '../attempts.ts';
import { ReadingError } from '../decode.ts';
import type { Failure } from '../result.ts';
import { type AnimateCandidate, animationWriterOf } from './candidates.ts';
import { settledColors } from './fewer-colors.ts';
import { animationReaderOf, preparedSize, shownPictures, withSubstitute } from './pictures.ts';
import { drawingCpu, isSame } from './plan-animation.ts';

/** What an animation is made of. */
export interface AnimationWork {
  readonly file: Uint8Array;
  readonly source: Source;
  readonly appearance: Appearance;
  /** That the result may have, in bytes. */
  readonly maxBytes: number;
  /** Of the request, which all passes over its animation share. */
  readonly spareCpu: SpareCpu;
}

/**
 * Makes an animation anew: its pictures become frames, each the smallest part that changes. The arenas have been reserved.
 * @returns the file, or why there is none: `impossible` where it does not fit, though the source is sound
 */
export function animated(candidate: AnimateCandidate, work: AnimationWork): Finished | Failure {
  const writer = animationWriterOf(candidate);
  const { file, source, appearance, maxBytes, spareCpu } = work;
  const size = preparedSize(source, candidate.pixels);
  const plays = Math.min(animationReaderOf(source).plays(file, source.image), writer.maxPlays);
  const shape = { ...size, hasAlpha: source.image.hasAlpha, plays };
  const original = isSame(candidate, source.image) ? { original: file } : {};
  const sink = writer.begin(shape, candidate, { memory: arena, maxBytes, ...original });
  try {
    const survey = sink.survey?.bind(sink);
    const addSubstitute = sink.addSubstitute?.bind(sink);
    const isKept = addSubstitute && candidate.type === source.image.type && !candidate.isFirstOnly;
    if (survey && isKept) {
      const { pixels } = candidate;
      withSubstitute(file, source, pixels, (picture) => survey({ region: wholeOf(size), picture }));
    }
    if (survey) planFrames(candidate, work, survey);
    if (sink.recoloring) spareCpu.spend(drawingCpu(candidate, source));
    const score = settledColors(sink, candidate, file, source);
    let hasLostDepth = false;
    if (isKept) {
      withSubstitute(file, source, candidate.pixels, (picture, isRounded) => {
        if (isRounded) expectLoss(candidate, source);
        hasLostDepth = isRounded;
        addSubstitute(picture);
      });
    }
    const add = (frame: PlannedFrame) => {
      const pixels = frame.region.width * frame.region.height;
      spareCpu.spend(sink.cpuMs?.(pixels) ?? writer.cpuMs({ count: 1, pixels }, candidate));
      if (spareCpu.ms < 0) throw new TooMuchWork();
      sink.add(frame);
    };
    const areRounded = planFrames(candidate, work, add, sink.recoloring);
    const { parts, quality: said } = sink.finish(appearance);
    hasLostDepth ||= areRounded;
    const quality = hasLostDepth && said === 'lossless' ? numberOf(candidate) : said;
    const bytes = copiedOut(parts, () => null);
    const scored = score !== null && candidate.isAutomatic ? { score } : {};
    return { kind: 'finished', bytes, quality, isComplete: true, ...scored };
  } catch (error) {
    return failureOf(error, source);
  } finally {
    sink.free();
  }
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
function expectLoss(candidate: AnimateCandidate, { image }: Source): void {
  if (candidate.quality === 'lossless' && isSame(candidate, image)) {
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
  { file, source, spareCpu }: AnimationWork,
  emit: (frame: PlannedFrame) => void,
  recoloring: Recoloring | null = null,
): boolean {
  spareCpu.spend(drawingCpu(candidate, source));
  const writer = animationWriterOf(candidate);
  const { pixels } = candidate;
  const size = preparedSize(source, pixels);
  const planner = new FramePlanner(
    size,
    writer,
    writer.passesFor(candidate),
    emit,
    writer.changesColors(candidate),
  );
  const durations = new SaidDurations(writer.durations);
  let hasLostDepth = false;
  try {
    for (const shown of shownPictures(file, source, pixels, writer.holdsPartialAlpha)) {
      const { picture, duration, isRounded } = shown;
      if (isRounded && candidate.exact && candidate.type === source.image.type) {
        // it looks a little different in each decoder
        throw new InexactPictures(blendingDetail);
      }
      hasLostDepth = shown.hasLostDepth;
      if (hasLostDepth) expectLoss(candidate, source);
      const seen = recoloring?.shown(picture) ?? picture;
      for (const part of durations.next(duration)) planner.show(seen, part);
      if (candidate.isFirstOnly) break;
    }
    planner.finish();
    return hasLostDepth;
  } finally {
    planner.end();
  }
}

/** @throws what is not about the file or about memory */
export function failureOf(error: unknown, { image }: Source): Failure {
  if (error instanceof ReadingError) {
    return error.exhausted ? refuseImage(exhaustedDetail) : damaged;
  }
  if (error instanceof InexactPictures) {
    return { kind: 'impossible', refusal: refuseImage(error.detail) };
  }
  if (error instanceof TooManyColors) {
    return { kind: 'impossible', refusal: refuseOptions(colorsDetail) };
  }
  const isTooLarge = error instanceof CodecError && error.exhausted;
  if (isTooLarge || error instanceof TooMuchWork) {
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
