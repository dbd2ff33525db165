import { expect, test } from 'vitest';
import { localFailure } from '../../../../../src/cabinet/browser/api/failure.ts';
import { isTransient } from '../../../../../src/cabinet/browser/workbench/queue.ts';
import { errorTable } from '../../../../../src/errors.ts';

const failure = (code: string) => ({ ...localFailure('slow'), code });

test.each([
  'offline',
  'slow',
  'unreadable',
  'request_timeout',
  'too_many_requests',
  'internal_error',
  'overloaded',
])('%s may pass', (code) => {
  expect(isTransient(failure(code))).toBe(true);
});

const lasting = Object.entries(errorTable)
  .filter(([, { status }]) => status < 500 && !([408, 429] as number[]).includes(status))
  .map(([code]) => code);

test.each([...lasting, 'changed_file'])('%s would only be met again', (code) => {
  expect(isTransient(failure(code))).toBe(false);
});
