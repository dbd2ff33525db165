import { namedTargets } from '../../src/image/metric/targets.ts';
import type { Table } from '../harness/section.ts';
import { figure } from '../measures/figures.ts';
import type { Reached } from './measured.ts';
import { wayOf } from './results.ts';

const target = namedTargets.medium;
/** Maximum distance of a mean score from the target, in points. */
const near = 2;
/** Maximum distance of a single picture below the target, in points. */
const nearEach = 5;

const names = { gif: 'gif', png: 'apng', webp: 'webp' } as const;

/** Scores of `auto` results compared with the target. */
export function reachedTable(results: readonly Reached[]): Table {
  const searched = results.filter(isSearched);
  const within = searched.filter((one) => verdictOf(one) === 'yes');
  return {
    caption: `Scores by auto against the target ${target}: ${within.length} of ${searched.length} coded with loss are within ± ${near}`,
    columns: [
      ...['', 'quality', 'Image-Score', 'mean', 'off', 'worst frame', 'below the target'],
      'mean by the own metric',
      `within ± ${near}`,
    ],
    rows: results.map((one) => {
      const { name, from, to, answer, look } = one;
      const told = 'refused' in answer ? null : answer.score;
      return [
        ...[`${name}, ${names[from]} → ${names[to]}`, wayOf(answer), figure(told ?? undefined, 1)],
        ...[figure(look?.mean, 2), figure(look ? look.mean - target : undefined, 2)],
        figure(look?.worst, 2),
        isSearched(one) && isFarBelow(one) ? figure(target - (look?.worst ?? target), 2) : '',
        figure(look?.ownMean, 2),
        verdictOf(one),
      ];
    }),
  };
}

function isFarBelow({ look }: Reached): boolean {
  return look !== null && look.worst < target - nearEach;
}

/** Whether a result was coded lossy and can be scored. */
function isSearched({ answer, look }: Reached): boolean {
  return look !== null && !('refused' in answer) && typeof answer.quality === 'number';
}

function verdictOf(one: Reached): string {
  const { answer, look } = one;
  if ('refused' in answer) return 'refused';
  if (typeof answer.quality !== 'number') return answer.quality;
  if (!look) return 'below 8 pixels';
  return Math.abs(look.mean - target) <= near ? 'yes' : 'no';
}

/** Failed expectations, one sentence each: lossless pictures have to be identical. */
export function failuresOf(results: readonly Reached[]): string[] {
  return results.flatMap(({ name, to, answer, look }) => {
    const isExact = !('refused' in answer) && answer.quality === 'lossless';
    if (!isExact || !look || look.worst === 100) return [];
    return [`${name} → ${to}: a picture without loss comes to ${figure(look.worst, 2)}`];
  });
}
