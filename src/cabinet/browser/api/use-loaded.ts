import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { call } from './call.ts';
import type { Failure } from './failure.ts';

export interface Loaded<Body> {
  /** What was loaded last; it stays while newer data is on its way, or could not be had. */
  readonly body: Body | null;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Puts what a change has answered in the place of what was loaded. */
  readonly replace: (change: (body: Body) => Body) => void;
}

/** Loads a GET route of the API when shown, and again when the path changes. */
export function useLoaded<Body>(path: string): Loaded<Body> {
  const [body, setBody] = useState<Body | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  /** The path that an answer, be it a failure, is there for. */
  const [settled, setSettled] = useState<string | null>(null);
  // an answer that was overtaken by a later question is dropped
  const latest = useRef(0);

  const reload = useCallback(async () => {
    latest.current += 1;
    const mine = latest.current;
    setSettled(null);
    const answer = await call<Body>('GET', path);
    if (mine !== latest.current) return;
    setSettled(path);
    setFailure(answer.kind === 'failed' ? answer.failure : null);
    if (answer.kind === 'ok') setBody(answer.body);
  }, [path]);

  useEffect(() => {
    void reload();
    return () => {
      latest.current += 1;
    };
  }, [reload]);

  const replace = useCallback((change: (body: Body) => Body) => {
    setBody((old) => (old === null ? old : change(old)));
  }, []);
  // from the first rendering on: the effect that asks comes after it
  const isLoading = settled !== path;
  return { body, failure, isLoading, reload: () => void reload(), replace };
}
