import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../api/call.ts';
import { durationText, type Failure } from '../api/failure.ts';
import type { CodeRequested } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import {
  type HumanCheck,
  HumanCheckField,
  needsHumanCheck,
  useHumanCheck,
} from '../parts/human-check.tsx';
import { addressError, type PendingCode, pendingCode, requestFailure } from './code-request.ts';

/** Options for users who have not received a code: request a new one, or change the address. */
export function ResendCode({
  pending,
  onSent,
  onPostponed,
  onOtherAddress,
}: {
  pending: PendingCode;
  onSent: (pending: PendingCode) => void;
  /** Called if the service asks to wait longer before the next code. */
  onPostponed: (pending: PendingCode) => void;
  onOtherAddress: () => void;
}) {
  const { isBusy, failure, humanCheck, isReady, requestCode } = useCodeRequest();
  const [isSent, setSent] = useState(false);
  const wait = useSecondsUntil(pending.againAt);
  const { email } = pending;

  useEffect(() => {
    const seconds = failure?.retryAfter;
    if (typeof seconds === 'number')
      onPostponed({ ...pending, againAt: Date.now() + seconds * 1000 });
  }, [failure]);

  async function send() {
    if (!isReady || wait > 0) return;
    setSent(false);
    const answer = await requestCode(email);
    if (answer === null) return;
    setSent(true);
    onSent(pendingCode(email, answer, Date.now()));
  }

  const error = addressError(failure);
  return (
    <div class="stack resend">
      <FailureNotice failure={error ? failure : requestFailure(failure)} />
      <p role="status" class={isSent ? 'notice' : undefined}>
        {isSent && 'A new code is on its way. The previous one no longer works.'}
      </p>
      <p class="soft" id="resend-wait">
        Didn’t get it? Check your spam folder.
        {wait > 0 && ` You can request a new code in ${durationText(wait)}.`}
      </p>
      <HumanCheckField {...humanCheck} />
      <div class="cluster">
        <button
          class="button small"
          type="button"
          aria-busy={isBusy}
          aria-disabled={!isReady || wait > 0}
          aria-describedby="resend-wait"
          onClick={send}
        >
          Send a new code
        </button>
        <button class="button small" type="button" onClick={onOtherAddress}>
          Use a different address
        </button>
      </div>
    </div>
  );
}

/** Seconds until a moment (given in milliseconds), updated every second and never below 0. */
export function useSecondsUntil(moment: number): number {
  const [now, setNow] = useState(Date.now);
  const isOver = now >= moment;
  useEffect(() => {
    setNow(Date.now());
    if (isOver) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [moment, isOver]);
  return Math.max(0, Math.ceil((moment - now) / 1000));
}

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
