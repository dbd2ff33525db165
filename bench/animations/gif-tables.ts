import type { Table } from '../harness/section.ts';
import { figure, mean, median, ratio, ratioOfSums } from '../measures/figures.ts';
import type { PeerBytes } from './curve.ts';
import { type Compared, figures, type MeasuredGif } from './measured.ts';
import type { Subject } from './subject.ts';

/** Bytes compared with `gifsicle -O3`. */
export function losslessTable(gifs: readonly MeasuredGif[]): Table {
  const rows = gifs.flatMap(({ subject: { file }, lossless, gifsicle }) =>
    gifsicle ? [{ name: file.name, before: file.bytes.length, lossless, gifsicle }] : [],
  );
  const sums = (pick: (row: (typeof rows)[number]) => number) =>
    rows.reduce((sum, row) => sum + pick(row), 0);
  const all = {
    name: `all ${rows.length}`,
    before: sums(({ before }) => before),
    lossless: {
      produced: sums(({ lossless }) => lossless.produced),
      kept: sums(({ lossless }) => lossless.kept),
    },
    gifsicle: {
      produced: sums(({ gifsicle }) => gifsicle.produced),
      kept: sums(({ gifsicle }) => gifsicle.kept),
    },
  };
  return {
    caption: 'GIF kept without loss: bytes, beside gifsicle -O3',
    columns: [
      ...['', 'original', 'produced', 'gifsicle', 'ratio'],
      ...['smaller one kept', 'gifsicle', 'ratio'],
    ],
    rows: [...rows, all].map(({ name, before, lossless, gifsicle }) => [
      ...[name, figure(before)],
      ...[figure(lossless.produced), figure(gifsicle.produced)],
      figure(ratio(lossless.produced, gifsicle.produced), 3),
      ...[figure(lossless.kept), figure(gifsicle.kept)],
      figure(ratio(lossless.kept, gifsicle.kept), 3),
    ]),
  };
}

/** In short, how the comparison with a peer was made. */
export function comparedAt(peer: PeerBytes | undefined): string {
  switch (peer?.from) {
    case 'between':
      return 'equal score';
    case 'best':
      return 'its best';
    case 'none':
      return 'out of range';
    case undefined:
      return '–';
  }
}

/** Why a file is left out of sums and medians; null if it is included. */
function exclusionReason({ isAnimated, isScored }: Subject): string | null {
  if (!isScored) return 'below 8 pixels';
  return isAnimated ? null : 'one frame';
}

/** Bytes at equal scores compared with `gifsicle -O3 --lossy`. */
export function lossyTable(gifs: readonly MeasuredGif[]): Table {
  const counted = gifs.filter(({ subject }) => exclusionReason(subject) === null);
  const rows = gifs.map(({ subject, curve }) => {
    const [auto, ...others] = curve;
    return [
      subject.file.name,
      ...[auto?.quality ?? '–', figure(auto?.score, 2), figure(auto?.bytes)],
      ...[figure(auto?.peer.bytes ?? undefined), cellOf(auto), comparedAt(auto?.peer)],
      ...figures.flatMap((_, i) => [figure(others[i]?.score, 2), cellOf(others[i])]),
      exclusionReason(subject) ?? 'yes',
    ];
  });
  const columnOf = (pick: (compared: readonly Compared[]) => number | undefined) =>
    counted.map(({ curve }) => pick(curve));
  const scores = [0, 1, 2].map((i) => mean(columnOf((curve) => curve[i]?.score)));
  const medians = [0, 1, 2].map((i) => figure(median(columnOf((curve) => ratioOf(curve[i]))), 3));
  const sumRatios = [0, 1, 2].map((i) =>
    figure(ratioOfSums(counted.map(({ curve }) => pairOf(curve[i]))), 3),
  );
  const summaryRow = (name: string, cells: readonly string[], withScores: boolean) => [
    ...[name, '', withScores ? figure(scores[0], 2) : '', '', '', cells[0] ?? '', ''],
    ...[1, 2].flatMap((i) => [withScores ? figure(scores[i], 2) : '', cells[i] ?? '']),
    '',
  ];
  return {
    caption: 'GIF kept with loss: bytes beside gifsicle -O3 --lossy at equal SSIMULACRA2',
    columns: [
      ...['', 'auto: quality', 'score', 'bytes', 'gifsicle', 'ratio', 'compared at'],
      ...figures.flatMap((quality) => [`quality=${quality}: score`, 'ratio']),
      'counted',
    ],
    rows: [
      ...rows,
      summaryRow(`${counted.length} counted, median`, medians, true),
      summaryRow('these, in sum', sumRatios, false),
    ],
  };
}

function pairOf(compared: Compared | undefined): [number | undefined, number | undefined] {
  const theirs = compared?.peer.bytes ?? undefined;
  return theirs === undefined ? [undefined, undefined] : [compared?.bytes, theirs];
}

function ratioOf(compared: Compared | undefined): number | undefined {
  return ratio(...pairOf(compared));
}

/** A ratio; in brackets if the peer's best setting looks worse than the result. */
function cellOf(compared: Compared | undefined): string {
  const text = figure(ratioOf(compared), 3);
  return compared?.peer.from === 'best' ? `(${text})` : text;
}
