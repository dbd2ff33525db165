import { endCanvas } from '../../animation/composition.ts';
import type { AnimationSink, Source } from '../../formats/format.ts';
import type { AnimateCandidate } from './candidates.ts';
import { sampledPictures, shownScore } from './samples.ts';

/**
 * Decides in how many colours the pictures of an animation are shown, once all of its frames have been surveyed: in the
 * fewest that come to the score that they have to, or in their own.
 *
 * @returns SSIMULACRA2 of some of the pictures in these colours; null: they keep their own
 * @throws ReadingError where a frame is damaged
 */
export function settledColors(
  sink: AnimationSink,
  candidate: AnimateCandidate,
  file: Uint8Array,
  source: Source,
): number | null {
  if (!sink.recoloring) return null;
  const samples = sampledPictures(candidate, file, source);
  try {
    for (;;) {
      const { recoloring } = sink;
      if (!recoloring) return null;
      const score = shownScore(samples, recoloring);
      if (score !== null && score >= recoloring.leastScore) return score;
      recoloring.refine(score);
    }
  } finally {
    for (const { picture } of samples) endCanvas(picture);
  }
}
