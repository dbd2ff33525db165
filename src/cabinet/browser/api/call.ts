import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, failureOf, ownFailure } from './failure.ts';

type Answer<Body> =
  | { readonly kind: 'ok'; readonly body: Body }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Milliseconds that an answer in JSON may take. */
const patience = 20_000;

/** Calls a JSON route of the API with the session cookie. Never throws. */
async function call<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
  const request: RequestInit = {
    method,
    credentials: 'same-origin',
    signal: AbortSignal.timeout(patience),
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  };
  let response: Response;
  try {
    response = await fetch(path, request);
  } catch (error) {
    return { kind: 'failed', failure: ownFailure(isTimeout(error) ? 'slow' : 'offline') };
  }
  if (!response.ok) return { kind: 'failed', failure: await failureOf(response) };
  try {
    const answer: unknown = await response.json();
    if (isAnswer(answer)) return { kind: 'ok', body: answer as Body };
  } catch {
    // not JSON: said below
  }
  return { kind: 'failed', failure: ownFailure('unreadable') };
}

/** No answer of the API is without members; what something on the way makes up often is. */
function isAnswer(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && Object.keys(answer).length > 0;
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

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
