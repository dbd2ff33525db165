import sharp from 'sharp';
import type { CorpusFile, Part, Section, Table } from '../../harness/section.ts';
import { decoded } from '../../likeness/likeness.ts';
import { eachPicture, evenly } from '../../measures/figures.ts';
import {
  equalScoreTable,
  type RateCurves,
  rateCurvePlot,
  rateCurves,
  type Subject,
} from '../../measures/rate-curves.ts';
import { middleOf } from '../middle.ts';
import { jpegtranBuild } from '../peers.ts';
import { ours, peers } from './coders.ts';
import { measuredWhole, warmUp, wholePhotoPlot, wholePhotoTable } from './whole-photos.ts';

const maxPhotos = 12;
const maxExactPhotos = 6;

const text = (
  photos: string,
) => `JPEG to JPEG by the kernel, as the service uses it, beside what has to decode and encode:
@jsquash/jpeg (MozJPEG in WebAssembly, as other services on Workers do it), and sharp (native code with vectors, one
thread) with its mozjpeg option and without. jpegtran (${jpegtranBuild()}; -optimize -progressive) stands for what is possible without loss.

Bytes are compared at equal SSIMULACRA2, between two measured points by their logarithm; below 1 ours are fewer.
Camera photos are ${photos}. They are scored on 832 × 624 pixels from their middle, coded at quality 95; CPU time, memory and
bytes without loss are those of whole files, each coder at what comes to about 80: once, in an instance that
has coded a small file before and is kept. Memory is that of new instances, and without the file: what the kernel takes with
the result, and of the package the larger WebAssembly memory, less its copy of the file, with the pixels between its two
modules. What sharp takes is not known here.`;

export const jpeg: Part = {
  name: 'jpeg',
  async measure({ corpus, say }): Promise<Section> {
    const photos = corpus.photos.slice(0, maxPhotos);
    const coders = [ours, ...peers];
    const ofPhotos = await rateCurves(coders, photos, middleAsJpeg, say);
    const exact = evenly(corpus.exactPhotos, maxExactPhotos);
    const ofExact = await rateCurves(coders, exact, fineJpegOf, say);
    say('whole photos');
    const [first] = photos;
    if (first) await warmUp((await middleAsJpeg(first)).input);
    const whole = await eachPicture(photos, measuredWhole, say);
    const names = peers.map(({ name }) => name);
    return {
      title: 'JPEG',
      text: text(`the ${photos.length} largest of ${corpus.photos.length}`),
      tables: [
        tableOf(`${ofPhotos.results.length} camera photos, the largest`, ofPhotos.results),
        tableOf(
          `${ofExact.results.length} of ${corpus.exactPhotos.length} exact photos, as JPEG at quality 95`,
          ofExact.results,
        ),
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
  const caption = `Bytes at equal SSIMULACRA2, ${pictures}: medians of the ratios`;
  const names = peers.map(({ name }) => name);
  return equalScoreTable(caption, curves, ours.name, names);
}

type Jpeg = Subject<Uint8Array<ArrayBuffer>>;

/** Nearly lossless, so that the camera's compression artifacts are preserved. */
const fine = 95;

/** The middle of a camera photo as a separate JPEG. */
async function middleAsJpeg({ bytes }: CorpusFile): Promise<Jpeg> {
  const photo = sharp(bytes);
  const { chromaSubsampling } = await photo.metadata();
  const sampling = chromaSubsampling === '4:4:4' ? '4:4:4' : '4:2:0';
  const middle = await middleOf(photo);
  return subject(await middle.jpeg({ quality: fine, chromaSubsampling: sampling }).toBuffer());
}

/** A lossless photo as a JPEG that looks the same. */
async function fineJpegOf({ bytes }: CorpusFile): Promise<Jpeg> {
  return subject(await sharp(bytes).jpeg({ quality: fine }).toBuffer());
}

async function subject(file: Uint8Array): Promise<Jpeg> {
  return { input: new Uint8Array(file), raster: await decoded(file) };
}
