import { expect, test } from 'vitest';
import { ownFailure } from '../../../../../src/cabinet/browser/api/failure.ts';
import type { Job, JobState } from '../../../../../src/cabinet/browser/workbench/queue.ts';
import type { Result } from '../../../../../src/cabinet/browser/workbench/result.ts';
import {
  announcementOf,
  earlierText,
  summaryOf,
  totalsOf,
} from '../../../../../src/cabinet/browser/workbench/summary.ts';
import { addedBytes } from '../../../../../src/cabinet/text/byte-balance.ts';
import { jobOf } from './jobs.ts';

function done(bytesBefore: number, bytesAfter: number): Job {
  return jobOf(1, '', { kind: 'done', result: { bytesBefore, bytesAfter } as Result });
}

/** Another attempt at an image, with a result of earlier options. */
function again(state: JobState, earlier = done(1000, 500)): Job {
  if (earlier.state.kind !== 'done') throw new Error('there is no result');
  const last = { query: '', variedAgainst: null, done: earlier.state, isSaved: false };
  return { ...jobOf(1, 'format=avif', state), last };
}

const long = { kind: 'long', seconds: 60, isForApi: true } as const;
const failed = { kind: 'failed', failure: ownFailure('crashed', 'Too slow.') } as const;
const working = { kind: 'working', share: 0.5 } as const;
const waiting = jobOf(1);
const refused = jobOf(1, '', { kind: 'refused', reason: 'Not a picture.' });

test('the summary counts what is done', () => {
  expect(summaryOf([])).toBe('');
  expect(summaryOf([waiting])).toBe('0 of 1 done.');
  expect(summaryOf([done(1000, 500), waiting, refused])).toBe(
    '1 of 3 done. 1 couldn’t be optimized.',
  );
  expect(summaryOf([jobOf(1, '', long)])).toBe(
    '0 of 1 done. 1 would take long, and waits for you.',
  );
  expect(summaryOf([done(1000, 500), done(3000, 500)])).toBe('2 of 2 done.');
});

test('the totals count as saved only what came back smaller, and add up', () => {
  const totals = totalsOf([done(1000, 400), done(100, 350), waiting]);
  expect(totals).toEqual({ images: 2, before: 1100, after: 750, saved: 600 });
  expect(addedBytes(totals)).toBe(250);
});

test('of thirty pictures, two things are announced', () => {
  const heard = new Set<string>();
  for (let finished = 0; finished <= 30; finished += 1) {
    const jobs = Array.from({ length: 30 }, (_, i) => (i < finished ? done(1000, 500) : waiting));
    heard.add(announcementOf(jobs));
  }
  expect([...heard]).toEqual([
    '30 images added. A summary follows when all are done.',
    '30 of 30 done. In total, 30.0 KB became 15.0 KB (−50%).',
  ]);
});

test('one failure is announced with its reason, many with their number', () => {
  const one = jobOf(1, '', failed);
  expect(announcementOf([one])).toBe('0 of 1 done. 1 couldn’t be optimized. Too slow.');
  expect(announcementOf([one, one, refused])).toBe(
    '0 of 3 done. 3 couldn’t be optimized. Not a picture.',
  );
});

test('pictures that are held are announced as such', () => {
  const held = jobOf(1, null);
  expect(announcementOf([held])).toBe('0 of 1 done. 1 image not started.');
  expect(announcementOf([held, waiting])).toBe(
    '1 image added. A summary follows when all are done.',
  );
});

test('results of earlier options do not count as done, and hide neither questions nor failures', () => {
  const asking = [again(long), again(long), again(long)];
  const question = '0 of 3 done. 3 would take long, and wait for you.';
  expect(summaryOf(asking)).toBe(question);
  expect(announcementOf(asking)).toBe(question);
  expect(announcementOf([again(failed), again(failed), done(1000, 400)])).toBe(
    '1 of 3 done. 2 couldn’t be optimized. 1.00 KB became 400 B (−60%).',
  );
  expect(summaryOf([again(working), done(1000, 500)])).toBe('1 of 2 done.');
});

test('another format of one image changes nothing of what is announced while it is made', () => {
  const before = announcementOf([done(1000, 500), done(1000, 500)]);
  expect(announcementOf([again(working), done(1000, 500)])).toBe(before);
});

test('it is said how many of the results are of earlier options', () => {
  expect(earlierText([done(1000, 500), waiting, jobOf(1, '', failed)])).toBe('');
  expect(earlierText([done(1000, 500), again(failed)])).toBe('1 with earlier options');
  expect(earlierText([again(long), again(working)])).toBe('2 with earlier options');
});
