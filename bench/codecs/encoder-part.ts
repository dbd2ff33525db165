import type { Part, Section } from '../harness/section.ts';
import { equalScoreTable, rateCurvePlot } from '../measures/equal-score.ts';
import { evenly } from '../measures/evenly.ts';
import { type Coder, rateCurves } from '../measures/rate-curves.ts';
import { encoderSubject, type Photo } from './photo.ts';

export interface EncoderPart {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly mostPhotos: number;
  /** Ours first; peers that are not installed are left out. */
  readonly coders: () => readonly Coder<Photo>[];
}

/** From the pixels of exact photos to a lossy format, at several qualities. */
export function encoderPart({ name, title, text, mostPhotos, coders }: EncoderPart): Part {
  return {
    name,
    async measure({ corpus, say }): Promise<Section> {
      const photos = evenly(corpus.exactPhotos, mostPhotos);
      const all = coders();
      const { results: curves, failures } = await rateCurves(all, photos, encoderSubject, say);
      const [ours = '', ...peers] = all.map((coder) => coder.name);
      const count = `${curves.length} of ${corpus.exactPhotos.length} exact photos`;
      const caption = `Bytes at equal SSIMULACRA2, ${count}: medians of the ratios`;
      return {
        title,
        text,
        tables: [equalScoreTable(caption, curves, ours, peers)],
        plots: [
          rateCurvePlot({ name: `${name}-bytes`, title: `Photos to ${title}` }, curves, [
            ours,
            ...peers,
          ]),
        ],
        failures,
      };
    },
  };
}
