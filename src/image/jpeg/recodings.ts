import type { JpegInspection } from '../inspect/inspection.ts';
import type { Quality } from '../options.ts';
import { lumaPerChroma, samplingOf } from './frame-geometry.ts';
import { leavesToGuess } from './guessed-coefficients.ts';
import { halvedSampling } from './halved-sampling.ts';
import type { Recoding } from './recode.ts';
import type { ScanList } from './scan-list.ts';
import { targetScale } from './target-scale.ts';
import { targetTables } from './target-tables.ts';

/** One way to code a JPEG anew. */
export interface Way extends Pick<Recoding, 'tables' | 'sampling'> {
  readonly quality: Quality;
}

/**
 * Ways to code a JPEG anew, the first that comes about being the best: with chroma
 * halved where the quality does not need it, with all of it, without loss.
 */
export function* recodings(
  image: JpegInspection,
  list: ScanList,
  quality: Quality,
): Generator<Way> {
  const sampling = samplingOf(image);
  // a step of zero means nothing that another one could stand for
  const haveMeaning = list.quantization.every((table) => table.every((step) => step > 0));
  if (quality !== 'lossless' && haveMeaning && !leavesToGuess(image, list)) {
    const halved = halvedSampling(image, quality);
    for (const samples of halved ? [halved, sampling] : [sampling]) {
      const chroma = image.colorSpace === 'ycbcr' ? lumaPerChroma(samples) : null;
      const tables = targetTables(targetScale(quality), list.quantization, chroma);
      yield { quality, sampling: samples, tables };
    }
  }
  yield { quality: 'lossless', sampling, tables: null };
}
