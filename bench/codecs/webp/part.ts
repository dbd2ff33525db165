import type { Part, Section, Table } from '../../harness/section.ts';
import { evenly } from '../../measures/figures.ts';
import {
  eachAtEqualScore,
  equalScoreTable,
  type RateCurves,
  rateCurvePlot,
  rateCurves,
} from '../../measures/rate-curves.ts';
import { middlePhotoOf, photoOf } from '../photo.ts';
import { jsquash, ours, peers } from './coders.ts';
import { losslessGroup, losslessPictureTable, losslessTable, warmUp } from './lossless.ts';

const maxPhotos = 12;
const maxExactPhotos = 8;
const maxTranslucent = 12;
const maxLossless = { graphics: 16, translucent: 16, exactPhotos: 6 } as const;

const text = (
  photos: string,
) => `From pixels to WebP by the encoder as the service calls it, beside libwebp: @jsquash/webp's encode() with its defaults
(method 4), the same with method 6 and sharp YUV, sharp and cwebp (native, one thread, their defaults). cwebp's time includes
reading a PNG.

Bytes are compared at equal SSIMULACRA2, between two measured points by their logarithm; below 1 ours are fewer. Camera photos
are 832 × 624 pixels from the middle of ${photos}, as they are decoded. Pictures with alpha are scored on mid grey; alpha itself
is kept without loss by all. Chroma is halved by all, so that strong colours have a ceiling: a cell is empty where a coder does
not reach the score.

Without loss all samples that are seen are held against the source's; every coder has its defaults.`;

export const webp: Part = {
  name: 'webp',
  async measure({ corpus, say }): Promise<Section> {
    const coders = [ours, ...peers()];
    const photos = corpus.photos.slice(0, maxPhotos);
    const ofPhotos = await rateCurves(coders, photos, middlePhotoOf, say);
    const exact = evenly(corpus.exactPhotos, maxExactPhotos);
    const ofExact = await rateCurves(coders, exact, photoOf, say);
    const translucent = evenly(corpus.translucent, maxTranslucent);
    const ofTranslucent = await rateCurves(coders, translucent, photoOf, say);
    say('without loss');
    const [first] = exact;
    if (first) await warmUp(first);
    const lossless = [
      await losslessGroup('graphics', evenly(corpus.graphics, maxLossless.graphics), say),
      await losslessGroup('with alpha', evenly(corpus.translucent, maxLossless.translucent), say),
      await losslessGroup('photos', evenly(corpus.exactPhotos, maxLossless.exactPhotos), say),
    ];
    const names = coders.map(({ name }) => name);
    const curves = [...ofPhotos.results, ...ofExact.results, ...ofTranslucent.results];
    return {
      title: 'WebP',
      text: text(`the ${photos.length} largest of ${corpus.photos.length}`),
      tables: [
        tableOf(`parts of ${ofPhotos.results.length} camera photos`, ofPhotos.results),
        tableOf(
          `${ofExact.results.length} of ${corpus.exactPhotos.length} exact photos`,
          ofExact.results,
        ),
        tableOf(
          `${ofTranslucent.results.length} of ${corpus.translucent.length} pictures with alpha`,
          ofTranslucent.results,
        ),
        eachAtEqualScore(
          'Each picture: bytes at equal SSIMULACRA2',
          curves,
          ours.name,
          jsquash.name,
        ),
        losslessTable(lossless),
        losslessPictureTable(lossless),
      ],
      plots: [
        rateCurvePlot(
          { name: 'webp-bytes', title: 'Exact photos to WebP' },
          ofExact.results,
          names,
        ),
        rateCurvePlot(
          { name: 'webp-camera-bytes', title: 'Parts of camera photos to WebP' },
          ofPhotos.results,
          names,
        ),
      ],
      failures: [ofPhotos, ofExact, ofTranslucent, ...lossless].flatMap(({ failures }) => failures),
    };
  },
};

function tableOf(pictures: string, curves: readonly RateCurves[]): Table {
  const caption = `Bytes at equal SSIMULACRA2, ${pictures}: medians of the ratios`;
  const names = peers().map(({ name }) => name);
  return equalScoreTable(caption, curves, ours.name, names);
}
