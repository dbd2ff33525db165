import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Failure } from '../../../../../src/cabinet/browser/api/failure.ts';
import { chosen } from '../../../../../src/cabinet/browser/workbench/chosen-files.ts';
import { defaultOptions } from '../../../../../src/cabinet/browser/workbench/options.ts';
import type { Result } from '../../../../../src/cabinet/browser/workbench/result.ts';
import {
  type SendOutcome,
  UploadStore,
} from '../../../../../src/cabinet/browser/workbench/upload-store.ts';

/** A sent request, to which the test responds when it wants. */
interface Sending {
  readonly name: string;
  readonly query: string;
  readonly signal: AbortSignal;
  readonly answer: (sent: SendOutcome) => Promise<void>;
}

function storeWithSendings(): { store: UploadStore; sendings: Sending[] } {
  const sendings: Sending[] = [];
  const store = new UploadStore((file, query, { signal }) => {
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    const answer = async (sent: SendOutcome) => {
      resolve(sent);
      await promise;
    };
    sendings.push({ name: file.name, query, signal, answer });
    return promise;
  });
  return { store, sendings };
}

const done: SendOutcome = { kind: 'done', result: { fileName: 'a.webp' } as Result };
const pictures = (...names: string[]) =>
  chosen(names.map((name) => new File(['x'], name, { type: 'image/jpeg' })));
const states = ({ queue }: UploadStore) => queue.uploads.map(({ state }) => state.kind);

function failed(code: string, retryAfter: number | null = null): SendOutcome {
  const failure: Failure = { code, message: 'No.', fields: {}, retryAfter, requestId: null };
  return { kind: 'failed', failure };
}

describe('the store of pictures', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('goes on while nobody looks, and has everything when someone does', async () => {
    const { store, sendings } = storeWithSendings();
    const stopLooking = store.subscribe(() => {});
    store.add(pictures('a.jpg', 'b.jpg', 'c.jpg'));
    stopLooking();
    for (const i of [0, 1, 2]) await sendings[i]?.answer(done);
    expect(sendings.map(({ name }) => name)).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);

    let renderings = 0;
    store.subscribe(() => {
      renderings += 1;
    });
    expect(states(store)).toEqual(['done', 'done', 'done']);
    store.remove(store.queue.uploads[0]?.id ?? 0);
    expect(renderings).toBe(1);
  });

  test('sends with the options of the moment, each picture once', async () => {
    const { store, sendings } = storeWithSendings();
    store.choose({ ...defaultOptions, format: 'webp' });
    store.add(pictures('a.jpg'));
    store.choose({ ...defaultOptions, format: 'avif' });
    store.add(pictures('b.jpg'));
    expect(sendings.map(({ query }) => query)).toEqual(['format=webp', 'format=avif']);
  });

  test('holds pictures while options are wrong, and sends them when told to', async () => {
    const { store, sendings } = storeWithSendings();
    store.choose({ ...defaultOptions, width: '0' });
    store.add(pictures('a.jpg'));
    store.choose({ ...defaultOptions, width: '8' });
    store.choose({ ...defaultOptions, width: '80' });
    expect(sendings).toEqual([]);
    store.release('width=80');
    expect(sendings.map(({ query }) => query)).toEqual(['width=80']);
  });

  test('breaks off what is removed, and does not hear its answer', async () => {
    const { store, sendings } = storeWithSendings();
    store.add(pictures('a.jpg', 'b.jpg', 'c.jpg'));
    store.remove(store.queue.uploads[0]?.id ?? 0);
    expect(sendings[0]?.signal.aborted).toBe(true);
    await sendings[0]?.answer({ kind: 'aborted' });
    expect(states(store)).toEqual(['sending', 'sending']);
    store.clear();
    expect(sendings.every(({ signal }) => signal.aborted)).toBe(true);
    expect(store.queue.uploads).toEqual([]);
  });

  test('goes on by itself after the pause it was asked for, counting down', async () => {
    const { store, sendings } = storeWithSendings();
    store.add(pictures('a.jpg'));
    let ticks = 0;
    await sendings[0]?.answer(failed('overloaded', 3));
    store.subscribe(() => {
      ticks += 1;
    });
    await vi.advanceTimersByTimeAsync(2900);
    expect(sendings).toHaveLength(1);
    expect(ticks).toBe(2);
    await vi.advanceTimersByTimeAsync(200);
    expect(sendings).toHaveLength(2);
  });

  test('goes on with the others when a file has changed', async () => {
    const { store, sendings } = storeWithSendings();
    store.add(pictures('a.jpg', 'b.jpg', 'c.jpg'));
    await sendings[0]?.answer(failed('changed_file'));
    expect(store.queue.halted).toBeNull();
    expect(states(store)).toEqual(['failed', 'sending', 'sending']);
  });
});
