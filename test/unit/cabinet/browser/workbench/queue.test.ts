import { describe, expect, test } from 'vitest';
import { ownFailure } from '../../../../../src/cabinet/browser/api/failure.ts';
import {
  emptyQueue,
  isHeld,
  isOutdated,
  isResultSaved,
  isUnderWay,
  type Job,
  next,
  type Queue,
  type QueueEvent,
  resultOf,
  startable,
} from '../../../../../src/cabinet/browser/workbench/queue.ts';
import type { Result } from '../../../../../src/cabinet/browser/workbench/result.ts';
import { jobOf } from './jobs.ts';

const result = { fileName: 'a.webp' } as Result;
const other = { fileName: 'b.webp' } as Result;
const concurrency = 2;

function afterEvents(queue: Queue, ...events: QueueEvent[]): Queue {
  return events.reduce(next, queue);
}

function ids(jobs: readonly Job[]): number[] {
  return jobs.map(({ id }) => id);
}

const begun = (id: number): QueueEvent => ({ kind: 'progressed', id, share: 0 });
const done = (id: number, made = result): QueueEvent => ({ kind: 'done', id, result: made });
const failed = (id: number, code: string): QueueEvent => ({
  kind: 'failed',
  id,
  failure: ownFailure(code, 'No.'),
});
const varied = (id: number, query: string): QueueEvent => ({
  kind: 'varied',
  id,
  query,
  against: '',
  known: null,
});
const saved = (...results: Result[]): QueueEvent => ({ kind: 'saved', results: new Set(results) });
const rerun = (query: string): QueueEvent => ({ kind: 'rerun', query, known: new Map() });

const three = afterEvents(emptyQueue, { kind: 'added', jobs: [jobOf(1), jobOf(2), jobOf(3)] });
const startableIds = (queue: Queue) => ids(startable(queue, concurrency));

