import type { ByteBalance } from '../../text/byte-balance.ts';
import { changeText, countText, imagesText, sizeText } from '../../text/formatting.ts';
import { isHeld, isUnderWay, type Job, type JobState, resultOf } from './queue.ts';

/** The progress: `2 of 3 done. 1 couldn’t be optimized.` Results of earlier options do not count as done. */
export function summaryOf(jobs: readonly Job[]): string {
  const count = (...kinds: readonly JobState['kind'][]) =>
    jobs.filter(({ state }) => kinds.includes(state.kind)).length;
  const [failed, long, cancelled] = [count('failed', 'refused'), count('long'), count('cancelled')];
  return sentences(
    jobs.length > 0 && `${count('done')} of ${jobs.length} done.`,
    failed > 0 && `${failed} couldn’t be optimized.`,
    long > 0 && `${long} would take long, and ${long === 1 ? 'waits' : 'wait'} for you.`,
    cancelled > 0 && `${cancelled} cancelled.`,
  );
}

/** The number of results, and their bytes. */
export function totalsOf(jobs: readonly Job[]): ByteBalance & { readonly images: number } {
  const results = jobs.map(resultOf).filter((result) => result !== null);
  return {
    images: results.length,
    before: results.reduce((sum, { bytesBefore }) => sum + bytesBefore, 0),
    after: results.reduce((sum, { bytesAfter }) => sum + bytesAfter, 0),
    saved: results.reduce(
      (sum, { bytesBefore, bytesAfter }) => sum + Math.max(0, bytesBefore - bytesAfter),
      0,
    ),
  };
}

/** How many results were made with earlier options than those asked for last; empty if none were. */
export function earlierText(jobs: readonly Job[]): string {
  const earlier = jobs.filter((job) => job.state.kind !== 'done' && resultOf(job) !== null).length;
  return earlier === 0 ? '' : `${countText(earlier)} with earlier options`;
}

/**
 * The progress for screen readers: announced when images are added and when the queue becomes idle, but not after every
 * image.
 */
export function announcementOf(jobs: readonly Job[]): string {
  const active = jobs.filter(isUnderWay);
  const held = jobs.filter(isHeld).length;
  const isVariation = active.length === 1 && active.every((job) => resultOf(job) !== null);
  if (active.length === 0 || isVariation) {
    // Another format of an image is announced where it is asked for (chips.tsx).
    const settled = isVariation ? jobs.map(asBefore) : jobs;
    const failures = failuresOf(settled);
    const refusals = jobs.flatMap(({ state }) => (state.kind === 'refused' ? [state.reason] : []));
    const { images, before, after } = totalsOf(settled.filter(isDone));
    return sentences(
      summaryOf(settled),
      images === 1 &&
        `${sizeText(before)} became ${sizeText(after)} (${changeText(before, after)}).`,
      images > 1 &&
        `In total, ${sizeText(before)} became ${sizeText(after)} (${changeText(before, after)}).`,
      failures.length === 1 && failures[0],
      refusals.length === 1 && refusals[0],
      held > 0 && `${imagesText(held)} not started.`,
    );
  }
  if (active.every((job) => resultOf(job) !== null)) {
    return 'Optimizing the images again. A summary follows when all are done.';
  }
  // Counts all accepted images, so that the text does not change while they are processed.
  const accepted = jobs.filter((job) => job.state.kind !== 'refused' && !isHeld(job)).length;
  return `${imagesText(accepted)} added. A summary follows when all are done.`;
}

function isDone({ state }: Job): boolean {
  return state.kind === 'done';
}

/** A job under way as it was before someone asked for other options. */
function asBefore(job: Job): Job {
  return isUnderWay(job) && job.last ? { ...job, state: job.last.done } : job;
}

function failuresOf(jobs: readonly Job[]): readonly string[] {
  return jobs.flatMap(({ state }) => (state.kind === 'failed' ? [state.failure.message] : []));
}

function sentences(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' ');
}
