import type { TargetedClipboardEvent, TargetedSubmitEvent } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { waitText } from '../api/failure.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Field } from '../parts/field.tsx';
import { AnotherCode } from './another-code.tsx';
import type { PendingCode } from './pending-code.ts';
import { codeIn, digitsOf } from './typed-code.ts';
import { useCodeEntry } from './use-code-entry.ts';
import { useSecondsUntil } from './use-seconds-until.ts';

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
