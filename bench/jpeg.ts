/**
 * `npm run bench:jpeg [-- <folder>…]`: JPEG to JPEG by the kernel beside
 * @jsquash/jpeg (decode and encode) and, where it is installed, jpegtran:
 * bytes at equal SSIMULACRA2, CPU time, memory, and bytes without loss. PNGs of
 * a folder are coded as JPEGs of quality 95 first.
 */
import { spawnSync } from 'node:child_process';
import { likeness } from './jpeg/likeness.ts';
import { byMozjpeg, mozjpegMemory } from './jpeg/mozjpeg.ts';
import { type Picture, pictures } from './jpeg/pictures.ts';
import { recodedAtQuality, recodedWithoutLoss } from './jpeg/recoded.ts';

const targets = [65, 70, 75, 80, 85];
const ourQualities = [30, 45, 60, 70, 77, 78, 84, 90, 94];
const theirQualities = [30, 45, 60, 70, 79, 80, 85, 89, 92];
/** What the two are timed and weighed at. */
const usual = 80;
const runs = 3;

const columns = [
  ...targets.map((score) => `at ${score}`),
  'CPU ms',
  'ratio',
  'MiB',
  'theirs',
  'lossless',
];
console.log(
  `${'bytes against @jsquash/jpeg'.padEnd(32)}${columns.map((name) => name.padStart(9)).join('')}`,
);
const rows: Row[] = [];
for (const picture of await pictures(process.argv.slice(2))) {
  const row = await measured(picture);
  rows.push(row);
  print(picture.name, row);
}
if (rows.length > 1) {
  const of = (pick: (row: Row) => number | undefined) => median(rows.map(pick));
  print('median', {
    bytes: targets.map((_, i) => of(({ bytes }) => bytes[i])),
    time: of(({ time }) => time),
    timeRatio: of(({ timeRatio }) => timeRatio),
    memory: of(({ memory }) => memory),
    theirMemory: of(({ theirMemory }) => theirMemory),
    lossless: of(({ lossless }) => lossless),
  });
  const all = rows.flatMap(({ bytes }) => bytes);
  console.log(`bytes at equal SSIMULACRA2, median of all: ${median(all)?.toFixed(3)}`);
}

interface Row {
  /** Ours over theirs at each of the targets, where both reach it. */
  readonly bytes: readonly (number | undefined)[];
  /** CPU time in milliseconds, and ours over theirs. */
  readonly time: number | undefined;
  readonly timeRatio: number | undefined;
  /** Of the kernel, in bytes, the file not counted; and of both of their instances, with the pixels. */
  readonly memory: number | undefined;
  readonly theirMemory: number | undefined;
  /** Ours over jpegtran's. */
  readonly lossless: number | undefined;
}

async function measured({ file }: Picture): Promise<Row> {
  const ours = await curve(ourQualities, file, (quality) => recodedAtQuality(file, quality).bytes);
  const theirs = await curve(theirQualities, file, (quality) => byMozjpeg(file, quality));
  const [own, other] = [
    cpuTime(() => recodedAtQuality(file, usual)),
    cpuTime(() => byMozjpeg(file, usual)),
  ];
  const optimal = jpegtran(file);
  return {
    bytes: targets.map((score) => ratio(bytesAt(ours, score), bytesAt(theirs, score))),
    time: own,
    timeRatio: own / other,
    memory: recodedAtQuality(file, usual).memory,
    theirMemory: await mozjpegMemory(file, usual),
    lossless: optimal && recodedWithoutLoss(file).bytes.length / optimal.length,
  };
}

interface Point {
  readonly score: number;
  readonly bytes: number;
}

async function curve(
  qualities: readonly number[],
  file: Uint8Array,
  code: (quality: number) => Uint8Array,
): Promise<Point[]> {
  const points: Point[] = [];
  for (const quality of qualities) {
    const coded = code(quality);
    points.push({ score: await likeness(file, coded), bytes: coded.length });
  }
  return points.sort((a, b) => a.score - b.score);
}

/** Bytes at a score, between two points by their logarithm. */
function bytesAt(points: readonly Point[], score: number): number | undefined {
  for (const [i, { score: above, bytes: more }] of points.entries()) {
    const before = points[i - 1];
    if (!before || before.score > score || above < score) continue;
    const share = (score - before.score) / (above - before.score || 1);
    return before.bytes * (more / before.bytes) ** share;
  }
  return undefined;
}

function ratio(ours: number | undefined, theirs: number | undefined): number | undefined {
  return ours && theirs && ours / theirs;
}

function cpuTime(run: () => unknown): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return median(times) ?? Number.NaN;
}

function jpegtran(file: Uint8Array): Uint8Array | undefined {
  const options = ['-copy', 'none', '-optimize', '-progressive'];
  const { status, stdout } = spawnSync('jpegtran', options, { input: file, maxBuffer: 2 ** 30 });
  return status === 0 ? stdout : undefined;
}

function median(values: readonly (number | undefined)[]): number | undefined {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

function print(name: string, row: Row): void {
  const { bytes, time, timeRatio, memory, theirMemory, lossless } = row;
  const mebibytes = (size: number | undefined) =>
    size === undefined ? undefined : (size / 2 ** 20).toFixed(1);
  const figures = [
    ...bytes.map((value) => value?.toFixed(3)),
    time?.toFixed(0),
    timeRatio?.toFixed(2),
    mebibytes(memory),
    mebibytes(theirMemory),
    lossless?.toFixed(4),
  ];
  const cells = figures.map((figure) => (figure ?? '–').padStart(9));
  console.log(`${name.slice(0, 31).padEnd(32)}${cells.join('')}`);
}
