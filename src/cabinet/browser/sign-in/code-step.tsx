import type { TargetedClipboardEvent, TargetedSubmitEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../api/call.ts';
import { waitText } from '../api/failure.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import { AnotherCode, useSecondsUntil } from './another-code.tsx';
import type { PendingCode } from './code-request.ts';
import { codeIn, digitsOf, pauseBeforeSending, refusalWords, wholeCode } from './typed-code.ts';

/** Asks for the code that was mailed, and signs in with it. */
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
    entry.type(code);
  }

  function startAnew(next: PendingCode) {
    onPending(next);
    entry.reset();
  }

  return (
    <div class="stack">
      <div>
        <h1>Check your mail</h1>
        <p>
          We sent a code to{' '}
          <strong>
            <bdi>{pending.email}</bdi>
          </strong>
          . It works once, for {waitText(pending.life / 1000)}.
        </p>
      </div>
      <form class="stack" noValidate onSubmit={submit}>
        <div class="code-field" aria-live="polite">
          <Field
            label="Code"
            hint="It is in the subject of the mail, too."
            complaint={entry.complaint}
          >
            <input
              ref={entry.field}
              name="code"
              inputMode="numeric"
              autocomplete="one-time-code"
              dir="ltr"
              spellcheck={false}
              value={entry.typed}
              onInput={(event: { currentTarget: HTMLInputElement }) =>
                entry.type(event.currentTarget.value)
              }
              onPaste={paste}
            />
          </Field>
        </div>
        <FailureNotice failure={entry.notice} />
        {isExpired && !entry.isDone && (
          <p class="notice warn" role="status">
            This code has expired: have another one sent.
          </p>
        )}
        <button class="button primary wide" type="submit" aria-busy={entry.isBusy}>
          Sign in
        </button>
      </form>
      <AnotherCode
        pending={pending}
        onSent={startAnew}
        onLater={onPending}
        onOtherAddress={onOtherAddress}
      />
    </div>
  );
}

/** The code as it is typed, and its trial: with the button, or by itself once it is whole. */
function useCodeEntry(email: string, onSignedIn: () => void) {
  const { isBusy, failure, run, forget } = useAction();
  const [typed, setTyped] = useState('');
  const [pause, setPause] = useState<number | null>(null);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const [isIncomplete, setIncomplete] = useState(false);
  const [isDone, setDone] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef('');

  async function verify() {
    if (isBusy || isDone) return;
    const code = wholeCode(typed);
    setPause(null);
    setIncomplete(code === null);
    if (code === null) {
      forget();
      field.current?.select();
      return;
    }
    sent.current = code;
    if ((await run('POST', '/v1/auth/verify-code', { email, code })) === null) return;
    setDone(true);
    onSignedIn();
  }

  useEffect(() => {
    if (pause === null || isBusy) return;
    const timer = setTimeout(verify, pause);
    return () => clearTimeout(timer);
  }, [pause, isBusy, typed]);

  // at once: how many were refused decides what is said
  useLayoutEffect(() => {
    if (failure?.code !== 'invalid_code') return;
    const code = sent.current;
    setRefused((codes) => [...codes, code]);
    const now = digitsOf(typed) ?? '';
    // six of twelve digits were tried while the others were being typed
    if (now.length > code.length && now.startsWith(code)) forget();
    else field.current?.select();
  }, [failure]);

  function type(text: string) {
    setPause(pauseBeforeSending(typed, text, refused));
    setTyped(text);
    setIncomplete(false);
    if (!isBusy) forget();
  }

  /** For another code. */
  function reset() {
    setPause(null);
    setTyped('');
    setRefused([]);
    setIncomplete(false);
    forget();
    field.current?.focus();
  }

  const isWrong = failure?.code === 'invalid_code';
  const complaint = isIncomplete
    ? 'The code is 6 digits long, or 12. It is in the mail.'
    : isWrong
      ? refusalWords(failure.message, refused)
      : undefined;
  const notice = isWrong ? null : failure;
  return { field, typed, type, verify, reset, complaint, notice, isBusy: isBusy || isDone, isDone };
}
