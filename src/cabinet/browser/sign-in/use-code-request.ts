import { useAction } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';
import type { CodeRequested } from '../api/wire.ts';
import { type HumanCheck, needsHumanCheck, useHumanCheck } from '../parts/human-check.tsx';

export interface CodeRequest {
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  /** Props for a `HumanCheckField`. */
  readonly humanCheck: HumanCheck;
  /** Whether a code can be requested now. */
  readonly isReady: boolean;
  /** Requests a code; resolves to null on failure. */
  readonly requestCode: (email: string) => Promise<CodeRequested | null>;
}

/** The state of requesting a code, with a human check if this deployment uses one. */
export function useCodeRequest(): CodeRequest {
  const { isBusy, failure, run } = useAction();
  const humanCheck = useHumanCheck();
  const { token, renew } = humanCheck;
  const isReady = !isBusy && (!needsHumanCheck || token !== undefined);

  async function requestCode(email: string) {
    const confirmed = token === undefined ? {} : { turnstile_token: token };
    const body = { email, ...confirmed };
    const answer = await run<CodeRequested>('POST', '/v1/auth/request-code', body);
    // The token is used up even if the call failed for another reason.
    renew();
    return answer;
  }
  return { isBusy, failure, humanCheck, isReady, requestCode };
}
