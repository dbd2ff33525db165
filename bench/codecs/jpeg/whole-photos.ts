import { inspect } from '../../../src/image/formats/registry.ts';
import type { CorpusFile, Plot, Table } from '../../harness/section.ts';
import { timed } from '../../measures/cpu-time.ts';
import {
  figure,
  mebibytes,
  median,
  megapixels,
  most,
  ratio,
  ratioOfSums,
} from '../../measures/figures.ts';
import { piped } from '../peers.ts';
import { jsquash, newMozjpeg, ours, peers } from './coders.ts';
import { recodedAtQuality } from './recoded.ts';

/** The cost of coding one whole photo. */
interface Row {
  readonly name: string;
  readonly megapixels: number;
  /** CPU time in milliseconds, by coder. */
  readonly time: Readonly<Record<TimedCoder, number>>;
  /** Memory in bytes: of the kernel, and of both instances of @jsquash/jpeg with the pixels. */
  readonly memory: number;
  readonly theirMemory: number;
  /** Bytes over those of jpegtran. */
  readonly lossless: number | undefined;
  /** Bytes of lossless recompression; those of jpegtran are undefined if it is not installed. */
  readonly losslessBytes: { readonly ours: number; readonly jpegtran: number | undefined };
}

const timedCoders = ['ours', '@jsquash/jpeg', 'sharp, mozjpeg', 'sharp'] as const;
type TimedCoder = (typeof timedCoders)[number];

/** In the order of `timedCoders`. */
const coders = [ours, ...peers];

/** Codes a small file once with every coder, so that compiling them does not count toward their time. */
export async function warmUp(file: Uint8Array<ArrayBuffer>): Promise<void> {
  for (const coder of coders) await coder.code(file, coder.usual);
}

/** Runs every coder once in a warm instance, and measures memory in new instances. */
export async function measuredWhole({ name, bytes }: CorpusFile): Promise<Row> {
  const times: number[] = [];
  for (const coder of coders) {
    times.push((await timed(() => coder.code(bytes, coder.usual))).milliseconds);
  }
  const [own = 0, theirs = 0, native = 0, plain = 0] = times;
  const mozjpeg = await newMozjpeg();
  mozjpeg.recoded(bytes, jsquash.usual);
  const exact = recodedAtQuality(bytes, 'lossless').bytes.length;
  const optimal = piped('jpegtran', ['-copy', 'none', '-optimize', '-progressive'], bytes);
  return {
    name,
    megapixels: megapixels(decodedSize(bytes)),
    time: {
      ours: own,
      '@jsquash/jpeg': theirs,
      'sharp, mozjpeg': native,
      sharp: plain,
    },
    memory: recodedAtQuality(bytes, ours.usual).memory,
    theirMemory: mozjpeg.memory(),
    lossless: optimal && exact / optimal.length,
    losslessBytes: { ours: exact, jpegtran: optimal?.length },
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
    [losslessHeading, (row) => row.lossless, (value) => figure(value, 4)],
  ];
  const sums = ratioOfSums(
    rows.map(({ losslessBytes }) => [losslessBytes.ours, losslessBytes.jpegtran]),
  );
  const onlyLossless = (value: number | undefined) =>
    cells.map(([heading]) => (heading === losslessHeading ? figure(value, 4) : ''));
  return {
    caption: `Whole photos, ${rows.length} of them: CPU time and its ratio, memory without the file, bytes without loss`,
    columns: ['photo', ...cells.map(([heading]) => heading)],
    rows: [
      ...rows.map((row) => [row.name, ...cells.map(([, pick, show]) => show(pick(row)))]),
      ['median', ...cells.map(([, pick, show]) => show(of(pick)))],
      ['all bytes in sum', ...onlyLossless(sums)],
      ['the worst', ...onlyLossless(most(rows.map(({ lossless }) => lossless)))],
    ],
  };
}

const losslessHeading = 'lossless bytes, jpegtran';

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

/**
 * Width and height as coded, in pixels.
 *
 * @throws Error if the file is not a picture that the service supports
 */
function decodedSize(file: Uint8Array): { width: number; height: number } {
  const result = inspect(file);
  if (result.kind !== 'image') throw new Error('not an image that is known');
  const { width, height } = result.image;
  return { width, height };
}
