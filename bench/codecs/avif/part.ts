import type { AvifChroma } from '../../../src/image/formats/avif/container/properties.ts';
import { inspect } from '../../../src/image/formats/registry.ts';
import type { CorpusFile, Part, Section, Table } from '../../harness/section.ts';
import { evenly, type Measured } from '../../measures/figures.ts';
import {
  type Coder,
  eachAtEqualScore,
  equalScoreTable,
  groupsAtEqualScore,
  type RateCurves,
  rateCurvePlot,
  rateCurves,
  type Subject,
} from '../../measures/rate-curves.ts';
import { codedByService, middlePhotoOf, type Photo, photoOf } from '../photo.ts';
import { cellsOfPhotos } from './cells.ts';
import { jsquash, native, ours, peers } from './coders.ts';

const maxPhotos = 12;
const maxExactPhotos = 6;
const maxWholePhotos = 12;

const text = (
  photos: string,
) => `From pixels to AVIF by the encoder as the service calls it at its usual speed, beside @jsquash/avif's encode() with
its defaults (libaom 3.7 at speed 6), avifenc (speed 6; often of an older libaom) and, on exact photos alone, sharp (effort 4, which
is a slower speed of libaom), both native with vectors and one thread. avifenc's time includes reading a PNG.

Ours is libaom 3.14 with vectors and its tuning for still pictures, at speed 8 for detailed photos and 6 for smooth ones. They differ in
chroma, too: all others halve it (4:2:0), while ours looks at the picture first, and keeps chroma full (4:4:4) where halving would wash it
out, or where luma is so busy that full chroma takes fewer bytes at equal score. Each picture is named with the chroma that its file of
ours has.

Bytes are compared at equal SSIMULACRA2, between two measured points by their logarithm; below 1 ours are fewer. Sums are those
of all scores that both reach; median and worst are those of the pictures' mean ratios. All these pictures are coded whole: camera
photos are 832 × 624 pixels from the middle of ${photos}, as they are decoded.`;

export const avif: Part = {
  name: 'avif',
  async measure({ corpus, say }): Promise<Section> {
    const largest = corpus.photos.slice(0, maxPhotos);
    const exact = evenly(corpus.exactPhotos, maxExactPhotos);
    const coders = [ours, ...peers()];
    const exactCoders = [...coders, native];
    const ofPhotos = await curvesByChroma(coders, largest, middlePhotoOf, say);
    const ofExact = await curvesByChroma(exactCoders, exact, photoOf, say);
    say('in cells');
    const cells = await cellsOfPhotos(corpus.photos.slice(0, maxWholePhotos), say);
    const { results: parts } = ofPhotos;
    const { results: whole } = ofExact;
    return {
      title: 'AVIF',
      text: [text(`the ${largest.length} largest of ${corpus.photos.length}`), cells.text].join(
        '\n\n',
      ),
      tables: [
        chromaTable(parts, whole),
        tableOf(`parts of ${parts.length} camera photos`, parts, peers()),
        tableOf(`${whole.length} of ${corpus.exactPhotos.length} exact photos`, whole, [
          ...peers(),
          native,
        ]),
        eachAtEqualScore(
          'Each picture: bytes at equal SSIMULACRA2',
          [...parts, ...whole].map((curves) => ({ ...curves, name: nameWithChroma(curves) })),
          ours.name,
          jsquash.name,
        ),
        ...cells.tables,
      ],
      plots: [
        rateCurvePlot(
          { name: 'avif-bytes', title: 'Exact photos to AVIF' },
          whole,
          namesOf(exactCoders),
        ),
        rateCurvePlot(
          { name: 'avif-camera-bytes', title: 'Parts of camera photos to AVIF' },
          parts,
          namesOf(coders),
        ),
      ],
      failures: [ofPhotos, ofExact, cells].flatMap(({ failures }) => failures),
    };
  },
};

/** The results of one picture, and the chroma format that our coder has chosen. */
interface ChromaCurves extends RateCurves {
  readonly chroma: AvifChroma;
}

async function curvesByChroma(
  coders: readonly Coder<Photo>[],
  files: readonly CorpusFile[],
  subjectOf: (file: CorpusFile) => Promise<Subject<Photo>>,
  say: (line: string) => void,
): Promise<Measured<ChromaCurves>> {
  const chromas = new Map<string, AvifChroma>();
  const withChromaRecorded = async (file: CorpusFile) => {
    const subject = await subjectOf(file);
    chromas.set(file.name, chromaOf(subject.input));
    return subject;
  };
  const { results, failures } = await rateCurves(coders, files, withChromaRecorded, say);
  const withChroma = results.map((curves) => {
    return { ...curves, chroma: chromas.get(curves.name) ?? '420' };
  });
  return { results: withChroma, failures };
}

/**
 * The chroma format of our coder, read from a file coded for this purpose: it depends only on the pixels, not on the
 * quality.
 *
 * @throws Error if the result is not an AVIF
 */
function chromaOf(photo: Photo): AvifChroma {
  const result = inspect(codedByService(photo, 'avif', Math.min(...ours.qualities)));
  if (result.kind !== 'image' || result.image.type !== 'avif') throw new Error('not an AVIF');
  return result.image.chroma;
}

function nameWithChroma({ name, chroma }: ChromaCurves): string {
  return `${name}, ${[...chroma].join(':')}`;
}

/** Compared with @jsquash/avif, grouped by the origin of the pictures and by chroma format. */
function chromaTable(parts: readonly ChromaCurves[], exact: readonly ChromaCurves[]): Table {
  const all = [...parts, ...exact];
  const groups = [
    { name: 'parts of camera photos', curves: parts },
    { name: 'exact photos', curves: exact },
    { name: 'in all', curves: all },
    { name: 'with full chroma', curves: all.filter(({ chroma }) => chroma === '444') },
    { name: 'with halved chroma', curves: all.filter(({ chroma }) => chroma !== '444') },
  ];
  const caption = 'Bytes at equal SSIMULACRA2, and CPU time at 80';
  return groupsAtEqualScore(caption, groups, ours.name, jsquash.name);
}

function tableOf(
  pictures: string,
  curves: readonly RateCurves[],
  others: readonly Coder<Photo>[],
): Table {
  const caption = `Bytes at equal SSIMULACRA2, ${pictures}: medians of the ratios`;
  return equalScoreTable(caption, curves, ours.name, namesOf(others));
}

function namesOf(coders: readonly Coder<Photo>[]): string[] {
  return coders.map(({ name }) => name);
}
