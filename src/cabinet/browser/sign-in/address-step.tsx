import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useAction } from '../api/call.ts';
import type { CodeRequested } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import {
  addressComplaint,
  type PendingCode,
  pendingCode,
  requestFailure,
  usualAnswer,
} from './code-request.ts';

/** Asks for the address, and has a code sent to it. */
export function AddressStep({
  email,
  onEmail,
  onPending,
}: {
  email: string;
  onEmail: (email: string) => void;
  onPending: (pending: PendingCode) => void;
}) {
  const { isBusy, failure, run } = useAction();
  const field = useRef<HTMLInputElement>(null);
  const complaint = addressComplaint(failure);
  useLayoutEffect(() => field.current?.select(), []);
  useEffect(() => {
    if (complaint) field.current?.select();
  }, [complaint]);

  async function send(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    const answer = await run<CodeRequested>('POST', '/v1/auth/request-code', { email });
    if (answer) onPending(pendingCode(email.trim(), answer, Date.now()));
  }

  /** The mail may well be there: asked for in another tab, or before the address was changed. */
  function goOn() {
    const retry_after = failure?.retryAfter ?? usualAnswer.retry_after;
    onPending(pendingCode(email.trim(), { ...usualAnswer, retry_after }, Date.now()));
  }

  return (
    <form class="stack" noValidate onSubmit={send}>
      <div>
        <h1>Sign in</h1>
        <p class="soft">We mail you a code. No password, and nothing to register first.</p>
      </div>
      <div aria-live="polite">
        <Field label="E-mail" complaint={complaint}>
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
      <FailureNotice failure={requestFailure(failure)} />
      <button class="button primary wide" type="submit" aria-busy={isBusy} aria-disabled={isBusy}>
        Send code
      </button>
      {failure?.code === 'too_many_requests' && (
        <button class="button wide" type="button" onClick={goOn}>
          I have a code already
        </button>
      )}
    </form>
  );
}
