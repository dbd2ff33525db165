import { expect, test } from 'vitest';
import { ownFailure } from '../../../../../src/cabinet/browser/api/failure.ts';
import type { Job } from '../../../../../src/cabinet/browser/workbench/queue.ts';
import type { Result } from '../../../../../src/cabinet/browser/workbench/result.ts';
import {
  announcementOf,
  summaryOf,
  totalsOf,
} from '../../../../../src/cabinet/browser/workbench/summary.ts';
import { addedBytes } from '../../../../../src/cabinet/text/byte-balance.ts';
import { jobOf } from './jobs.ts';

function done(bytesBefore: number, bytesAfter: number): Job {
  return jobOf(1, '', { kind: 'done', result: { bytesBefore, bytesAfter } as Result });
}

const waiting = jobOf(1);
const refused = jobOf(1, '', { kind: 'refused', reason: 'Not a picture.' });

test('the summary counts what is done', () => {
  expect(summaryOf([])).toBe('');
  expect(summaryOf([waiting])).toBe('0 of 1 done.');
  expect(summaryOf([done(1000, 500), waiting, refused])).toBe(
    '1 of 3 done. 1 couldn’t be optimized.',
  );
  const long = jobOf(1, '', { kind: 'long', seconds: 60, isForApi: true });
  expect(summaryOf([long])).toBe('0 of 1 done. 1 would take long, and waits for you.');
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
  const failed = jobOf(1, '', { kind: 'failed', failure: ownFailure('crashed', 'Too slow.') });
  expect(announcementOf([failed])).toBe('0 of 1 done. 1 couldn’t be optimized. Too slow.');
  expect(announcementOf([failed, failed, refused])).toBe(
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
