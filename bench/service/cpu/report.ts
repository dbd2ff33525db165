import { maxCpuMs } from '../../../src/image/wasm/budgets.ts';
import type { Plot, Table } from '../../harness/section.ts';
import { figure } from '../../measures/figures.ts';
import type { MeasuredCpu } from './measure.ts';

/**
 * Jobs shorter than this, both predicted and measured, in milliseconds, count as predicted, because they do not matter.
 */
const shortMs = 5;
/** Maximum ratio of predicted and measured time, either way. */
const factor = 2;
/** Fraction of all jobs that has to be within the factor. */
const minShare = 0.95;

export function isAsPredicted({ predicted, measured }: MeasuredCpu): boolean {
  if (Math.max(predicted, measured) < shortMs) return true;
  return predicted <= factor * measured && measured <= factor * predicted;
}

/** For example, `within a factor of two: 390 of 400 (97.5 %)`. */
export function verdict(rows: readonly MeasuredCpu[]): string {
  const within = rows.filter(isAsPredicted).length;
  const percent = figure((100 * within) / rows.length, 1);
  return `within a factor of two: ${within} of ${rows.length} (${percent} %)`;
}

/** Failed expectations, one sentence each. */
export function failuresOf(rows: readonly MeasuredCpu[]): string[] {
  const within = rows.filter(isAsPredicted).length;
  return [
    ...(within < minShare * rows.length ? [verdict(rows)] : []),
    ...rows
      .filter(({ predicted }) => predicted > maxCpuMs)
      .map(({ name, predicted }) => `${name}: begun with ${figure(predicted)} ms predicted`),
  ];
}

export function cpuTable(title: string, rows: readonly MeasuredCpu[]): Table {
  return {
    caption: `CPU time in milliseconds, ${title}; ${verdict(rows)}`,
    columns: ['', 'megapixels', 'predicted', 'measured', 'ratio', 'within'],
    rows: rows.map((row) => [
      row.name,
      figure(row.megapixels, 2),
      figure(row.predicted, 1),
      figure(row.measured, 1),
      figure(row.predicted / row.measured, 2),
      isAsPredicted(row) ? 'yes' : 'no',
    ]),
  };
}

export function cpuPlot(groups: Readonly<Record<string, readonly MeasuredCpu[]>>): Plot {
  const all = Object.values(groups).flat();
  const ends = [Math.min(...all.map(least)), Math.max(...all.map(({ predicted }) => predicted))];
  return {
    name: 'cpu-predicted',
    title: 'CPU time of one request, against what is predicted',
    x: { title: 'predicted, ms', scale: 'log' },
    y: { title: 'measured, ms', scale: 'log' },
    series: [
      ...Object.entries(groups).map(([name, rows]) => ({
        name,
        mark: 'points' as const,
        points: rows.map(({ predicted, measured }) => ({ x: predicted, y: measured })),
      })),
      ...[1 / factor, 1, factor].map((by) => ({
        name: by === 1 ? 'as predicted' : `${by} times that`,
        mark: 'line' as const,
        isReference: true,
        points: ends.map((x) => ({ x, y: by * x })),
      })),
    ],
  };
}

function least({ predicted, measured }: MeasuredCpu): number {
  return Math.min(predicted, measured);
}
