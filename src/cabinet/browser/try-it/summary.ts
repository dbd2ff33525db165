import { changeText, sizeText } from '../../text/formatting.ts';
import { isHeld, type Job } from './queue.ts';

/** How far it is, in a sentence or two: `2 of 3 done. Together 1.81 MB became 653 KB (−64 %).` */
export function summaryOf(jobs: readonly Job[]): string {
  const taken = jobs.filter(({ state }) => state.kind !== 'refused');
  const results = taken.flatMap(({ state }) => (state.kind === 'done' ? [state.result] : []));
  const failed = failuresOf(taken).length;
  const refused = jobs.length - taken.length;
  const before = results.reduce((sum, { bytesBefore }) => sum + bytesBefore, 0);
  const after = results.reduce((sum, { bytesAfter }) => sum + bytesAfter, 0);
  return sentences(
    taken.length > 0 && `${results.length} of ${taken.length} done.`,
    failed > 0 && `${failed} failed.`,
    refused > 0 && `${refused} cannot be sent.`,
    results.length > 1 &&
      `Together ${sizeText(before)} became ${sizeText(after)} (${changeText(before, after)}).`,
  );
}

/**
 * The same for those who hear it: not after every picture, but when some have
 * been taken, and when nothing more will happen by itself.
 */
export function announcementOf(jobs: readonly Job[]): string {
  const busy = jobs.filter((job) => isUnderWay(job)).length;
  const held = jobs.filter(isHeld).length;
  if (busy === 0) {
    const failures = failuresOf(jobs);
    return sentences(
      summaryOf(jobs),
      failures.length === 1 && failures[0],
      held > 0 && `${picturesText(held)} not sent yet.`,
    );
  }
  // counts all that are taken: it does not change while they are worked on
  const taken = jobs.filter((job) => job.state.kind !== 'refused' && !isHeld(job)).length;
  return `${picturesText(taken)} taken. The sum follows when all are done.`;
}

/** Files left, as the answer with the fewest has it: answers may overtake each other. */
export function quotaAfter(jobs: readonly Job[], since: number): number | null {
  const told = jobs.flatMap(({ state }) =>
    state.kind === 'done' && state.at >= since && state.result.quotaRemaining !== null
      ? [state.result.quotaRemaining]
      : [],
  );
  return told.length > 0 ? Math.min(...told) : null;
}

/** `1 picture`, `30 pictures`. */
export function picturesText(count: number): string {
  return `${count} ${count === 1 ? 'picture' : 'pictures'}`;
}

function isUnderWay(job: Job): boolean {
  const { kind } = job.state;
  return kind === 'sending' || kind === 'pausing' || (kind === 'waiting' && !isHeld(job));
}

function failuresOf(jobs: readonly Job[]): readonly string[] {
  return jobs.flatMap(({ state }) => (state.kind === 'failed' ? [state.failure.message] : []));
}

function sentences(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' ');
}
