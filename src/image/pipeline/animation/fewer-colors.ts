import type { AnimationSink } from '../../formats/animation-format.ts';
import type { AnimateCandidate } from './candidates.ts';
import type { Reading } from './pictures.ts';
import { withSamples } from './samples.ts';
import { pooledScore, scoreBetween } from './score.ts';

/**
 * Chooses the number of colors of an animation after all of its frames have been surveyed: the smallest palette with
 * which samples reach the required score, or all of its own colors.
 * @throws ReadingError if a frame is damaged
 */
export function chooseColors(
  sink: AnimationSink,
  candidate: AnimateCandidate,
  reading: Reading,
): void {
  if (!sink.recoloring) return;
  withSamples(candidate, reading, (samples) => {
    for (let { recoloring } = sink; recoloring; recoloring = sink.recoloring) {
      const { shown, minScore } = recoloring;
      const scores = samples
        .map((picture) => scoreBetween(picture, shown.call(recoloring, picture)))
        .filter((score) => score !== null);
      const score = scores.length > 0 ? pooledScore(scores) : null;
      if (score !== null && score >= minScore) return;
      recoloring.refine(score);
    }
  });
}
