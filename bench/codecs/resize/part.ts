import sharp from 'sharp';
import type { Raster } from '../../../src/image/pixels/raster.ts';
import { Resizer } from '../../../src/image/pixels/resizer.ts';
import type { CorpusFile, Part, Plot, Section } from '../../harness/section.ts';
import { timed } from '../../measures/cpu-time.ts';
import { figure, megapixels } from '../../measures/figures.ts';
import { ours, peers, type Size, wholeOf } from './resizers.ts';
import { errorTable, turningTable, wholeWayLikeness, wholeWayTable } from './tables.ts';

const runs = 5;
const cases = [
  { from: [1632, 1224], to: [400, 300] },
  { from: [1632, 1224], to: [1200, 900] },
  { from: [1632, 1224], to: [800, 600] },
  { from: [2304, 1728], to: [800, 600] },
  { from: [3264, 2448], to: [800, 600] },
  { from: [4032, 3024], to: [800, 600] },
] as const;

const text = `Reducing decoded pixels with Lanczos-3: ours and @jsquash/resize (Rust in WebAssembly) in linear light with premultiplied
alpha, sharp in native code with vectors on one thread, which filters codes instead of light and so does less. Ratios are
ours over theirs. Memory is what ours holds beside the result, since rows flow through it; @jsquash/resize holds both pictures
and a copy of them in 32-bit numbers.

The whole way from a large JPEG to a small one is that of the service (\`quality=77\`; its memory is what it sets aside, and its kernel
decodes no more than is needed) beside @jsquash/jpeg's decoder, @jsquash/resize and @jsquash/jpeg's encoder at 79, each in an
instance that is kept; of these the memory is the largest of the three with the pixels between them. Photos are the largest camera
photo in that size.`;

/** CPU time in milliseconds, by resizer. */
interface Row {
  readonly from: Size;
  readonly to: Size;
  readonly kind: string;
  readonly times: ReadonlyMap<string, number>;
}

export const resize: Part = {
  name: 'resize',
  async measure({ corpus, say }): Promise<Section> {
    const [photo] = corpus.photos;
    if (!photo) throw new Error('the corpus has no photo');
    const [wholeWay, likeness] = [await wholeWayTable(photo), await wholeWayLikeness(photo)];
    const rows: Row[] = [];
    for (const { from, to } of cases) {
      rows.push(...(await rowsOf(photo, sizeOf(from), sizeOf(to))));
      say(`${from.join(' × ')} to ${to.join(' × ')}`);
    }
    return {
      title: 'Resizing',
      text,
      tables: [
        timeTable(rows),
        wholeWay,
        likeness,
        await errorTable(photo),
        await turningTable(photo),
      ],
      plots: [plotOf(rows)],
      failures: [],
    };
  },
};

async function rowsOf(photo: CorpusFile, from: Size, to: Size): Promise<Row[]> {
  const opaque = await photoOf(photo, from);
  return [
    { from, to, kind: 'opaque', times: await timesOf(opaque, to) },
    { from, to, kind: 'transparent', times: await timesOf(withHoles(opaque), to) },
  ];
}

async function timesOf(raster: Raster, to: Size): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const { name, reduced } of [ours, ...peers]) {
    const { milliseconds } = await timed(() => reduced(raster, to), runs);
    times.set(name, milliseconds);
  }
  return times;
}

function timeTable(rows: readonly Row[]) {
  return {
    caption: 'CPU time in ms, and ours over theirs',
    columns: [
      'sizes',
      ...[ours, ...peers].map(({ name }) => name),
      ...peers.map(({ name }) => `against ${name}`),
      'memory, KiB',
    ],
    rows: rows.map(({ from, to, kind, times }) => {
      const own = times.get(ours.name) ?? Number.NaN;
      const others = peers.map(({ name }) => times.get(name) ?? Number.NaN);
      return [
        `${from.width} × ${from.height} to ${to.width} × ${to.height}, ${kind}`,
        ...[own, ...others].map((time) => figure(time)),
        ...others.map((time) => figure(own / time, 2)),
        figure(Resizer.bufferBytes(wholeOf(from), to) / 1024),
      ];
    }),
  };
}

/** CPU time of opaque pictures that are resized to the same size. */
function plotOf(rows: readonly Row[]): Plot {
  const shown = rows.filter(({ kind, to }) => kind === 'opaque' && to.width === 800);
  return {
    name: 'resize-cpu',
    title: 'CPU time of reducing a photo to 800 × 600',
    x: { title: 'megapixels', scale: 'linear', fromZero: true },
    y: { title: 'CPU time, ms', scale: 'linear', fromZero: true },
    series: [ours, ...peers].map(({ name }) => ({
      name,
      mark: 'line',
      points: shown.map(({ from, times }) => ({ x: megapixels(from), y: times.get(name) ?? 0 })),
    })),
  };
}

function sizeOf([width, height]: readonly [number, number]): Size {
  return { width, height };
}

/** A photo at the given size. */
export async function photoOf({ bytes }: CorpusFile, { width, height }: Size): Promise<Raster> {
  const picture = sharp(bytes).resize(width, height, { fit: 'fill' });
  return {
    width,
    height,
    data: new Uint8ClampedArray(await picture.ensureAlpha().raw().toBuffer()),
  };
}

/** A copy with a soft round hole in each square of 256 pixels. */
export function withHoles({ width, height, data }: Raster): Raster {
  const holed = data.slice();
  for (let i = 0; i < width * height; i += 1) {
    const [x, y] = [(i % width) % 256, Math.floor(i / width) % 256];
    holed[4 * i + 3] = 4 * (Math.hypot(x - 128, y - 128) - 60);
  }
  return { width, height, data: holed };
}
