import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { filesText } from '../../text/formatting.ts';
import { useAction } from '../api/call.ts';
import type { Me } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import { Day } from '../parts/moment.tsx';

/** Who is signed in, and the way out. */
export function AccountCard({ me }: { me: Me }) {
  return (
    <section class="card stack" aria-labelledby="account">
      <h2 id="account">Account</h2>
      <dl class="facts">
        <div>
          <dt>E-mail</dt>
          <dd>
            <bdi>{me.email}</bdi>
          </dd>
        </div>
        <div>
          <dt>Member since</dt>
          <dd>
            <Day at={me.created_at} />
          </dd>
        </div>
        <div>
          <dt>Plan</dt>
          <dd>
            <span class="badge">{me.plan === 'paid' ? 'Paid' : 'Free'}</span>
          </dd>
        </div>
      </dl>
      <SignOut />
    </section>
  );
}

/** Ends the session of this browser, or all of them. */
function SignOut() {
  const { isBusy, failure, run } = useAction();
  const isOver = failure?.code === 'auth_required';
  useEffect(() => {
    // the session had ended already: that is what was asked for
    if (isOver) location.assign('/');
  }, [isOver]);

  async function leave(everywhere: boolean) {
    if (isBusy) return;
    if (await run('POST', '/v1/auth/logout', { everywhere })) location.assign('/');
  }

  return (
    <>
      <FailureNotice failure={isOver ? null : failure} />
      <p class="cluster">
        <button
          class="button"
          type="button"
          aria-disabled={isBusy}
          onClick={() => void leave(false)}
        >
          Sign out
        </button>
        <button
          class="button"
          type="button"
          aria-disabled={isBusy}
          onClick={() => void leave(true)}
        >
          Sign out on every device
        </button>
      </p>
    </>
  );
}

/** The end of an account, said plainly and confirmed by typing. */
export function DeleteAccount({ me }: { me: Me }) {
  const { isBusy, failure, run, forget } = useAction();
  const [typed, setTyped] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const isRefused = failure?.code === 'invalid_request';
  const paid = me.paid_quota_remaining;
  useEffect(() => {
    if (isRefused) field.current?.select();
  }, [isRefused]);

  async function erase(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    if (await run('DELETE', '/v1/me', { confirm: typed })) location.assign('/');
  }

  return (
    <details class="card delete-account">
      <summary>
        <h2>Delete account</h2>
      </summary>
      <form class="stack" noValidate onSubmit={erase}>
        <ul>
          <li>All your keys stop working at once.</li>
          <li>
            {paid > 0
              ? `Your ${filesText(paid, 'paid')} are given up.`
              : 'Paid files are given up; you have none at present.'}
          </li>
          <li>
            Your address and the names and comments of your keys are erased. What was counted stays,
            without a person to it.
          </li>
          <li>
            Until the month is over, a fingerprint of your address (an HMAC) stays, so that its free
            files are not given twice.
          </li>
        </ul>
        <p>
          <strong>This cannot be undone.</strong>
        </p>
        <Field
          label="Your e-mail, to confirm"
          hint={<bdi>{me.email}</bdi>}
          complaint={isRefused ? 'This is not the e-mail of this account.' : undefined}
        >
          <input
            ref={field}
            type="email"
            name="confirm"
            autocomplete="off"
            dir="ltr"
            value={typed}
            onInput={(event: { currentTarget: HTMLInputElement }) => {
              setTyped(event.currentTarget.value);
              forget();
            }}
          />
        </Field>
        <FailureNotice failure={isRefused ? null : failure} />
        <p>
          <button class="button danger" type="submit" aria-busy={isBusy} aria-disabled={isBusy}>
            Delete account
          </button>
        </p>
      </form>
    </details>
  );
}
