import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import { HumanCheckField } from '../parts/human-check.tsx';
import {
  addressError,
  defaultAnswer,
  type PendingCode,
  pendingCode,
  requestFailure,
} from './code-request.ts';
import { useCodeRequest } from './use-code-request.ts';

/** First step: asks for an email address and requests a code. */
export function AddressStep({
  email,
  onEmail,
  onPending,
}: {
  email: string;
  onEmail: (email: string) => void;
  onPending: (pending: PendingCode) => void;
}) {
  const { isBusy, failure, humanCheck, isReady, requestCode } = useCodeRequest();
  const field = useRef<HTMLInputElement>(null);
  const error = addressError(failure);
  useLayoutEffect(() => field.current?.select(), []);
  useEffect(() => {
    if (error) field.current?.select();
  }, [error]);

  async function send(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!isReady) return;
    const answer = await requestCode(email);
    if (answer) onPending(pendingCode(email.trim(), answer, Date.now()));
  }

  /** Goes on without a new code: one may have been requested in another tab, or before going back. */
  function useExistingCode() {
    const retry_after = failure?.retryAfter ?? defaultAnswer.retry_after;
    onPending(pendingCode(email.trim(), { ...defaultAnswer, retry_after }, Date.now()));
  }

  return (
    <form class="stack" noValidate onSubmit={send}>
      <div>
        <h1>Sign in</h1>
        <p class="soft">We’ll email you a code. No password, no registration.</p>
      </div>
      <div aria-live="polite">
        <Field label="Email" error={error}>
          <input
            ref={field}
            type="email"
            name="email"
            autocomplete="email"
            dir="ltr"
            placeholder="you@gmail.com"
            required
            value={email}
            onInput={(event) => onEmail(event.currentTarget.value)}
          />
        </Field>
      </div>
      <HumanCheckField {...humanCheck} />
      <FailureNotice failure={requestFailure(failure)} />
      <button class="button primary wide" type="submit" aria-busy={isBusy} aria-disabled={!isReady}>
        Send code
      </button>
      {failure?.code === 'too_many_requests' && (
        <button class="button wide" type="button" onClick={useExistingCode}>
          I already have a code
        </button>
      )}
    </form>
  );
}
