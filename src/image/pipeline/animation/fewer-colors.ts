import type { AnimationSink } from '../../formats/animation-format.ts';
import type { AnimateCandidate } from './candidates.ts';
import type { Reading } from './pictures.ts';
import { withSamples } from './samples.ts';
import { pooledScore, scoreBetween } from './score.ts';

/**
 * Decides in how many colours the pictures of an animation are shown, once all of its frames have been surveyed: in
 * the fewest with which samples reach the required score, or in their own.
 * @throws ReadingError where a frame is damaged
 */
export function settleColors(
  sink: AnimationSink,
  candidate: AnimateCandidate,
  reading: Reading,
): void {
  if (!sink.recoloring) return;
  withSamples(candidate, reading, (samples) => {
    for (let { recoloring } = sink; recoloring; recoloring = sink.recoloring) {
      const { shown, leastScore } = recoloring;
      const scores = samples
        .map((picture) => scoreBetween(picture, shown.call(recoloring, picture)))
        .filter((score) => score !== null);
      const score = scores.length > 0 ? pooledScore(scores) : null;
      if (score !== null && score >= leastScore) return;
      recoloring.refine(score);
    }
  });
}
