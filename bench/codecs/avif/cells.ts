import sharp from 'sharp';
import { kindOf, libaomSpeed } from '../../../src/image/formats/avif/codec/settings.ts';
import type { AvifInspection } from '../../../src/image/formats/avif/inspect.ts';
import { usualSpeed } from '../../../src/image/formats/coding.ts';
import { inspect } from '../../../src/image/formats/registry.ts';
import { defaultOptions } from '../../../src/image/pipeline/options.ts';
import { preparedDetail } from '../../../src/image/pipeline/pixel-stages.ts';
import { plan } from '../../../src/image/pipeline/plan.ts';
import { readSource } from '../../../src/image/pipeline/read-source.ts';
import { cropped, type Raster, type Region } from '../../../src/image/pixels/raster.ts';
import type { CorpusFile, Section, Table } from '../../harness/section.ts';
import { decoded } from '../../likeness/likeness.ts';
import { Scorers } from '../../likeness/scorers.ts';
import {
  eachPicture,
  figure,
  mean,
  median,
  megapixels,
  most,
  ratio,
  ratioOfSums,
} from '../../measures/figures.ts';
import { answered } from '../answer.ts';
import { isInstalled } from '../peers.ts';
import { asSharp } from '../photo.ts';
import { byAvifenc } from './coders.ts';

/** The quantizer that libavif derives from the automatic quality, 72 (avif/facts.ts): ((100 − 72) · 63 + 50) / 100. */
const quantizer = 18;

/** The quantizer of a second coding of the whole picture, used to interpolate its bytes at the score of the cells. */
const coarser = 20;

/** Side of a scored square, in pixels. */
const side = 512;

const text = `Larger photos are cut into cells, which bounds memory and costs bytes, since nothing is predicted across the
lines between them. What that costs is told by an encoder that has the memory for either: avifenc, often of an older libaom, codes
whole camera photos in one piece, and as a grid of the very cells that the service's own file of the photo has at \`quality=auto\`.
Either has the chroma of this file, the speed of libaom that the service has time for, and a fixed quantizer of ${quantizer}, which
is that of the automatic quality. The last cells reach over the picture, with its edge repeated there, as the service does it; the
whole has no such margin. Bytes are those of complete files.

At a fixed quantizer decoded quality is nearly equal, but not quite: SSIMULACRA2 is the mean over every other square of
${side} × ${side} pixels, as on a chessboard. The last column holds the cells against what the whole takes at their score, by its
points at quantizers ${quantizer} and ${coarser}.`;

/** Options of the service. */
const wanted = { format: 'avif' } as const;

type Layout = AvifInspection['coding']['cells'];

/** The bytes of one photo in cells and as a whole. */
interface Row {
  readonly name: string;
  readonly megapixels: number;
  readonly layout: Layout;
  readonly chroma: AvifInspection['chroma'];
  /** The speed of libaom. */
  readonly speed: number;
  readonly whole: Coding;
  readonly coarser: Coding;
  readonly inCells: Coding;
}

interface Coding {
  readonly bytes: number;
  /** SSIMULACRA2. */
  readonly score: number;
}

/** Measures the cost of cells for the photos that the service splits into cells. */
export async function cellsOfPhotos(
  photos: readonly CorpusFile[],
  say: (line: string) => void,
): Promise<Pick<Section, 'text' | 'tables' | 'failures'>> {
  if (!isInstalled('avifenc')) {
    const missing = 'What cells cost is not measured: avifenc is not installed.';
    return { text: missing, tables: [], failures: [] };
  }
  await using scorers = await Scorers.start();
  const measure = (file: CorpusFile) => measured(file, scorers);
  const { results, failures } = await eachPicture(photos, measure, say);
  const rows = results.filter((row) => row !== undefined);
  if (rows.length === 0) {
    const missing = 'What cells cost is not measured: no camera photo is large enough to be cut.';
    return { text: missing, tables: [], failures };
  }
  return { text, tables: [cellTable(rows)], failures };
}

/** Returns undefined for a photo that the service codes as a whole. */
async function measured({ name, bytes }: CorpusFile, scorers: Scorers): Promise<Row | undefined> {
  const { coding, chroma } = answeredAvif(bytes);
  const { cells: layout } = coding;
  if (layout.columns * layout.rows === 1) return undefined;
  const original = await uprightRaster(bytes);
  const speed = libaomSpeedFor(bytes);
  const settings = { quantizer, speed, chroma };
  const [plain, filled] = [await pngOf(original), await pngOf(original, layout)];
  const coded = async (file: Promise<Uint8Array<ArrayBuffer>>): Promise<Coding> => ({
    bytes: (await file).length,
    score: await scoreOf(original, await decoded(await file), scorers),
  });
  return {
    name,
    megapixels: megapixels(original),
    layout,
    chroma,
    speed,
    whole: await coded(byAvifenc(plain, settings)),
    coarser: await coded(byAvifenc(plain, { ...settings, quantizer: coarser })),
    inCells: await coded(byAvifenc(filled, { ...settings, grid: layout })),
  };
}

