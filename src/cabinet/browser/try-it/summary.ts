import { changeText, sizeText } from '../../text/sizes.ts';
import type { Job } from './queue.ts';

/** How far it is, in a sentence or two: `2 of 3 done. Together 1.81 MB became 653 KB (−64 %).` */
export function summaryOf(jobs: readonly Job[]): string {
  const taken = jobs.filter(({ state }) => state.kind !== 'refused');
  const results = taken.flatMap(({ state }) => (state.kind === 'done' ? [state.result] : []));
  const failed = taken.filter(({ state }) => state.kind === 'failed').length;
  const refused = jobs.length - taken.length;
  const before = results.reduce((sum, { bytesBefore }) => sum + bytesBefore, 0);
  const after = results.reduce((sum, { bytesAfter }) => sum + bytesAfter, 0);
  return [
    taken.length > 0 ? `${results.length} of ${taken.length} done.` : '',
    failed > 0 ? `${failed} failed.` : '',
    refused > 0 ? `${refused} cannot be sent.` : '',
    results.length > 1
      ? `Together ${sizeText(before)} became ${sizeText(after)} (${changeText(before, after)}).`
      : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Files left, as the answer with the fewest has it: answers may overtake each other. */
export function quotaAfter(jobs: readonly Job[]): number | null {
  const told = jobs.flatMap(({ state }) =>
    state.kind === 'done' && state.result.quotaRemaining !== null
      ? [state.result.quotaRemaining]
      : [],
  );
  return told.length > 0 ? Math.min(...told) : null;
}
