import type { Plot, Series, Table } from '../harness/section.ts';
import { median, ratio } from './averages.ts';
import { figure } from './figures.ts';
import { atScore } from './rate-curve.ts';
import type { RateCurves } from './rate-curves.ts';

/** Where files are compared: from web photos that are pressed hard to nearly nothing to be seen. */
export const targets = [65, 70, 75, 80, 85];
/** Where time is compared: what `quality=auto` aims at. */
const usual = 80;

/** Bytes and time of the first coder over those of each other one at equal scores: medians over pictures. */
export function equalScoreTable(
  caption: string,
  curves: readonly RateCurves[],
  ours: string,
  peers: readonly string[],
): Table {
  const rows = peers.map((peer) => {
    const ratios = targets.map((score) => ratiosAt(curves, ours, peer, score, 'bytes'));
    const perMegapixel = curves.map(({ pixels, points }) => {
      const time = atScore(points.get(peer) ?? [], usual, 'time');
      return time && (time * 1e6) / pixels;
    });
    return [
      peer,
      ...[...ratios, ratios.flat()].map((values) => figure(median(values), 3)),
      figure(median(perMegapixel)),
      figure(median(ratiosAt(curves, ours, peer, usual, 'time')), 2),
    ];
  });
  const scores = targets.map((score) => `bytes at ${score}`);
  const columns = [`${ours}, against`, ...scores, 'all of them', 'their CPU ms/MP', 'CPU ratio'];
  return { caption, columns, rows };
}

function ratiosAt(
  curves: readonly RateCurves[],
  ours: string,
  peer: string,
  score: number,
  what: 'bytes' | 'time',
): (number | undefined)[] {
  return curves.map(({ points }) =>
    ratio(
      atScore(points.get(ours) ?? [], score, what),
      atScore(points.get(peer) ?? [], score, what),
    ),
  );
}

/** Bytes a pixel against score: for each score that every picture reaches, the median over them. */
export function rateCurvePlot(
  { name, title }: Pick<Plot, 'name' | 'title'>,
  curves: readonly RateCurves[],
  coders: readonly string[],
): Plot {
  return {
    name,
    title,
    x: { title: 'bytes per pixel', scale: 'log' },
    y: { title: 'SSIMULACRA2', scale: 'linear' },
    series: coders.map((coder) => medianCurve(curves, coder)),
  };
}

const plotted = Array.from({ length: 17 }, (_, i) => 54 + 2.5 * i);

function medianCurve(curves: readonly RateCurves[], coder: string): Series {
  const points = plotted.flatMap((score) => {
    const rates = curves.map(({ pixels, points }) => {
      const bytes = atScore(points.get(coder) ?? [], score, 'bytes');
      return bytes === undefined ? undefined : bytes / pixels;
    });
    // with pictures missing the median would be that of others
    if (rates.includes(undefined)) return [];
    return [{ x: median(rates) ?? 0, y: score }];
  });
  return { name: coder, mark: 'line', points };
}