describe('the queue of images', () => {
  test('begins as many as there are threads, in the order in which they came', () => {
    expect(startableIds(three)).toEqual([1, 2]);
    const one = afterEvents(three, begun(1));
    expect(startableIds(one)).toEqual([2]);
    const two = afterEvents(one, begun(2));
    expect(startableIds(two)).toEqual([]);
    expect(startableIds(afterEvents(two, done(1)))).toEqual([3]);
  });

  test('begins first what somebody has just asked for', () => {
    const queue = afterEvents(three, done(3), varied(3, 'format=avif'));
    expect(startableIds(queue)).toEqual([3, 1]);
  });

  test.each(['invalid_image', 'image_too_large', 'crashed'])(
    'leaves %s to people, and goes on with the others',
    (code) => {
      const queue = afterEvents(three, failed(1, code));
      expect(queue.jobs[0]?.state.kind).toBe('failed');
      expect(startableIds(queue)).toEqual([2, 3]);
      expect(startableIds(afterEvents(queue, { kind: 'retried', id: 1 }))).toEqual([1, 2]);
    },
  );

  test('stops when the engine cannot be loaded, until someone goes on', () => {
    const halted = afterEvents(three, begun(1), begun(2), failed(1, 'engine_missing'));
    expect(halted.halted?.code).toBe('engine_missing');
    expect(halted.jobs.map(({ state }) => state.kind)).toEqual(['waiting', 'working', 'waiting']);
    expect(startableIds(halted)).toEqual([]);
    expect(startableIds(afterEvents(halted, { kind: 'retried' }))).toEqual([1]);
  });

  test('asks before what takes long, and does it when told to, once', () => {
    const long = { kind: 'long', seconds: 40, isForApi: true } as const;
    const asking = afterEvents(three, begun(1), { kind: 'postponed', id: 1, long });
    expect(asking.jobs[0]?.state).toEqual(long);
    expect(startableIds(asking)).toEqual([2, 3]);
    const told = afterEvents(asking, { kind: 'retried', id: 1 });
    expect(startable(told, concurrency)[0]).toMatchObject({ id: 1, isPatient: true });
    const later = afterEvents(told, done(1), varied(1, 'format=avif'));
    expect(later.jobs[0]).toMatchObject({ isPatient: false });
  });

  test('keeps what a cancelled image had before', () => {
    const first = afterEvents(three, begun(1), { kind: 'cancelled', id: 1 });
    expect(first.jobs[0]?.state).toEqual({ kind: 'cancelled' });
    expect(startableIds(first)).toEqual([2, 3]);
    expect(startableIds(afterEvents(first, { kind: 'retried', id: 1 }))).toEqual([1, 2]);
    const made = afterEvents(three, done(1));
    const again = afterEvents(made, varied(1, 'format=avif'), begun(1));
    expect(resultOf(again.jobs[0] as Job)).toBe(result);
    const cancelled = afterEvents(again, { kind: 'cancelled', id: 1 });
    expect(cancelled.jobs[0]).toEqual(made.jobs[0]);
  });

  test('does not hear of what was removed', () => {
    const queue = afterEvents(three, { kind: 'removed', id: 2 }, done(2));
    expect(ids(queue.jobs)).toEqual([1, 3]);
  });

  test('holds what was added with wrong options until it is released with right ones', () => {
    const held = afterEvents(
      emptyQueue,
      { kind: 'added', jobs: [jobOf(1, null), jobOf(2, 'width=40')] },
      done(2),
    );
    expect(ids(held.jobs.filter(isHeld))).toEqual([1]);
    expect(held.jobs.filter(isUnderWay)).toEqual([]);
    expect(startableIds(held)).toEqual([]);
    expect(startableIds(afterEvents(held, rerun('width=80')))).toEqual([2]);

    const right = afterEvents(held, { kind: 'released', query: 'width=80' });
    expect(right.jobs.filter(isHeld)).toEqual([]);
    expect(startable(right, concurrency).map(({ id, query }) => [id, query])).toEqual([
      [1, 'width=80'],
    ]);
    expect(right.jobs[1]?.state).toEqual({ kind: 'done', result });
  });

  test('runs again what other options made, and nothing else', () => {
    const refused: Job = { ...jobOf(4), state: { kind: 'refused', reason: 'Not a picture.' } };
    const made = afterEvents(
      three,
      { kind: 'added', jobs: [refused, jobOf(5, 'format=webp')] },
      done(1),
      done(5),
    );
    expect(ids(made.jobs.filter((job) => isOutdated(job, 'format=webp')))).toEqual([1, 2, 3]);
    const again = afterEvents(made, rerun('format=webp'));
    expect(again.jobs.map(({ state }) => state.kind)).toEqual([
      'waiting',
      'waiting',
      'waiting',
      'refused',
      'done',
    ]);
  });

  test('leaves what was asked for one image alone until the form changes', () => {
    const [job] = afterEvents(three, done(1), varied(1, 'format=avif')).jobs as [Job];
    expect(isOutdated(job, '')).toBe(false);
    expect(isOutdated(job, 'format=webp')).toBe(true);
    expect(isOutdated(job, 'format=avif')).toBe(false);
  });

  test('has at once what these options have made before', () => {
    const made = afterEvents(three, done(1));
    const known = new Map([[1, { kind: 'done' as const, result: other }]]);
    const again = afterEvents(made, { kind: 'rerun', query: 'format=webp', known });
    expect(again.jobs[0]?.state).toMatchObject({ kind: 'done', result: other });
    expect(startableIds(again)).toEqual([2, 3]);
  });

  test('gives no result up before there is another one', () => {
    const made = afterEvents(three, done(1), done(2, other), saved(other));
    const again = afterEvents(made, rerun('format=webp'));

    // Nothing more can be done: everything stays as it was.
    const missing = [begun(1), begun(2), failed(1, 'engine_missing'), failed(2, 'engine_missing')];
    const halted = afterEvents(again, ...missing);
    expect(halted.jobs.slice(0, 2)).toEqual(made.jobs.slice(0, 2));

    // One cannot be done: its last result can be restored.
    const one = afterEvents(again, failed(1, 'image_too_large'));
    expect(one.jobs[0]).toMatchObject({ query: 'format=webp', state: { kind: 'failed' } });
    const restored = afterEvents(one, { kind: 'restored', id: 1 });
    expect(restored.jobs[0]).toEqual(made.jobs[0]);
    const remade = afterEvents(one, done(1, other));
    expect(afterEvents(remade, { kind: 'restored', id: 1 })).toEqual(remade);
  });

  test('knows as saved the very result that was downloaded, whatever came since', () => {
    // The archive of the first one was made while the second one came.
    const made = afterEvents(three, done(1), varied(1, 'format=avif'), done(1, other));
    const [newer] = afterEvents(made, saved(result)).jobs as [Job];
    expect(isResultSaved(newer)).toBe(false);
    expect(isResultSaved(afterEvents(made, saved(other)).jobs[0] as Job)).toBe(true);

    // It was downloaded while other options were tried, which are then given up.
    const trying = afterEvents(three, done(1), varied(1, 'format=avif'), begun(1), saved(result));
    expect(isResultSaved(trying.jobs[0] as Job)).toBe(true);
    const [given] = afterEvents(trying, { kind: 'cancelled', id: 1 }).jobs as [Job];
    expect(given).toMatchObject({ isSaved: true, state: { kind: 'done', result } });
    const [tried] = afterEvents(trying, done(1, other)).jobs as [Job];
    expect(isResultSaved(tried)).toBe(false);
  });
});
