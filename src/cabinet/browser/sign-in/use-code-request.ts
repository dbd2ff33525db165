import { useAction } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';
import type { CodeRequested } from '../api/wire.ts';
import { type HumanCheck, needsHumanCheck, useHumanCheck } from '../parts/human-check.tsx';

export interface CodeRequest {
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  /** To be rendered as a `HumanCheckField`. */
  readonly humanCheck: HumanCheck;
  /** Whether a code can be requested now. */
  readonly isReady: boolean;
  /** Requests a code; null on failure. */
  readonly requestCode: (email: string) => Promise<CodeRequested | null>;
}

/** State of requesting a code, with a human check where this deployment has one. */
export function useCodeRequest(): CodeRequest {
  const { isBusy, failure, run } = useAction();
  const humanCheck = useHumanCheck();
  const { token, renew } = humanCheck;
  const isReady = !isBusy && (!needsHumanCheck || token !== undefined);

  async function requestCode(email: string) {
    const confirmed = token === undefined ? {} : { turnstile_token: token };
    const body = { email, ...confirmed };
    const answer = await run<CodeRequested>('POST', '/v1/auth/request-code', body);
    // used up, also by a call that failed for another reason
    renew();
    return answer;
  }
  return { isBusy, failure, humanCheck, isReady, requestCode };
}
