import type { AnimationSink } from '../../formats/animation-format.ts';
import type { Slices } from '../../slices.ts';
import type { AnimateCandidate } from './candidates.ts';
import type { Reading } from './pictures.ts';
import { withSamples } from './samples.ts';
import { pooledScore, scoreBetween } from './score.ts';

/**
 * Chooses the number of colors of an animation after all of its frames have been surveyed: the smallest palette with
 * which samples reach the required score, or all of its own colors.
 * @throws ReadingError if a frame is damaged
 */
export function* chooseColors(
  sink: AnimationSink,
  candidate: AnimateCandidate,
  reading: Reading,
): Slices<void> {
  if (!sink.recoloring) return;
  yield* withSamples(candidate, reading, function* (samples) {
    for (let { recoloring } = sink; recoloring; recoloring = sink.recoloring) {
      const { minScore } = recoloring;
      const scores: number[] = [];
      for (const picture of samples) {
        const score = yield* scoreBetween(picture, yield* recoloring.shown(picture));
        if (score !== null) scores.push(score);
      }
      const score = scores.length > 0 ? pooledScore(scores) : null;
      if (score !== null && score >= minScore) return;
      yield* recoloring.refine(score);
    }
  });
}
