import type { Table } from '../harness/section.ts';
import { figure, median, ratio, ratioOfSums } from '../measures/figures.ts';
import { comparedAt } from './gif-tables.ts';
import type { Gif2webp, MeasuredGif } from './measured.ts';

interface Row {
  readonly name: string;
  readonly bytes: number;
  readonly score: number;
  readonly peer: Gif2webp;
}

/** WebP files made from GIFs, compared with gif2webp directly and at equal scores. */
export function webpTable(gifs: readonly MeasuredGif[]): Table {
  const rows = gifs.flatMap(({ subject, webp, gif2webp }): Row[] => {
    if (!webp || !gif2webp) return [];
    return [{ name: subject.file.name, ...webp, peer: gif2webp }];
  });
  const missing = gifs.filter(({ webp }) => !webp).map(missingRow);
  const plainPairs = rows.map(({ bytes, peer }) => [bytes, smallerOf(peer)] as const);
  const pairs = rows.map(({ bytes, peer }) => {
    const theirs = peer.atScore.bytes ?? undefined;
    return theirs === undefined ? ([undefined, undefined] as const) : ([bytes, theirs] as const);
  });
  const compared = pairs.filter(([, theirs]) => theirs !== undefined);
  const sum = (values: readonly (number | undefined)[]) =>
    values.reduce<number>((all, value) => all + (value ?? 0), 0);
  return {
    caption: 'GIF as WebP by auto: bytes beside gif2webp',
    columns: [
      ...['', 'score', 'bytes', '-q 75: score', 'bytes', '-mixed -q 75: score', 'bytes'],
      ...['ratio to the smaller', 'at our score', 'ratio', 'compared at'],
    ],
    rows: [
      ...rows.map(({ name, bytes, score, peer }, i) => [
        ...[name, figure(score, 2), figure(bytes)],
        ...[figure(peer.plain.score, 2), figure(peer.plain.bytes)],
        ...[figure(peer.mixed.score, 2), figure(peer.mixed.bytes)],
        figure(ratio(bytes, smallerOf(peer)), 3),
        ...[figure(pairs[i]?.[1]), figure(ratio(pairs[i]?.[0], pairs[i]?.[1]), 3)],
        comparedAt(peer.atScore),
      ]),
      ...missing,
      [
        ...[`all ${rows.length}, in sum`, '', figure(sum(rows.map(({ bytes }) => bytes)))],
        ...['', figure(sum(rows.map(({ peer }) => peer.plain.bytes)))],
        ...['', figure(sum(rows.map(({ peer }) => peer.mixed.bytes)))],
        ...[figure(ratioOfSums(plainPairs), 3), '', '', ''],
      ],
      [
        ...[`${compared.length} at our score, in sum`, ''],
        figure(sum(compared.map(([own]) => own))),
        ...['', '', '', '', '', figure(sum(compared.map(([, theirs]) => theirs)))],
        ...[figure(ratioOfSums(compared), 3), ''],
      ],
      [
        ...['median', '', '', '', '', '', ''],
        figure(median(plainPairs.map(([own, theirs]) => ratio(own, theirs))), 3),
        ...['', figure(median(compared.map(([own, theirs]) => ratio(own, theirs))), 3), ''],
      ],
    ],
  };
}

function smallerOf({ plain, mixed }: Gif2webp): number {
  return Math.min(plain.bytes, mixed.bytes);
}

function missingRow({ subject, reached }: MeasuredGif): string[] {
  const answer = reached.find(({ to }) => to === 'webp')?.answer;
  const reason = answer && 'refused' in answer ? answer.refused : 'below 8 pixels';
  return [subject.file.name, reason, ...Array.from({ length: 9 }, () => '–')];
}
