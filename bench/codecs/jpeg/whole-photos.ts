import type { CorpusFile, Plot, Table } from '../../harness/section.ts';
import { median, ratio } from '../../measures/averages.ts';
import { timed } from '../../measures/cpu-time.ts';
import { figure, mebibytes, megapixels } from '../../measures/figures.ts';
import { decodedSize } from '../decoded-size.ts';
import { piped } from '../native-program.ts';
import { jsquash, ours, sharpMozjpeg, sharpPlain } from './coders.ts';
import { newMozjpeg } from './mozjpeg.ts';
import { recodedAtQuality } from './recoded.ts';

/** What coding one whole photo takes. */
interface Row {
  readonly name: string;
  readonly megapixels: number;
  /** CPU time in milliseconds, coder by coder. */
  readonly time: Readonly<Record<TimedCoder, number>>;
  /** In bytes: of the kernel, and of both instances of theirs with the pixels. */
  readonly memory: number;
  readonly theirMemory: number;
  /** Ours over jpegtran's. */
  readonly lossless: number | undefined;
}

const timedCoders = ['ours', '@jsquash/jpeg', 'sharp, mozjpeg', 'sharp'] as const;
type TimedCoder = (typeof timedCoders)[number];

export async function measuredWhole({ name, bytes }: CorpusFile): Promise<Row> {
  const own = await timed(() => recodedAtQuality(bytes, ours.usual), 3);
  const mozjpeg = await newMozjpeg();
  const theirs = await timed(() => mozjpeg.recoded(bytes, jsquash.usual));
  const native = await timed(() => sharpMozjpeg.code(bytes, sharpMozjpeg.usual));
  const plain = await timed(() => sharpPlain.code(bytes, sharpPlain.usual));
  const optimal = piped('jpegtran', ['-copy', 'none', '-optimize', '-progressive'], bytes);
  return {
    name,
    megapixels: megapixels(decodedSize(bytes)),
    time: {
      ours: own.milliseconds,
      '@jsquash/jpeg': theirs.milliseconds,
      'sharp, mozjpeg': native.milliseconds,
      sharp: plain.milliseconds,
    },
    memory: own.result.memory,
    theirMemory: mozjpeg.memory(),
    lossless: optimal && recodedAtQuality(bytes, 'lossless').bytes.length / optimal.length,
  };
}

export function wholePhotoTable(rows: readonly Row[]): Table {
  const of = (pick: (row: Row) => number | undefined) => median(rows.map(pick));
  const against = (peer: TimedCoder) => (row: Row) => ratio(row.time.ours, row.time[peer]);
  const cells: readonly (readonly [string, (row: Row) => number | undefined, Show])[] = [
    ['MP', (row) => row.megapixels, (value) => figure(value, 1)],
    ['CPU ms', (row) => row.time.ours, figure],
    ['against @jsquash/jpeg', against('@jsquash/jpeg'), twoDigits],
    ['sharp, mozjpeg', against('sharp, mozjpeg'), twoDigits],
    ['sharp', against('sharp'), twoDigits],
    ['memory, MiB', (row) => row.memory, mebibytes],
    ['@jsquash/jpeg, MiB', (row) => row.theirMemory, mebibytes],
    ['lossless bytes, jpegtran', (row) => row.lossless, (value) => figure(value, 4)],
  ];
  return {
    caption: 'Whole photos: CPU time and its ratio, memory without the file, bytes without loss',
    columns: ['photo', ...cells.map(([heading]) => heading)],
    rows: [
      ...rows.map((row) => [row.name, ...cells.map(([, pick, show]) => show(pick(row)))]),
      ['median', ...cells.map(([, pick, show]) => show(of(pick)))],
    ],
  };
}

type Show = (value: number | undefined) => string;

function twoDigits(value: number | undefined): string {
  return figure(value, 2);
}

export function wholePhotoPlot(rows: readonly Row[]): Plot {
  return {
    name: 'jpeg-cpu',
    title: 'CPU time of coding whole camera photos anew',
    x: { title: 'megapixels', scale: 'linear', fromZero: true },
    y: { title: 'CPU time, ms', scale: 'log' },
    series: timedCoders.map((name) => ({
      name,
      mark: 'points',
      points: rows.map(({ megapixels: x, time }) => ({ x, y: time[name] })),
    })),
  };
}
