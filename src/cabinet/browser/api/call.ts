import { type Failure, failureOf, ownFailure } from './failure.ts';

export type Answer<Body> =
  | { readonly kind: 'ok'; readonly body: Body }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Milliseconds that an answer in JSON may take. */
const patience = 20_000;

/** Calls a JSON route of the API with the session cookie. Never throws. */
export async function call<Body>(
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<Body>> {
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
