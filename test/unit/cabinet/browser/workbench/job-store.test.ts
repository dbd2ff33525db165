import { describe, expect, test, vi } from 'vitest';
import { ownFailure } from '../../../../../src/cabinet/browser/api/failure.ts';
import { chosen } from '../../../../../src/cabinet/browser/workbench/chosen-files.ts';
import {
  JobStore,
  type Outcome,
  type Run,
} from '../../../../../src/cabinet/browser/workbench/job-store.ts';
import { defaultOptions } from '../../../../../src/cabinet/browser/workbench/options.ts';
import type { Result } from '../../../../../src/cabinet/browser/workbench/result.ts';

/** A job that has begun, and ends as the test wants. */
interface Begun extends Run {
  readonly name: string;
  readonly query: string;
  readonly end: (outcome: Outcome) => Promise<void>;
}

function storeWithJobs(): { store: JobStore; begun: Begun[] } {
  const begun: Begun[] = [];
  const store = new JobStore({
    concurrency: 2,
    optimize(file, query, how) {
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      const end = async (outcome: Outcome) => {
        resolve(outcome);
        await promise;
      };
      begun.push({ name: file.name, query, ...how, end });
      return promise;
    },
  });
  return { store, begun };
}

const done: Outcome = { kind: 'done', result: { fileName: 'a.webp' } as Result };
const images = (...names: string[]) =>
  chosen(names.map((name) => new File(['x'], name, { type: 'image/jpeg' })));
const states = ({ queue }: JobStore) => queue.jobs.map(({ state }) => state.kind);
const firstId = ({ queue }: JobStore) => queue.jobs[0]?.id ?? 0;

describe('the store of images', () => {
  test('goes on while nobody looks, and has everything when someone does', async () => {
    const { store, begun } = storeWithJobs();
    const stopLooking = store.subscribe(() => {});
    store.add(images('a.jpg', 'b.jpg', 'c.jpg'));
    stopLooking();
    for (const i of [0, 1, 2]) await begun[i]?.end(done);
    expect(begun.map(({ name }) => name)).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);

    let renderings = 0;
    store.subscribe(() => {
      renderings += 1;
    });
    expect(states(store)).toEqual(['done', 'done', 'done']);
    store.remove(firstId(store));
    expect(renderings).toBe(1);
  });

  test('tells of progress ten times a second at most, and of all else at once', async () => {
    vi.useFakeTimers();
    try {
      const { store, begun } = storeWithJobs();
      store.add(images('a.jpg', 'b.jpg'));
      let renderings = 0;
      store.subscribe(() => {
        renderings += 1;
      });
      for (let percent = 1; percent <= 60; percent += 1) {
        for (const { onProgress } of begun) onProgress(percent / 100);
      }
      expect(renderings).toBe(0);
      expect(store.queue.jobs[1]?.state).toEqual({ kind: 'working', share: 0.6 });
      vi.advanceTimersByTime(1000);
      expect(renderings).toBe(1);

      begun[0]?.onProgress(0.7);
      await begun[1]?.end(done);
      // With it, the progress is told, too.
      expect(renderings).toBe(2);
      vi.advanceTimersByTime(1000);
      expect(renderings).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });

  test('does each image once, with the options of the moment', () => {
    const { store, begun } = storeWithJobs();
    store.choose({ ...defaultOptions, format: 'webp' });
    store.add(images('a.jpg'));
    store.choose({ ...defaultOptions, format: 'avif' });
    store.add(images('b.jpg'));
    expect(begun.map(({ query }) => query)).toEqual(['format=webp', 'format=avif']);
  });

  test('holds images while options are wrong, and begins them when told to', () => {
    const { store, begun } = storeWithJobs();
    store.choose({ ...defaultOptions, width: '0' });
    store.add(images('a.jpg'));
    store.choose({ ...defaultOptions, width: '8' });
    store.choose({ ...defaultOptions, width: '80' });
    expect(begun).toEqual([]);
    store.release('width=80');
    expect(begun.map(({ query }) => query)).toEqual(['width=80']);
  });

  test('breaks off what is removed or cancelled, and does not hear of it again', async () => {
    const { store, begun } = storeWithJobs();
    store.add(images('a.jpg', 'b.jpg', 'c.jpg'));
    store.remove(firstId(store));
    expect(begun[0]?.signal.aborted).toBe(true);
    await begun[0]?.end({ kind: 'aborted' });
    expect(states(store)).toEqual(['working', 'working']);
    store.cancel(firstId(store));
    begun[1]?.onProgress(0.5);
    await begun[1]?.end(done);
    expect(states(store)).toEqual(['cancelled', 'working']);
    store.clear();
    expect(begun.every(({ signal }) => signal.aborted)).toBe(true);
    expect(store.queue.jobs).toEqual([]);
  });

  test('knows how far each is', () => {
    const { store, begun } = storeWithJobs();
    store.add(images('a.jpg'));
    begun[0]?.onProgress(0.25);
    expect(store.queue.jobs[0]?.state).toEqual({ kind: 'working', share: 0.25 });
  });

  test('asks about what takes long, and is patient when told to', async () => {
    const { store, begun } = storeWithJobs();
    store.add(images('a.jpg'));
    await begun[0]?.end({ kind: 'long', seconds: 40, isForApi: true });
    expect(states(store)).toEqual(['long']);
    store.retry(firstId(store));
    expect(begun.map(({ isPatient }) => isPatient)).toEqual([false, true]);
  });

  test('has results of other options at hand, and what they made', async () => {
    const { store, begun } = storeWithJobs();
    store.add(images('a.jpg'));
    await begun[0]?.end(done);
    const id = firstId(store);
    store.vary(id, 'format=avif');
    await begun[1]?.end(done);
    store.vary(id, '');
    expect(begun).toHaveLength(2);
    expect([...store.resultsOf(id).keys()]).toEqual(['', 'format=avif']);
  });

  test('goes on with the others when a file has changed', async () => {
    const { store, begun } = storeWithJobs();
    store.add(images('a.jpg', 'b.jpg', 'c.jpg'));
    await begun[0]?.end({ kind: 'failed', failure: ownFailure('changed_file', 'No.') });
    expect(store.queue.halted).toBeNull();
    expect(states(store)).toEqual(['failed', 'working', 'working']);
  });

  test('takes a folder, and says what was not taken', async () => {
    const { store } = storeWithJobs();
    const files = ['a.jpg', 'notes.txt'].map((name) => new File(['x'], name));
    await store.take({ kind: 'folder', files });
    expect(store.queue.jobs.map(({ file }) => file.name)).toEqual(['a.jpg']);
    expect(store.notice).toBe('Skipped 1 file that is not an image.');
    await store.take({ kind: 'folder', files: files.slice(1) });
    expect(store.notice).toBe('There are no images in this folder.');
  });
});
