import { useCallback, useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { emptyQueue, type Job, next, pauseLeft, type Queue, startable } from './queue.ts';
import { refusalOf } from './refusal.ts';
import { send } from './send.ts';

export interface Pictures {
  readonly queue: Queue;
  /** Moment in milliseconds, of the last change at least, for what is counted down. */
  readonly now: number;
  /** Options in the API's words, null while they are wrong. */
  readonly add: (files: readonly File[], query: string | null) => void;
  readonly remove: (id: number) => void;
  readonly clear: () => void;
  /** One that failed; without an id, whatever the queue has stopped at. */
  readonly retry: (id?: number) => void;
  readonly rerun: (query: string) => void;
}

/** So many pictures at once are shown with their comparison open; more would be a long page. */
const comparedAtOnce = 3;

let lastId = 0;

/** Sends pictures one after the other, and keeps what became of them while the page is shown. */
export function useQueue(): Pictures {
  const [queue, happen] = useReducer(next, emptyQueue);
  const [now, setNow] = useState(() => Date.now());
  const running = useRef(new Map<number, AbortController>());

  const stop = useCallback((id: number) => {
    running.current.get(id)?.abort();
    running.current.delete(id);
  }, []);

  const start = useCallback(async ({ id, file, query }: Job) => {
    const control = new AbortController();
    running.current.set(id, control);
    happen({ kind: 'sent', id, share: 0 });
    const sent = await send(file, query ?? '', {
      onProgress: (share) => !control.signal.aborted && happen({ kind: 'sent', id, share }),
      signal: control.signal,
    });
    // removed or begun again meanwhile: this answer is nobody's
    if (running.current.get(id) !== control) return;
    running.current.delete(id);
    if (sent.kind === 'done') happen({ kind: 'done', id, result: sent.result });
    if (sent.kind === 'failed') {
      happen({ kind: 'failed', id, failure: sent.failure, now: Date.now() });
    }
  }, []);

  useEffect(() => {
    for (const job of startable(queue, Date.now())) {
      if (!running.current.has(job.id)) void start(job);
    }
    const left = pauseLeft(queue, Date.now());
    if (left === null) return;
    const timer = setTimeout(() => setNow(Date.now()), Math.min(1000, left));
    return () => clearTimeout(timer);
  }, [queue, now, start]);

  useEffect(
    () => () => {
      for (const control of running.current.values()) control.abort();
      running.current.clear();
    },
    [],
  );

  return {
    queue,
    now,
    add: (files, query) => happen({ kind: 'added', jobs: jobsOf(files, query) }),
    remove: (id) => {
      stop(id);
      happen({ kind: 'removed', id });
    },
    clear: () => {
      for (const id of [...running.current.keys()]) stop(id);
      happen({ kind: 'cleared' });
    },
    retry: (id) => happen({ kind: 'retried', ...(id !== undefined && { id }) }),
    rerun: (query) => {
      for (const { id, query: old } of queue.jobs) {
        if (old !== query) stop(id);
      }
      happen({ kind: 'rerun', query });
    },
  };
}

function jobsOf(files: readonly File[], query: string | null): readonly Job[] {
  return files.map((file) => {
    lastId += 1;
    const reason = refusalOf(file);
    const state =
      reason === null ? ({ kind: 'waiting' } as const) : { kind: 'refused' as const, reason };
    return {
      id: lastId,
      file,
      query,
      state,
      pauses: 0,
      isCompared: files.length <= comparedAtOnce,
    };
  });
}
