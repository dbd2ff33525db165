import type { Part, Section, Table } from '../../harness/section.ts';
import { eachPicture } from '../../measures/each-picture.ts';
import { equalScoreTable, rateCurvePlot } from '../../measures/equal-score.ts';
import { evenly } from '../../measures/evenly.ts';
import { type RateCurves, rateCurves } from '../../measures/rate-curves.ts';
import { ours, peers } from './coders.ts';
import { fineJpegOf, middleOf } from './subjects.ts';
import { measuredWhole, wholePhotoPlot, wholePhotoTable } from './whole-photos.ts';

const mostPhotos = 12;
const mostExactPhotos = 6;

const text = `JPEG to JPEG by the kernel, as the service uses it, beside what has to decode and encode:
@jsquash/jpeg (MozJPEG in WebAssembly, as other services on Workers do it), and sharp (native code with vectors, one
thread) with its mozjpeg option and without. jpegtran stands for what is possible without loss.

Bytes are compared at equal SSIMULACRA2, between two measured points by their logarithm; below 1 ours are fewer.
Camera photos are scored on 832 × 624 pixels from their middle, coded at quality 95; CPU time, memory and
bytes without loss are those of whole files, each coder at what comes to about 80. Memory is what the kernel takes with
the result, and of the package the larger WebAssembly memory with the pixels between its two modules. What sharp takes
is not known here.`;

export const jpeg: Part = {
  name: 'jpeg',
  async measure({ corpus, say }): Promise<Section> {
    const photos = corpus.photos.slice(0, mostPhotos);
    const coders = [ours, ...peers];
    const ofPhotos = await rateCurves(coders, photos, middleOf, say);
    const exact = evenly(corpus.exactPhotos, mostExactPhotos);
    const ofExact = await rateCurves(coders, exact, fineJpegOf, say);
    say('whole photos');
    const whole = await eachPicture(photos, measuredWhole, say);
    const names = peers.map(({ name }) => name);
    return {
      title: 'JPEG',
      text,
      tables: [
        tableOf('camera photos', ofPhotos.results),
        tableOf('exact photos at quality 95', ofExact.results),
        wholePhotoTable(whole.results),
      ],
      plots: [
        rateCurvePlot(
          { name: 'jpeg-bytes', title: 'JPEG to JPEG, camera photos' },
          ofPhotos.results,
          [ours.name, ...names],
        ),
        wholePhotoPlot(whole.results),
      ],
      failures: [ofPhotos, ofExact, whole].flatMap(({ failures }) => failures),
    };
  },
};

function tableOf(pictures: string, curves: readonly RateCurves[]): Table {
  const caption = `Bytes at equal SSIMULACRA2, ${curves.length} ${pictures}: medians of the ratios`;
  const names = peers.map(({ name }) => name);
  return equalScoreTable(caption, curves, ours.name, names);
}
