import sharp from 'sharp';
import type { CorpusFile, Part, Section, Table } from '../../harness/section.ts';
import {
  eachPicture,
  evenly,
  figure,
  mebibytes,
  median,
  most,
  ratio,
  ratioOfSums,
} from '../../measures/figures.ts';
import { hasCjxl } from './cjxl.ts';
import { measured, type Row } from './measured.ts';

const maxPhotos = 12;
const maxExactPhotos = 6;
const qualities = ['lossless', 77, 60] as const;

const text = `A JPEG's coefficients as JPEG XL, beside those of cjxl (\`--lossless_jpeg=1 -e 7\`) where libjxl's programs are installed, and beside the
JPEG with the same coefficients: the original for \`lossless\`, our own JPEG of that quality otherwise. Bytes are those of
codestreams, without metadata and profiles; below 1 ours are fewer. *Shown the same*: djxl shows byte for byte what it shows of
cjxl's file of the same JPEG, without chroma from luma, which ours never have. CPU time is that of the whole way from the file,
reading it included, once, the code compiled; memory is what is planned of the arena, the result included.`;

/** Bytes, CPU time and memory of JPEG XL transcoded from JPEGs. */
export const jxl: Part = {
  name: 'jxl',
  async measure({ corpus, say }): Promise<Section> {
    const photos = corpus.photos.slice(0, maxPhotos);
    const exact = await Promise.all(evenly(corpus.exactPhotos, maxExactPhotos).map(fineJpegOf));
    const [first] = exact;
    if (first) await measured(first, 77);
    const groups = [];
    for (const [pictures, files] of [
      [`${photos.length} camera photos`, photos],
      [`${exact.length} exact photos, as JPEG at quality 95`, exact],
    ] as const) {
      for (const quality of qualities) {
        say(`${pictures}, ${quality}`);
        const rows = await eachPicture(files, (file) => measured(file, quality), say);
        groups.push({ ...rows, title: `${pictures}, quality=${quality}` });
      }
    }
    return {
      title: 'JPEG XL',
      text,
      tables: groups.map(({ title, results }) => tableOf(title, results)),
      plots: [],
      failures: groups.flatMap(({ title, results, failures }) => [
        ...failures,
        ...results
          .filter(({ isSame }) => isSame === false)
          .map(({ name }) => `${name}, ${title}: shown otherwise than what cjxl makes`),
      ]),
    };
  },
};

function tableOf(caption: string, rows: readonly Row[]): Table {
  const againstCjxl = (row: Row) => ratio(row.bytes, row.cjxlBytes);
  const againstJpeg = (row: Row) => ratio(row.bytes, row.jpegBytes);
  const sums = [
    ratioOfSums(rows.map(({ bytes, cjxlBytes }) => [bytes, cjxlBytes])),
    ratioOfSums(rows.map(({ bytes, jpegBytes }) => [bytes, jpegBytes])),
  ];
  const inTime = median(rows.map(({ time, jpegTime }) => ratio(time, jpegTime)));
  return {
    caption: hasCjxl ? caption : `${caption}; cjxl is not installed`,
    columns: [
      ...['photo', 'MP', 'bytes', 'against cjxl', 'the JPEG', 'shown the same'],
      ...['CPU ms', 'against the JPEG', 'memory, MiB'],
    ],
    rows: [
      ...rows.map((row) => [
        row.name,
        figure(row.megapixels, 1),
        figure(row.bytes),
        figure(againstCjxl(row), 4),
        figure(againstJpeg(row), 4),
        row.isSame === undefined ? '–' : row.isSame ? 'yes' : 'no',
        figure(row.time),
        figure(ratio(row.time, row.jpegTime), 2),
        mebibytes(row.memory),
      ]),
      [
        ...['in sum; times: median', '', '', ...sums.map((sum) => figure(sum, 4)), ''],
        ...['', figure(inTime, 2), ''],
      ],
      ['the worst', '', '', figure(most(rows.map(againstCjxl)), 4), '', '', '', '', ''],
    ],
  };
}

/** A lossless photo as a JPEG that looks the same. */
async function fineJpegOf({ name, bytes }: CorpusFile): Promise<CorpusFile> {
  return { name, bytes: new Uint8Array(await sharp(bytes).jpeg({ quality: 95 }).toBuffer()) };
}
