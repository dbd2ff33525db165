import { useCallback, useRef, useState } from 'preact/hooks';
import { type Answer, call } from './call.ts';
import type { Failure } from './failure.ts';

export interface Action {
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  /** Sends the call; the body of the answer, or null when it failed (then `failure` says why). */
  readonly run: <Body>(method: string, path: string, body?: unknown) => Promise<Body | null>;
  readonly forget: () => void;
}

/** One thing that someone does: at most one call at a time, and what became of the last one. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  // what is rendered lags behind: two calls may come before it says "busy"
  const isRunning = useRef(false);
  const run = useCallback(async <Body>(method: string, path: string, body?: unknown) => {
    if (isRunning.current) return null;
    isRunning.current = true;
    setBusy(true);
    setFailure(null);
    const answer: Answer<Body> = await call<Body>(method, path, body);
    isRunning.current = false;
    setBusy(false);
    if (answer.kind === 'ok') return answer.body;
    setFailure(answer.failure);
    return null;
  }, []);
  const forget = useCallback(() => setFailure(null), []);
  return { isBusy, failure, run, forget };
}
