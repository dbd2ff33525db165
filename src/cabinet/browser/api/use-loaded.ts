import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { call } from './call.ts';
import type { Failure } from './failure.ts';

export interface Loaded<Body> {
  /** What was loaded last; it stays while newer data is on its way, or could not be had. */
  readonly body: Body | null;
  /** Why the path could not be loaded; it stays while that is tried again. */
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Puts what a change has answered in the place of what was loaded. */
  readonly replace: (change: (body: Body) => Body) => void;
}

/** What became of the last question. */
interface Outcome {
  readonly path: string;
  readonly failure: Failure | null;
}

/** Loads a GET route of the API when shown, and again when the path changes. */
export function useLoaded<Body>(path: string): Loaded<Body> {
  const [body, setBody] = useState<Body | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isReloading, setReloading] = useState(false);
  // an answer that was overtaken by a later question is dropped
  const latest = useRef(0);
  const answered = useRef(0);

  const load = useCallback(async () => {
    latest.current += 1;
    const mine = latest.current;
    setReloading(true);
    const answer = await call<Body>('GET', path);
    if (mine !== latest.current) return;
    answered.current = mine;
    setReloading(false);
    setOutcome({ path, failure: answer.kind === 'failed' ? answer.failure : null });
    if (answer.kind === 'ok') setBody(answer.body);
  }, [path]);

  // callers may hold a `reload` from before the path changed
  const current = useRef(load);
  current.current = load;
  const reload = useCallback(() => void current.current(), []);

  useEffect(() => {
    void load();
    return () => {
      latest.current += 1;
      answered.current = latest.current;
    };
  }, [load]);

  const replace = useCallback((change: (body: Body) => Body) => {
    setBody((old) => (old === null ? old : change(old)));
    // an answer that is on its way may be older than the change
    if (answered.current !== latest.current) reload();
  }, []);

  const isSettled = outcome?.path === path;
  return {
    body,
    failure: isSettled ? outcome.failure : null,
    // from the first rendering on: the effect that asks comes after it
    isLoading: isReloading || !isSettled,
    reload,
    replace,
  };
}
