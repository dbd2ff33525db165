import { join } from 'node:path';
import sharp from 'sharp';
import { sample } from '../../../test/support/pictures.ts';
import type {
  BenchSettings,
  CorpusFile,
  Part,
  Plot,
  Section,
  Table,
} from '../../harness/section.ts';
import { Scorers } from '../../likeness/scorers.ts';
import { timed } from '../../measures/cpu-time.ts';
import { eachPicture, evenly, figure } from '../../measures/figures.ts';
import { answer, byJsquashPng, Oxipng } from './coders.ts';
import { measured, type Row } from './measured.ts';
import { writeSideBySide } from './side-by-side.ts';
import { exactTable, type Group, lossyTable, pictureTable } from './tables.ts';

const maxPictures = { graphics: 32, translucent: 32, exactPhotos: 6 } as const;

const text = `PNG to PNG as the service answers it, metadata left aside. Beside \`quality=auto\` stand pngquant (speed 3, its
default quality, native) with oxipng, and sharp's palette at its defaults (libimagequant, native); beside \`quality=lossless\`
oxipng alone, and what decodes and encodes with @jsquash/png before it. oxipng is level 2 of @jsquash/oxipng. Ratios are ours
over theirs. Scores are SSIMULACRA2 on mid grey, 100 where no pixel looks different; the scorer is blunt at the top. A photo that
is not worth a palette stays lossless under \`auto\`, which is why ours may take more bytes in sum. Memory is what the kernel
takes of the arena, and all of oxipng's WebAssembly memory but its copy of the file: the most of any picture. A row counts the pictures
that both have coded. That no sample changes under
\`lossless\` is held against a plain decoder of this repository, to the last bit.`;

export const png: Part = {
  name: 'png',
  async measure(settings): Promise<Section> {
    const { graphics, translucent, exactPhotos } = settings.corpus;
    await using scorers = await Scorers.start();
    const groups = [
      await groupOf('graphics', evenly(graphics, maxPictures.graphics), settings, scorers),
      await groupOf('with alpha', evenly(translucent, maxPictures.translucent), settings, scorers),
      await groupOf('photos', evenly(exactPhotos, maxPictures.exactPhotos), settings, scorers),
    ];
    settings.say('16 megapixels of RGBA');
    const large = await largeTable();
    const [icons, transparent, photos] = groups.map(({ rows }) => rows);
    return {
      title: 'PNG',
      text: settings.quality
        ? `${text}\n\nIn place of \`auto\` the quality is ${settings.quality}.`
        : text,
      tables: [lossyTable(groups), exactTable(groups), large, pictureTable(groups)],
      plots: [
        scatter('png-graphics', 'PNG to PNG, graphics and pictures with alpha', [
          ...(icons ?? []),
          ...(transparent ?? []),
        ]),
        scatter('png-photos', 'PNG to PNG, photos', photos ?? []),
      ],
      failures: groups.flatMap(({ failures }) => failures),
    };
  },
};

async function groupOf(
  name: string,
  files: readonly CorpusFile[],
  { say, quality, picturesTo }: BenchSettings,
  scorers: Scorers,
): Promise<Group & Pick<Section, 'failures'>> {
  const measure = async (file: CorpusFile) => {
    const { row, versions } = await measured(file, quality ?? 'auto', scorers);
    if (picturesTo) await writeSideBySide(join(picturesTo, file.name), versions);
    return row;
  };
  const { results, failures } = await eachPicture(files, measure, say);
  return { name, rows: results, failures: [...failures, ...results.flatMap(violation)] };
}

function violation({ name, isSame }: Row): string[] {
  if (isSame === undefined) return [`${name}: no lossless answer`];
  return isSame ? [] : [`${name}: samples of the lossless answer are not those of the file`];
}

/** A scatter plot with one point per picture. */
function scatter(name: string, title: string, rows: readonly Row[]): Plot {
  const series = [
    ['ours, auto', 'auto'],
    ['pngquant + oxipng', 'pngquant'],
    ['sharp, palette', 'sharp'],
  ] as const;
  return {
    name,
    title,
    x: { title: 'bytes, as a share of what oxipng makes without loss', scale: 'log' },
    y: { title: 'SSIMULACRA2', scale: 'linear' },
    series: series.map(([label, coder]) => ({
      name: label,
      mark: 'points',
      points: rows.flatMap(({ [coder]: { bytes, score }, oxipng }) =>
        bytes && oxipng.bytes && score !== undefined ? [{ x: bytes / oxipng.bytes, y: score }] : [],
      ),
    })),
  };
}

const side = 4000;

/** CPU time and bytes of a PNG of 16 megapixels with alpha, compared with @jsquash/png and oxipng; one run each. */
async function largeTable(): Promise<Table> {
  const file = await translucentPhoto();
  const theirs = await timed(() => new Oxipng().optimise(byJsquashPng(file)));
  const rows: string[][] = [];
  for (const quality of ['auto', 'lossless'] as const) {
    const ours = await timed(() => answer(file, quality));
    rows.push([
      `quality=${quality}`,
      ...[ours, theirs].map(({ milliseconds }) => figure(milliseconds / 1000, 1)),
      figure(ours.milliseconds / theirs.milliseconds, 2),
      ...[ours, theirs].map(({ result }) => figure(result?.length)),
    ]);
  }
  return {
    caption: '16 megapixels of RGBA, made of the samples, once: CPU time and bytes',
    columns: [
      '',
      ...['CPU s', '@jsquash/png + oxipng, CPU s', 'ratio'],
      ...['bytes', '@jsquash/png + oxipng, bytes'],
    ],
    rows,
  };
}

/** The sample photo with the logo's alpha. */
async function translucentPhoto(): Promise<Uint8Array<ArrayBuffer>> {
  const size = { width: side, height: side, fit: 'cover' } as const;
  const alpha = await sharp(await sample('logo.png'))
    .resize(size)
    .extractChannel(3)
    .png({ compressionLevel: 1 })
    .toBuffer();
  const photo = sharp(await sample('photo.jpg')).resize(size);
  const file = await photo.joinChannel(alpha).png({ adaptiveFiltering: true }).toBuffer();
  return new Uint8Array(file);
}
