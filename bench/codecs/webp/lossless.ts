import type { Raster } from '../../../src/image/pixels/raster.ts';
import type { CorpusFile, Table } from '../../harness/section.ts';
import { decoded } from '../../likeness/likeness.ts';
import { runsFor, timed } from '../../measures/cpu-time.ts';
import {
  eachPicture,
  figure,
  type Measured,
  median,
  megapixels,
  most,
  ratio,
  ratioOfSums,
} from '../../measures/figures.ts';
import { photoOf } from '../photo.ts';
import { losslessPeers, oursLossless } from './coders.ts';

/** One coding of a picture. */
interface Coding {
  readonly bytes: number;
  /** CPU time in milliseconds. */
  readonly time: number;
}

interface Row {
  readonly name: string;
  readonly megapixels: number;
  readonly ours: Coding;
  readonly theirs: ReadonlyMap<string, Coding>;
}

/** Pictures of one kind with a common summary. */
export interface LosslessGroup extends Measured<Row> {
  readonly name: string;
}

/** Codes pictures lossless, and compares our samples with the source's. */
export async function losslessGroup(
  name: string,
  files: readonly CorpusFile[],
  say: (line: string) => void,
): Promise<LosslessGroup> {
  const changed: string[] = [];
  const measure = async (file: CorpusFile): Promise<Row> => {
    const { input } = await photoOf(file);
    const runs = runsFor(input.raster);
    const own = await timed(() => oursLossless.code(input), runs);
    if (!looksSame(input.raster, await decoded(own.result))) {
      changed.push(`${file.name}: visible samples are not those of the source`);
    }
    const theirs = new Map<string, Coding>();
    for (const peer of losslessPeers()) {
      const { result, milliseconds } = await timed(() => peer.code(input), runs);
      theirs.set(peer.name, { bytes: result.length, time: milliseconds });
    }
    const ours = { bytes: own.result.length, time: own.milliseconds };
    return { name: file.name, megapixels: megapixels(input.raster), ours, theirs };
  };
  const { results, failures } = await eachPicture(files, measure, say);
  return { name, results, failures: [...failures, ...changed] };
}

/** Runs every coder once, so that compiling it does not count toward its time. */
export async function warmUp(file: CorpusFile): Promise<void> {
  const { input } = await photoOf(file);
  for (const coder of [oursLossless, ...losslessPeers()]) await coder.code(input);
}

/** Whether two rasters are equal; colors under full transparency are ignored. */
function looksSame(a: Raster, b: Raster): boolean {
  if (a.width !== b.width || a.height !== b.height) return false;
  const [before, after] = [wordsOf(a), wordsOf(b)];
  const alphas = (word: number) => word >>> 24;
  return before.every((word, i) => {
    const other = after[i] ?? 0;
    return word === other || (alphas(word) === 0 && alphas(other) === 0);
  });
}

function wordsOf({ data }: Raster): Uint32Array {
  return new Uint32Array(data.buffer, data.byteOffset, data.length / 4);
}

export function losslessTable(groups: readonly LosslessGroup[]): Table {
  return {
    caption: 'Without loss: bytes and CPU time',
    columns: [
      'pictures, against',
      'bytes in sum',
      'median',
      'the worst',
      'CPU ms/MP',
      'their CPU ms/MP',
      'CPU in sum',
    ],
    rows: groups.flatMap(({ name, results: rows }) =>
      losslessPeers().map((peer) => {
        const pairs = (pick: (coding: Coding) => number) =>
          rows.map(({ ours, theirs }) => {
            const other = theirs.get(peer.name);
            return [pick(ours), other && pick(other)] as const;
          });
        const bytes = pairs((coding) => coding.bytes);
        const times = pairs((coding) => coding.time);
        const ratios = bytes.map(([a, b]) => ratio(a, b));
        const rates = (column: 0 | 1) =>
          median(rows.map((row, i) => ratio(times[i]?.[column], row.megapixels)));
        return [
          `${rows.length} ${name}, ${peer.name}`,
          ...[ratioOfSums(bytes), median(ratios), most(ratios)].map((value) => figure(value, 3)),
          figure(rates(0)),
          figure(rates(1)),
          figure(ratioOfSums(times), 2),
        ];
      }),
    ),
  };
}

/** Each picture compared with the first peer. */
export function losslessPictureTable(groups: readonly LosslessGroup[]): Table {
  const [peer] = losslessPeers();
  const rows = groups.flatMap(({ results }) => results);
  return {
    caption: `Each picture without loss, beside ${peer?.name}`,
    columns: ['picture', 'bytes', 'their bytes', 'ratio', 'CPU ms/MP', 'CPU ratio'],
    rows: rows.map(({ name, megapixels: size, ours, theirs }) => {
      const other = theirs.get(peer?.name ?? '');
      return [
        name,
        figure(ours.bytes),
        figure(other?.bytes),
        figure(ratio(ours.bytes, other?.bytes), 3),
        figure(ours.time / size),
        figure(ratio(ours.time, other?.time), 2),
      ];
    }),
  };
}
