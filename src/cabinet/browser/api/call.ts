import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, type Failure, failureOf, localFailure } from './failure.ts';

/** Milliseconds until a call is given up. */
const callTimeout = 20_000;

/** Calls a JSON route of the API with the session cookie. Never throws. */
export async function call<Body>(
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<Body>> {
  const request: RequestInit = {
    method,
    credentials: 'same-origin',
    signal: AbortSignal.timeout(callTimeout),
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  };
  let response: Response;
  try {
    response = await fetch(path, request);
  } catch (error) {
    return { kind: 'failed', failure: localFailure(isTimeout(error) ? 'slow' : 'offline') };
  }
  if (!response.ok) return { kind: 'failed', failure: await failureOf(response) };
  try {
    const answer: unknown = await response.json();
    if (isAnswer(answer)) return { kind: 'ok', body: answer as Body };
  } catch {
    // not JSON: reported below
  }
  return { kind: 'failed', failure: localFailure('unreadable') };
}

/** Every JSON answer of the API is an object with members; answers made up by proxies often are not. */
function isAnswer(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && Object.keys(answer).length > 0;
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

export interface Action {
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  /** Sends the call. Resolves to the body of the answer, or to null on failure; `failure` then says why. */
  readonly run: <Body>(method: string, path: string, body?: unknown) => Promise<Body | null>;
  readonly clearFailure: () => void;
}

/** State of a call that the user triggers: at most one runs at a time, and the last failure is kept. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  // a ref: state lags behind, and two clicks may arrive before `isBusy` is rendered
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
  const clearFailure = useCallback(() => setFailure(null), []);
  return { isBusy, failure, run, clearFailure };
}

export interface Loaded<Body> {
  /** The last body loaded. It stays while newer data is loading, and when loading fails. */
  readonly body: Body | null;
  /** Why loading failed. It stays during a retry. */
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Updates the loaded body, for example with the answer to a change. */
  readonly replace: (change: (body: Body) => Body) => void;
}

/** Outcome of the last request. */
interface Outcome {
  readonly path: string;
  readonly failure: Failure | null;
}

/** Loads a GET route of the API on mount, and again whenever the path changes. */
export function useLoaded<Body>(path: string): Loaded<Body> {
  const [body, setBody] = useState<Body | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isReloading, setReloading] = useState(false);
  // answers to superseded requests are dropped
  const latest = useRef(0);
  const answered = useRef(0);

  const load = useCallback(async () => {
    latest.current += 1;
    const request = latest.current;
    setReloading(true);
    const answer = await call<Body>('GET', path);
    if (request !== latest.current) return;
    answered.current = request;
    setReloading(false);
    setOutcome({ path, failure: answer.kind === 'failed' ? answer.failure : null });
    if (answer.kind === 'ok') setBody(answer.body);
  }, [path]);

  // stable, although `load` changes with the path
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
    // an answer still on its way may predate the change
    if (answered.current !== latest.current) reload();
  }, []);

  const isSettled = outcome?.path === path;
  return {
    body,
    failure: isSettled ? outcome.failure : null,
    // true from the first render, which precedes the effect that sends the request
    isLoading: isReloading || !isSettled,
    reload,
    replace,
  };
}
