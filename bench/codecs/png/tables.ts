import type { Table } from '../../harness/section.ts';
import {
  figure,
  least,
  mean,
  mebibytes,
  median,
  most,
  ratio,
  ratioOfSums,
} from '../../measures/figures.ts';
import type { Coding, Row } from './measured.ts';

/** Pictures of one kind with a common summary. */
export interface Group {
  readonly name: string;
  readonly rows: readonly Row[];
}

type Codings = {
  [Key in keyof Row]: Row[Key] extends Coding ? Key : never;
}[keyof Row];

const lossyPeers = [
  ['pngquant', 'pngquant + oxipng'],
  ['sharp', 'sharp, palette'],
] as const;
const exactPeers = [
  ['oxipng', 'oxipng'],
  ['jsquash', '@jsquash/png + oxipng'],
] as const;

/** `quality=auto` compared with other coders that use a palette. */
export function lossyTable(groups: readonly Group[]): Table {
  return {
    caption: 'quality=auto: bytes, SSIMULACRA2 and CPU time against others that choose a palette',
    columns: [
      'pictures, against',
      'bytes in sum',
      'median',
      'mean score',
      'their mean',
      'lowest',
      'their lowest',
      'CPU in sum',
      'palettes',
    ],
    rows: groups.flatMap((group) =>
      lossyPeers.map(([peer, name]) => {
        // If one coder failed, the picture does not count for either.
        const rows = group.rows.filter((row) => row[peer].bytes && row.auto.bytes);
        const [ours, theirs] = [rows.map(({ auto }) => auto), rows.map((row) => row[peer])];
        const scores = [ours, theirs].map((codings) => codings.map(({ score }) => score));
        return [
          `${rows.length} ${group.name}, ${name}`,
          ...ratios(rows, 'auto', peer, 'bytes'),
          ...scores.map((values) => figure(mean(values), 1)),
          ...scores.map((values) => figure(least(values), 1)),
          ratios(rows, 'auto', peer, 'time')[0] ?? '–',
          figure(rows.filter(({ layout }) => layout.startsWith('palette')).length),
        ];
      }),
    ),
  };
}

/** `quality=lossless` and `quality=auto` compared with lossless coders. */
export function exactTable(groups: readonly Group[]): Table {
  return {
    caption: 'Against what keeps every sample: bytes, CPU time and memory without the file',
    columns: [
      'pictures, against',
      'lossless, bytes in sum',
      'median',
      'lossless, CPU in sum',
      'auto, bytes in sum',
      'auto, CPU in sum',
      'memory, MiB',
      'oxipng, MiB',
    ],
    rows: groups.flatMap((group) =>
      exactPeers.map(([peer, name]) => {
        const rows = group.rows.filter((row) => row.lossless.bytes && row.auto.bytes);
        return [
          `${rows.length} ${group.name}, ${name}`,
          ...ratios(rows, 'lossless', peer, 'bytes'),
          ratios(rows, 'lossless', peer, 'time')[0] ?? '–',
          ratios(rows, 'auto', peer, 'bytes')[0] ?? '–',
          ratios(rows, 'auto', peer, 'time')[0] ?? '–',
          mebibytes(most(rows.map(({ memory }) => memory))),
          mebibytes(most(rows.map(({ theirMemory }) => theirMemory))),
        ];
      }),
    ),
  };
}

export function pictureTable(groups: readonly Group[]): Table {
  return {
    caption: 'Each picture',
    columns: [
      'picture',
      'bytes in',
      'auto',
      'pngquant',
      'sharp',
      'lossless',
      'oxipng',
      'score',
      'score, pngquant',
      'score, sharp',
      'CPU ms/MP',
      'written as',
    ],
    rows: groups.flatMap(({ rows }) =>
      rows.map((row) => [
        row.name,
        figure(row.fileBytes),
        ...([row.auto, row.pngquant, row.sharp, row.lossless, row.oxipng] as const).map(
          ({ bytes }) => figure(bytes),
        ),
        ...[row.auto, row.pngquant, row.sharp].map(({ score }) => figure(score, 1)),
        figure(row.auto.time && (row.auto.time * 1e6) / row.pixels),
        row.layout,
      ]),
    ),
  };
}

/** The ratio of the sums, and the median of the pictures' ratios. */
function ratios(
  rows: readonly Row[],
  ours: 'auto' | 'lossless',
  theirs: Codings,
  what: 'bytes' | 'time',
): [string, string] {
  const pairs = rows.map((row) => [row[ours][what], row[theirs][what]] as const);
  return [
    figure(ratioOfSums(pairs), what === 'bytes' ? 3 : 2),
    figure(median(pairs.map(([a, b]) => ratio(a, b))), 3),
  ];
}
