import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../../../src/cabinet/browser/api/failure.ts';
import {
  emptyQueue,
  isHeld,
  isOutdated,
  next,
  pauseLeft,
  type Queue,
  type QueueEvent,
  startable,
  type Upload,
} from '../../../../../src/cabinet/browser/workbench/queue.ts';
import type { Result } from '../../../../../src/cabinet/browser/workbench/result.ts';

const now = 1_000_000;
const result = { fileName: 'a.webp' } as Result;
const other = { fileName: 'b.webp' } as Result;

function upload(id: number, query: string | null = ''): Upload {
  const file = new File(['x'], `${id}.jpg`);
  return {
    id,
    file,
    query,
    state: { kind: 'waiting' },
    pauses: 0,
    path: 'a.jpg',
    isSaved: false,
    last: null,
  };
}

function failure(code: string, retryAfter: number | null = null): Failure {
  return { code, message: 'No.', fields: {}, retryAfter, requestId: null };
}

function afterEvents(queue: Queue, ...events: QueueEvent[]): Queue {
  return events.reduce(next, queue);
}

function ids(uploads: readonly Upload[]): number[] {
  return uploads.map(({ id }) => id);
}

const three = afterEvents(emptyQueue, {
  kind: 'added',
  uploads: [upload(1), upload(2), upload(3)],
});
const failed = (id: number, why: Failure): QueueEvent => ({
  kind: 'failed',
  id,
  failure: why,
  now,
});

describe('the queue of pictures', () => {
  test('sends two at a time, in the order in which they came', () => {
    expect(ids(startable(three, now))).toEqual([1, 2]);
    const oneSent = afterEvents(three, { kind: 'sent', id: 1, share: 0 });
    expect(ids(startable(oneSent, now))).toEqual([2]);
    const twoSent = afterEvents(oneSent, { kind: 'sent', id: 2, share: 1 });
    expect(startable(twoSent, now)).toEqual([]);
    expect(ids(startable(afterEvents(twoSent, { kind: 'done', id: 1, result, now }), now))).toEqual(
      [3],
    );
  });

  test('sends nothing while one has to be patient, and goes on with it afterwards', () => {
    const busy = afterEvents(three, failed(1, failure('overloaded', 4)));
    expect(startable(busy, now + 3999)).toEqual([]);
    expect(pauseLeft(busy, now + 1000)).toBe(3000);
    expect(ids(startable(busy, now + 4000))).toEqual([1, 2]);
    expect(pauseLeft(busy, now + 4000)).toBeNull();
  });

  test.each([
    failure('too_many_requests', 3600),
    failure('overloaded'),
    failure('invalid_image'),
    failure('internal_error', 5),
  ])('leaves $code with Retry-After $retryAfter to people, and goes on with the others', (why) => {
    const queue = afterEvents(three, failed(1, why));
    expect(queue.uploads[0]?.state).toEqual({ kind: 'failed', failure: why });
    expect(ids(startable(queue, now))).toEqual([2, 3]);
    expect(ids(startable(afterEvents(queue, { kind: 'retried', id: 1 }), now))).toEqual([1, 2]);
  });

  test('is patient five times, not for ever', () => {
    const busy = failed(1, failure('too_many_requests', 1));
    const fiveTimes = afterEvents(three, busy, busy, busy, busy, busy);
    expect(fiveTimes.uploads[0]?.state.kind).toBe('pausing');
    expect(afterEvents(fiveTimes, busy).uploads[0]?.state.kind).toBe('failed');
  });

  test.each(['offline', 'auth_required', 'quota_exceeded'])(
    'stops at %s, which would meet every picture, until someone goes on',
    (code) => {
      const halted = afterEvents(three, failed(1, failure(code)));
      expect(halted.halted?.code).toBe(code);
      expect(startable(halted, now)).toEqual([]);
      expect(ids(startable(afterEvents(halted, { kind: 'retried' }), now))).toEqual([1, 2]);
    },
  );

  test('does not hear of what was removed', () => {
    const queue = afterEvents(
      three,
      { kind: 'removed', id: 2 },
      { kind: 'done', id: 2, result, now },
    );
    expect(ids(queue.uploads)).toEqual([1, 3]);
  });

  test('holds what was added with wrong options until it is released with right ones', () => {
    const held = afterEvents(
      emptyQueue,
      { kind: 'added', uploads: [upload(1, null), upload(2, 'width=40')] },
      { kind: 'done', id: 2, result, now },
    );
    expect(ids(held.uploads.filter(isHeld))).toEqual([1]);
    expect(startable(held, now)).toEqual([]);
    const again = afterEvents(held, { kind: 'rerun', query: 'width=80', known: new Map() });
    expect(ids(startable(again, now))).toEqual([2]);

    const right = afterEvents(held, { kind: 'released', query: 'width=80' });
    expect(right.uploads.filter(isHeld)).toEqual([]);
    expect(startable(right, now).map(({ id, query }) => [id, query])).toEqual([[1, 'width=80']]);
    expect(right.uploads[1]?.state).toEqual({ kind: 'done', result, at: now });
  });

  test('runs again what other options made, and nothing else', () => {
    const refused: Upload = { ...upload(4), state: { kind: 'refused', reason: 'Not a picture.' } };
    const done = afterEvents(
      three,
      { kind: 'added', uploads: [refused, upload(5, 'format=webp')] },
      { kind: 'done', id: 1, result, now },
      { kind: 'done', id: 5, result, now },
    );
    expect(ids(done.uploads.filter((one) => isOutdated(one, 'format=webp')))).toEqual([1, 2, 3]);
    const again = afterEvents(done, { kind: 'rerun', query: 'format=webp', known: new Map() });
    expect(again.uploads.map(({ state }) => state.kind)).toEqual([
      'waiting',
      'waiting',
      'waiting',
      'refused',
      'done',
    ]);
  });

  test('has at once what these options have made before', () => {
    const made = afterEvents(three, { kind: 'done', id: 1, result, now });
    const known = new Map([[1, { kind: 'done' as const, result: other, at: now }]]);
    const again = afterEvents(made, { kind: 'rerun', query: 'format=webp', known });
    expect(again.uploads[0]?.state).toMatchObject({ kind: 'done', result: other });
    expect(ids(startable(again, now))).toEqual([2, 3]);
  });

  test('gives no result up before there is another one', () => {
    const made = afterEvents(
      three,
      { kind: 'done', id: 1, result, now },
      { kind: 'done', id: 2, result, now },
      { kind: 'saved', ids: new Set([2]) },
    );
    const again = afterEvents(made, { kind: 'rerun', query: 'format=webp', known: new Map() });

    // Nothing more can be processed: everything stays as it was.
    const halted = afterEvents(
      again,
      { kind: 'sent', id: 1, share: 1 },
      { kind: 'sent', id: 2, share: 1 },
      failed(1, failure('trial_limit_reached')),
      failed(2, failure('trial_limit_reached')),
    );
    expect(halted.uploads.slice(0, 2)).toEqual(made.uploads.slice(0, 2));

    // One cannot be processed: its last result can be restored.
    const one = afterEvents(again, failed(1, failure('image_too_large')));
    expect(one.uploads[0]).toMatchObject({ query: 'format=webp', state: { kind: 'failed' } });
    const restored = afterEvents(one, { kind: 'restored', id: 1 });
    expect(restored.uploads[0]).toEqual(made.uploads[0]);
    const remade = afterEvents(one, { kind: 'done', id: 1, result: other, now });
    expect(afterEvents(remade, { kind: 'restored', id: 1 })).toEqual(remade);
  });
});
