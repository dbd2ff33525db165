import type { OutputType } from '../../src/image/formats/facts.ts';
import type { Table } from '../harness/section.ts';
import { figure, least, mean, most } from '../measures/figures.ts';
import { type Scored, type Way, wayOf } from './searched.ts';

/** The requested scores: those with names. */
export const askedTargets: readonly number[] = [65, 77, 86];

/** The result of a target. */
export interface AtTarget {
  readonly target: number;
  readonly scored: Scored;
}

/** Maximum distance from the target, in points of SSIMULACRA2. */
const near = 2;

/** If the lossy scale ends within this distance of the target, in points, its end is a valid result. */
const nearEnd = 5;

/** The score minus the target that applies to the picture. */
function offOf({ target, scored }: AtTarget): number {
  return scored.score - Math.min(target, scored.aim ?? target);
}

function isWithin(run: AtTarget): boolean {
  return Math.abs(offOf(run)) <= near;
}

function way({ scored, target }: AtTarget): Way {
  return wayOf(scored, target);
}

/**
 * Whether a result that no search determined misses its target: such results may look better than requested, but not
 * worse.
 */
function isMissed(run: AtTarget): boolean {
  switch (way(run)) {
    case 'searched':
      return false;
    case 'end of the scale':
      return offOf(run) < -nearEnd;
    default:
      return offOf(run) < -near;
  }
}

const ways: readonly Way[] = ['exact', 'palette', 'capped', 'end of the scale'];

/** A table with a row for each format and target. */
export function reachedTable(runs: readonly AtTarget[]): Table {
  return {
    caption: 'Scores of whole results against targets',
    columns: [
      ...['', 'searched', 'within ± 2, %', 'worst', 'mean'],
      ...ways,
      ...['of these too low', 'Image-Score off, mean', 'worst', 'bytes', 'CPU s'],
    ],
    rows: grouped(runs).map(([name, group]) => [name, ...cellsOf(group)]),
  };
}

function cellsOf(runs: readonly AtTarget[]): string[] {
  const searched = runs.filter((run) => way(run) === 'searched');
  const offs = searched.map(offOf);
  const imageScore = runs.flatMap(({ scored }) =>
    scored.imageScore === null || typeof scored.quality !== 'number'
      ? []
      : [scored.imageScore - scored.score],
  );
  return [
    String(searched.length),
    figure((100 * searched.filter(isWithin).length) / searched.length, 1),
    figure(farthest(offs), 2),
    figure(mean(offs), 2),
    ...ways.map((one) => String(runs.filter((run) => way(run) === one).length)),
    String(runs.filter(isMissed).length),
    figure(mean(imageScore.map(Math.abs)), 2),
    figure(farthest(imageScore), 2),
    String(runs.reduce((sum, { scored }) => sum + scored.bytes, 0)),
    figure(runs.reduce((sum, { scored }) => sum + scored.cpuMs, 0) / 1000, 1),
  ];
}

/** The value farthest from zero, with its sign. */
function farthest(values: readonly number[]): number | undefined {
  const [low, high] = [least(values), most(values)];
  return low === undefined || high === undefined || -low < high ? high : low;
}

function grouped(runs: readonly AtTarget[]): [string, AtTarget[]][] {
  const formats = [...new Set(runs.map(({ scored }) => scored.format))];
  const rows = formats.flatMap((format) =>
    askedTargets.map((target): [string, AtTarget[]] => [
      `${format}, ${target}`,
      ofFormat(runs, format).filter((run) => run.target === target),
    ]),
  );
  return [
    ...rows,
    ...formats.map((format): [string, AtTarget[]] => [`${format}, all`, ofFormat(runs, format)]),
  ];
}

function ofFormat(runs: readonly AtTarget[], format: OutputType): AtTarget[] {
  return runs.filter(({ scored }) => scored.format === format);
}

/** The results that are farther from their target than allowed. */
export function missedTable(runs: readonly AtTarget[]): Table {
  const far = runs.filter((run) => (way(run) === 'searched' && !isWithin(run)) || isMissed(run));
  return {
    caption: 'Results farther off',
    columns: ['', 'target', 'quality', 'score', 'Image-Score', 'off', 'way'],
    rows: far.map((run) => {
      const { target, scored } = run;
      const { name, format, quality, score, imageScore } = scored;
      return [
        ...[`${name} → ${format}`, String(target), String(quality), figure(score, 2)],
        ...[figure(imageScore ?? undefined, 1), figure(offOf(run), 2), way(run)],
      ];
    }),
  };
}

/** Failed expectations, one sentence each. */
export function failuresOfReached(runs: readonly AtTarget[]): string[] {
  return runs.filter(isMissed).map((run) => {
    const { target, scored } = run;
    const { name, format, score } = scored;
    return `${name} → ${format}, target=${target}: ${figure(score, 2)} (${way(run)})`;
  });
}
