import { expect, test } from 'vitest';
import type { Job, JobState } from '../../../../../src/cabinet/browser/try-it/queue.ts';
import type { Result } from '../../../../../src/cabinet/browser/try-it/result.ts';
import { quotaAfter, summaryOf } from '../../../../../src/cabinet/browser/try-it/summary.ts';

function job(state: JobState): Job {
  const file = new File(['x'], 'a.jpg');
  return { id: 1, file, query: '', state, pauses: 0, isCompared: false };
}

function done(bytesBefore: number, bytesAfter: number, quotaRemaining: number | null): Job {
  const result = { bytesBefore, bytesAfter, quotaRemaining } as Result;
  return job({ kind: 'done', result });
}

const waiting = job({ kind: 'waiting' });
const refused = job({ kind: 'refused', reason: 'Not a picture.' });

test('the summary counts what is done, and adds up what was saved', () => {
  expect(summaryOf([])).toBe('');
  expect(summaryOf([waiting])).toBe('0 of 1 done.');
  expect(summaryOf([done(1000, 500, 9), waiting, refused])).toBe('1 of 2 done. 1 cannot be sent.');
  expect(summaryOf([done(1000, 500, 9), done(3000, 500, 8)])).toBe(
    '2 of 2 done. Together 4.00 KB became 1.00 KB (−75 %).',
  );
});

test('files left are the fewest that any answer told of', () => {
  expect(quotaAfter([waiting])).toBeNull();
  expect(quotaAfter([done(1, 1, 8), done(1, 1, 9), done(1, 1, null)])).toBe(8);
});
