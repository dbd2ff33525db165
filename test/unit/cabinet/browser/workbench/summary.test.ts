import { expect, test } from 'vitest';
import { localFailure } from '../../../../../src/cabinet/browser/api/failure.ts';
import type { Upload, UploadState } from '../../../../../src/cabinet/browser/workbench/queue.ts';
import type { Result } from '../../../../../src/cabinet/browser/workbench/result.ts';
import {
  announcementOf,
  quotaAfter,
  summaryOf,
  totalsOf,
} from '../../../../../src/cabinet/browser/workbench/summary.ts';
import { addedBytes } from '../../../../../src/cabinet/text/byte-balance.ts';

function upload(state: UploadState, query: string | null = ''): Upload {
  const file = new File(['x'], 'a.jpg');
  return { id: 1, file, query, state, pauses: 0, path: 'a.jpg', isSaved: false, last: null };
}

function done(
  bytesBefore: number,
  bytesAfter: number,
  quotaRemaining: number | null,
  at = 5000,
): Upload {
  const result = { bytesBefore, bytesAfter, quotaRemaining } as Result;
  return upload({ kind: 'done', result, at });
}

const waiting = upload({ kind: 'waiting' });
const refused = upload({ kind: 'refused', reason: 'Not a picture.' });

test('the summary counts what is done', () => {
  expect(summaryOf([])).toBe('');
  expect(summaryOf([waiting])).toBe('0 of 1 done.');
  expect(summaryOf([done(1000, 500, 9), waiting, refused])).toBe('1 of 2 done. 1 can’t be sent.');
  expect(summaryOf([done(1000, 500, 9), done(3000, 500, 8)])).toBe('2 of 2 done.');
});

test('the totals count as saved only what came back smaller, and add up', () => {
  const totals = totalsOf([done(1000, 400, 9), done(100, 350, 8), waiting]);
  expect(totals).toEqual({ images: 2, before: 1100, after: 750, saved: 600 });
  expect(addedBytes(totals)).toBe(250);
});

test('files left are the fewest that any answer told of', () => {
  expect(quotaAfter([waiting], 0)).toBeNull();
  expect(quotaAfter([done(1, 1, 8), done(1, 1, 9), done(1, 1, null)], 0)).toBe(8);
});

test('what answers told before the page was opened is not believed any more', () => {
  expect(quotaAfter([done(1, 1, 0, 4999)], 5000)).toBeNull();
  expect(quotaAfter([done(1, 1, 0, 4999), done(1, 1, 900, 5000)], 5000)).toBe(900);
});

test('of thirty pictures, two things are announced', () => {
  const heard = new Set<string>();
  for (let finished = 0; finished <= 30; finished += 1) {
    const uploads = Array.from({ length: 30 }, (_, i) =>
      i < finished ? done(1000, 500, 9) : waiting,
    );
    heard.add(announcementOf(uploads));
  }
  expect([...heard]).toEqual([
    '30 images added. A summary follows when all are done.',
    '30 of 30 done. In total, 30.0 KB became 15.0 KB (−50%).',
  ]);
});

test('one failure is announced with its reason, many with their number', () => {
  const failed = upload({
    kind: 'failed',
    failure: { ...localFailure('slow'), message: 'Too slow.' },
  });
  expect(announcementOf([failed])).toBe('0 of 1 done. 1 failed. Too slow.');
  expect(announcementOf([failed, failed, refused])).toBe(
    '0 of 2 done. 2 failed. 1 can’t be sent. Not a picture.',
  );
});

test('pictures that are held are announced as such', () => {
  const held = upload({ kind: 'waiting' }, null);
  expect(announcementOf([held])).toBe('0 of 1 done. 1 image not sent yet.');
  expect(announcementOf([held, waiting])).toBe(
    '1 image added. A summary follows when all are done.',
  );
});
