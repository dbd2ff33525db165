import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Table } from '../harness/section.ts';
import type { Scorers } from '../likeness/scorers.ts';
import { figure, mebibytes, median, most, quantile, ratio } from '../measures/figures.ts';
import { Contender } from './contender.ts';
import type { Coding, ConverterName } from './converters.ts';
import { fixedQualityLike } from './fixed-quality.ts';
import { type Judged, judged, sumOf } from './judged.ts';
import type { Photo } from './photos.ts';
import type { Order, Report } from './process.ts';

export interface ComparisonSettings {
  readonly photos: readonly Photo[];
  /** For results. */
  readonly folder: string;
  /** Number of timed rounds. */
  readonly rounds: number;
  readonly scorers: Scorers;
  /** Reports progress on the terminal. */
  say(line: string): void;
}

/** A converter with what it made and took. */
interface Entry {
  readonly name: ConverterName;
  /** Null if it searches. */
  readonly quality: number | null;
  readonly files: readonly Judged[];
  /** Bytes of all files at our mean score. */
  readonly bytesAtScore: number;
  /** One per round. */
  readonly reports: readonly Report[];
}

/** A converter that is ready to be timed: it knows its quality, and its code is compiled. */
interface Ready extends Omit<Entry, 'name' | 'reports'> {
  readonly contender: Contender;
  readonly order: Order;
}

/** Makes the photos into a format with the package and its peers, at the same mean score. */
export async function comparison(
  format: Coding['format'],
  settings: ComparisonSettings,
): Promise<Table> {
  await using own = await Contender.start('fewerbytes');
  await using sharp = await Contender.start('sharp');
  await using jsquash = await Contender.start('jSquash');
  const ours = await readyOurs(own, format, settings);
  const all = [ours];
  for (const peer of [sharp, jsquash]) all.push(await readyPeer(peer, format, ours, settings));
  return tableOf(format, settings.photos, await timed(all, settings));
}

async function readyOurs(
  contender: Contender,
  format: Coding['format'],
  { photos, folder, scorers, say }: ComparisonSettings,
): Promise<Ready> {
  const to = await folderFor(folder, contender.name, format);
  const order = { photos, to, coding: { format } };
  await contender.carryOut(order);
  const files = await judged(photos, to, scorers);
  const { bytes, score } = sumOf(files);
  say(`${format}, ${contender.name}: score ${figure(score, 2)}`);
  return { contender, order, quality: null, files, bytesAtScore: bytes };
}

async function readyPeer(
  contender: Contender,
  format: Coding['format'],
  ours: Ready,
  { photos, folder, scorers, say }: ComparisonSettings,
): Promise<Ready> {
  const to = await folderFor(folder, contender.name, format);
  const made = async (some: readonly Photo[], quality: number) => {
    await contender.carryOut({ photos: some, to, coding: { format, quality } });
    return judged(some, to, scorers);
  };
  const found = await fixedQualityLike(ours.files, photos, made);
  const { score } = sumOf(found.files);
  say(`${format}, ${contender.name}: score ${figure(score, 2)} at quality ${found.quality}`);
  const order = { photos, to, coding: { format, quality: found.quality } };
  return { contender, order, ...found };
}

async function folderFor(parent: string, name: string, format: string): Promise<string> {
  const folder = join(parent, `${name}-${format}`);
  await mkdir(folder);
  return folder;
}

/** Times all of them in turns, so that what else the machine does affects all alike. */
async function timed(
  all: readonly Ready[],
  { rounds, say }: ComparisonSettings,
): Promise<readonly Entry[]> {
  const entries = all.map((ready) => ({ ready, reports: [] as Report[] }));
  for (let round = 1; round <= rounds; round += 1) {
    for (const { ready, reports } of entries) {
      reports.push(await ready.contender.carryOut(ready.order));
    }
    say(`round ${round} of ${rounds}`);
  }
  return entries.map(({ ready: { contender, ...rest }, reports }) => {
    return { name: contender.name, ...rest, reports };
  });
}

/** The shares of the photos whose score is below the figures of the table. */
const shares = { p10: 0.1, median: 0.5, p90: 0.9 } as const;

function tableOf(
  format: Coding['format'],
  photos: readonly Photo[],
  entries: readonly Entry[],
): Table {
  const pixels = photos.reduce((sum, { megapixels }) => sum + megapixels, 0);
  const [ours] = entries;
  return {
    caption: `${photos.length} JPEGs to ${format}, ${figure(pixels)} megapixels`,
    columns: [
      ...['', 'quality', 'files/s', 'CPU ms/MP', 'MB', 'bytes at equal score'],
      ...['mean score', ...Object.keys(shares), 'peak MiB'],
    ],
    rows: entries.map(({ name, quality, files, bytesAtScore, reports }) => {
      const { bytes, score } = sumOf(files);
      const scores = files.map((file) => file.score);
      const wallMs = median(reports.map((report) => report.wallMs));
      const cpuMs = median(reports.map((report) => report.cpuMs));
      return [
        name,
        quality === null ? 'automatic' : String(quality),
        figure(ratio(1000 * photos.length, wallMs), 2),
        figure(ratio(cpuMs, pixels)),
        figure(bytes / 1e6, 2),
        figure(ratio(bytesAtScore, ours?.bytesAtScore), 3),
        figure(score, 1),
        ...Object.values(shares).map((share) => figure(quantile(scores, share), 1)),
        mebibytes(most(reports.map(({ peakBytes }) => peakBytes ?? undefined))),
      ];
    }),
  };
}