/**
 * The AVIF that the service makes of a photo at the automatic quality.
 *
 * @throws Error if it refuses the photo
 */
function answeredAvif(file: Uint8Array<ArrayBuffer>): AvifInspection {
  const answer = answered(file, wanted);
  const result = answer && inspect(answer.bytes);
  if (result?.kind !== 'image' || result.image.type !== 'avif') throw new Error('no AVIF answered');
  return result.image;
}

/**
 * The libaom speed that the service has time for.
 *
 * @throws Error if it refuses the photo
 */
function libaomSpeedFor(file: Uint8Array<ArrayBuffer>): number {
  const source = readSource(file);
  if (source.kind !== 'source') throw new Error('no picture');
  const planned = plan(source, { ...defaultOptions, ...wanted });
  if (planned.kind !== 'planned') throw new Error('no AVIF planned');
  const [candidate] = planned.candidates;
  if (candidate?.kind !== 'encode') throw new Error('no AVIF planned');
  const { quality, speed = usualSpeed } = candidate;
  return libaomSpeed({ quality, speed, kind: kindOf(preparedDetail(source, candidate.pixels)) });
}

/** The upright photo as the service codes it, with its samples as stored. */
async function uprightRaster(file: Uint8Array): Promise<Raster> {
  const raw = sharp(file, { ignoreIcc: true }).autoOrient().ensureAlpha().raw();
  const { data, info } = await raw.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8ClampedArray(data) };
}

/** A PNG for avifenc, with low compression; its edges are repeated to fill whole cells if `cells` is given. */
function pngOf(raster: Raster, cells?: Layout): Promise<Buffer> {
  const { width, height } = raster;
  const picture = asSharp({ raster, hasAlpha: false });
  const filled = cells
    ? picture.extend({
        right: cells.columns * cells.width - width,
        bottom: cells.rows * cells.height - height,
        extendWith: 'copy',
      })
    : picture;
  return filled.png({ compressionLevel: 1 }).toBuffer();
}

/** SSIMULACRA2 over half of the picture, ignoring padding of the file. */
async function scoreOf(original: Raster, shown: Raster, scorers: Scorers): Promise<number> {
  const scores = squaresOf(original).map((square) =>
    scorers.likeness(cropped(original, square), cropped(shown, square)),
  );
  return mean(await Promise.all(scores)) ?? Number.NaN;
}

/**
 * Squares in a checkerboard pattern, half a square away from the edges, so that no boundary between cells coincides
 * with the edge of a square.
 */
function squaresOf({ width, height }: Raster): Region[] {
  const squares: Region[] = [];
  for (let top = side / 2, row = 0; top + side <= height; top += side, row += 1) {
    for (let left = side / 2 + side * (row & 1); left + side <= width; left += 2 * side) {
      squares.push({ left, top, width: side, height: side });
    }
  }
  return squares;
}

function cellTable(rows: readonly Row[]): Table {
  const ratios = rows.map(({ inCells, whole }) => ratio(inCells.bytes, whole.bytes));
  const equal = rows.map((row) => ratio(row.inCells.bytes, bytesAsCells(row)));
  const sum = ratioOfSums(rows.map(({ inCells, whole }) => [inCells.bytes, whole.bytes]));
  const equalSum = ratioOfSums(rows.map((row) => [row.inCells.bytes, bytesAsCells(row)]));
  const summary = (name: string, fixed: number | undefined, scored: number | undefined) => [
    ...[name, '', '', '', '', '', '', figure(fixed, 3)],
    ...['', '', figure(scored, 3)],
  ];
  return {
    caption: `Cells beside the whole, ${rows.length} camera photos, by avifenc at a fixed quantizer`,
    columns: [
      'photo',
      ...['MP', 'chroma', 'speed', 'cells', 'bytes in cells', 'bytes whole', 'ratio'],
      ...['SSIMULACRA2 in cells', 'whole', 'ratio at equal SSIMULACRA2'],
    ],
    rows: [
      ...rows.map((row, i) => [
        row.name,
        figure(row.megapixels, 1),
        [...row.chroma].join(':'),
        figure(row.speed),
        layoutText(row.layout),
        figure(row.inCells.bytes),
        figure(row.whole.bytes),
        figure(ratios[i], 3),
        figure(row.inCells.score, 2),
        figure(row.whole.score, 2),
        figure(equal[i], 3),
      ]),
      summary('all bytes in sum', sum, equalSum),
      summary('median', median(ratios), median(equal)),
      summary('the worst', most(ratios), most(equal)),
    ],
  };
}

/** Bytes of the whole picture at the score of the cells, interpolated by logarithm. */
function bytesAsCells({ whole, coarser: lower, inCells }: Row): number {
  const share = (whole.score - inCells.score) / (whole.score - lower.score);
  return whole.bytes * (lower.bytes / whole.bytes) ** share;
}

function layoutText({ columns, rows, width, height }: Layout): string {
  return `${columns} × ${rows} of ${width} × ${height}`;
}
