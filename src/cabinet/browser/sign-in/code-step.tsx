import type { TargetedClipboardEvent, TargetedSubmitEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../api/call.ts';
import { durationText } from '../api/failure.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import { ResendCode, useSecondsUntil } from './another-code.tsx';
import type { PendingCode } from './code-request.ts';
import { autoSubmitDelayFor, codeIn, digitsOf, rejectionText, wholeCode } from './typed-code.ts';

/** Second step: asks for the code that was sent, and signs in with it. */
export function CodeStep({
  pending,
  onPending,
  onOtherAddress,
  onSignedIn,
}: {
  pending: PendingCode;
  onPending: (pending: PendingCode) => void;
  onOtherAddress: () => void;
  onSignedIn: () => void;
}) {
  const entry = useCodeEntry(pending.email, onSignedIn);
  const isExpired = useSecondsUntil(pending.expiresAt) === 0;
  useLayoutEffect(() => entry.field.current?.focus(), []);

  function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    void entry.verify();
  }

  function paste(event: TargetedClipboardEvent<HTMLInputElement>) {
    const text = event.clipboardData?.getData('text') ?? '';
    const code = digitsOf(text) === null ? codeIn(text) : null;
    if (code === null) return;
    event.preventDefault();
    entry.change(code);
  }

  function startOver(next: PendingCode) {
    onPending(next);
    entry.reset();
  }

  return (
    <div class="stack">
      <div>
        <h1>Check your email</h1>
        <p>
          We sent a code to{' '}
          <strong>
            <bdi>{pending.email}</bdi>
          </strong>
          . It can be used once and expires after {durationText(pending.life / 1000)}.
        </p>
      </div>
      <form class="stack" noValidate onSubmit={submit}>
        <div class="code-field" aria-live="polite">
          <Field label="Code" hint="It’s also in the subject line." error={entry.error}>
            <input
              ref={entry.field}
              name="code"
              inputMode="numeric"
              autocomplete="one-time-code"
              dir="ltr"
              spellcheck={false}
              value={entry.typed}
              onInput={(event: { currentTarget: HTMLInputElement }) =>
                entry.change(event.currentTarget.value)
              }
              onPaste={paste}
            />
          </Field>
        </div>
        <FailureNotice failure={entry.failure} />
        {isExpired && !entry.isDone && (
          <p class="notice warn" role="status">
            This code has expired. Request a new one.
          </p>
        )}
        <button class="button primary wide" type="submit" aria-busy={entry.isBusy}>
          Sign in
        </button>
      </form>
      <ResendCode
        pending={pending}
        onSent={startOver}
        onPostponed={onPending}
        onOtherAddress={onOtherAddress}
      />
    </div>
  );
}

/** The state of the code field. A complete code is submitted by the button or automatically. */
function useCodeEntry(email: string, onSignedIn: () => void) {
  const { isBusy, failure, run, clearFailure } = useAction();
  const [typed, setTyped] = useState('');
  const [autoSubmitDelay, setAutoSubmitDelay] = useState<number | null>(null);
  const [rejected, setRejected] = useState<readonly string[]>([]);
  const [isIncomplete, setIncomplete] = useState(false);
  const [isDone, setDone] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef('');

  async function verify() {
    if (isBusy || isDone) return;
    const code = wholeCode(typed);
    setAutoSubmitDelay(null);
    setIncomplete(code === null);
    if (code === null) {
      clearFailure();
      field.current?.select();
      return;
    }
    sent.current = code;
    if ((await run('POST', '/v1/auth/verify-code', { email, code })) === null) return;
    setDone(true);
    onSignedIn();
  }

  useEffect(() => {
    if (autoSubmitDelay === null || isBusy) return;
    const timer = setTimeout(verify, autoSubmitDelay);
    return () => clearTimeout(timer);
  }, [autoSubmitDelay, isBusy, typed]);

  // A layout effect, because the number of rejected codes determines the message.
  useLayoutEffect(() => {
    if (failure?.code !== 'invalid_code') return;
    const code = sent.current;
    setRejected((codes) => [...codes, code]);
    const now = digitsOf(typed) ?? '';
    // The first six of twelve digits were submitted while the rest was being typed.
    if (now.length > code.length && now.startsWith(code)) clearFailure();
    else field.current?.select();
  }, [failure]);

  function change(text: string) {
    setAutoSubmitDelay(autoSubmitDelayFor(typed, text, rejected));
    setTyped(text);
    setIncomplete(false);
    if (!isBusy) clearFailure();
  }

  /** Clears the field for a new code. */
  function reset() {
    setAutoSubmitDelay(null);
    setTyped('');
    setRejected([]);
    setIncomplete(false);
    clearFailure();
    field.current?.focus();
  }

  const isWrong = failure?.code === 'invalid_code';
  const error = isIncomplete
    ? 'Enter the 6- or 12-digit code from the email.'
    : isWrong
      ? rejectionText(failure.message, rejected)
      : undefined;
  return {
    field,
    typed,
    change,
    verify,
    reset,
    error,
    failure: isWrong ? null : failure,
    isBusy: isBusy || isDone,
    isDone,
  };
}
