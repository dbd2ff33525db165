import { namedTargets } from '../../src/image/metric/targets.ts';
import type { Table } from '../harness/section.ts';
import { figure } from '../measures/figures.ts';
import type { Reached } from './measured.ts';
import { qualityText } from './results.ts';

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
      const { name, from, to, answer, scores } = one;
      const imageScore = 'refused' in answer ? null : answer.score;
      return [
        ...[
          `${name}, ${names[from]} → ${names[to]}`,
          qualityText(answer),
          figure(imageScore ?? undefined, 1),
        ],
        ...[figure(scores?.mean, 2), figure(scores ? scores.mean - target : undefined, 2)],
        figure(scores?.worst, 2),
        isSearched(one) && isFarBelow(one) ? figure(target - (scores?.worst ?? target), 2) : '',
        figure(scores?.ownMean, 2),
        verdictOf(one),
      ];
    }),
  };
}

function isFarBelow({ scores }: Reached): boolean {
  return scores !== null && scores.worst < target - nearEach;
}

/** Whether a result was coded lossy and can be scored. */
function isSearched({ answer, scores }: Reached): boolean {
  return scores !== null && !('refused' in answer) && typeof answer.quality === 'number';
}

function verdictOf(one: Reached): string {
  const { answer, scores } = one;
  if ('refused' in answer) return 'refused';
  if (typeof answer.quality !== 'number') return answer.quality;
  if (!scores) return 'below 8 pixels';
  return Math.abs(scores.mean - target) <= near ? 'yes' : 'no';
}

/** Failed expectations, one sentence each: lossless pictures have to be identical. */
export function failuresOf(results: readonly Reached[]): string[] {
  return results.flatMap(({ name, to, answer, scores }) => {
    const isExact = !('refused' in answer) && answer.quality === 'lossless';
    if (!isExact || !scores || scores.worst === 100) return [];
    return [`${name} → ${to}: a picture without loss comes to ${figure(scores.worst, 2)}`];
  });
}
