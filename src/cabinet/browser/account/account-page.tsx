import '../../design/account.css';
import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { countText, filesText } from '../../text/formatting.ts';
import { afterDeletion } from '../../text/interface.ts';
import { useAction, useLoaded } from '../api/call.ts';
import type { List, Me, SiteRecord } from '../api/wire.ts';
import { selectTextOf } from '../parts/clipboard.ts';
import { CopyButton } from '../parts/code-block.tsx';
import { FailureNotice, Loading } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import { Month } from '../parts/moment.tsx';
import { isSelling } from '../parts/page-facts.ts';
import { useSignOut } from '../shell/header.tsx';

/** The account's facts and email setting, signing out, and deleting the account. */
export function AccountPage() {
  const account = useLoaded<Me>('/v1/me');
  return (
    <div class="stack account">
      <h1>Account</h1>
      <Loading loaded={account}>
        {(me) => (
          <>
            <Facts me={me} />
            <QuotaMails
              isOn={me.quota_mails}
              onChanged={({ quota_mails }) => account.replace((old) => ({ ...old, quota_mails }))}
            />
            <Sessions />
            <DeleteAccount me={me} />
          </>
        )}
      </Loading>
    </div>
  );
}

function Facts({ me }: { me: Me }) {
  const id = useRef<HTMLElement>(null);
  return (
    <section class="card" aria-label="Your account">
      <dl class="facts">
        <div>
          <dt>Email</dt>
          <dd>
            <bdi>{me.email}</bdi>
          </dd>
        </div>
        <div>
          <dt>Plan</dt>
          <dd>
            <span class="badge">{me.plan === 'paid' ? 'Paid' : 'Free'}</span>
          </dd>
        </div>
        <div>
          <dt>Member since</dt>
          <dd>
            <Month at={me.created_at} />
          </dd>
        </div>
        <div>
          <dt>User ID</dt>
          <dd class="user-id">
            <code ref={id}>{me.user_id}</code>
            <CopyButton
              text={me.user_id}
              subject="user ID"
              onRefused={() => id.current && selectTextOf(id.current)}
            />
          </dd>
        </div>
      </dl>
    </section>
  );
}

/** Buttons to end this session, or all sessions of the user. */
function Sessions() {
  const { isBusy, failure, signOut } = useSignOut();
  return (
    <section class="card stack" aria-labelledby="sessions">
      <h2 id="sessions">Sign out</h2>
      <p class="soft">You stay signed in on this device for 30 days.</p>
      <FailureNotice failure={failure} />
      <p class="cluster">
        <button
          class="button"
          type="button"
          aria-disabled={isBusy}
          onClick={() => void signOut(false)}
        >
          Sign out
        </button>
        <button
          class="button"
          type="button"
          aria-disabled={isBusy}
          onClick={() => void signOut(true)}
        >
          Sign out everywhere
        </button>
      </p>
    </section>
  );
}

/** Deletes the account, after stating the consequences and having the address typed. */
function DeleteAccount({ me }: { me: Me }) {
  const { isBusy, failure, run, clearFailure } = useAction();
  const [typed, setTyped] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const isMismatch = failure?.code === 'invalid_request';
  const paid = me.paid_quota_remaining;
  const sites = useLoaded<List<SiteRecord>>('/v1/sites').body?.items.length;
  useEffect(() => {
    if (isMismatch) field.current?.select();
  }, [isMismatch]);

  async function deleteAccount(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    if (await run('DELETE', '/v1/me', { confirm: typed })) location.assign(afterDeletion);
  }

  return (
    <details class="card delete-account">
      <summary>
        <h2>Delete account</h2>
      </summary>
      <form class="stack" noValidate onSubmit={deleteAccount}>
        <ul>
          <li>All your API keys stop working immediately.</li>
          {sites !== 0 && (
            <li>
              {sitesText(sites)} answer 404, so images in your pages break. Take these URLs out
              first: your sites are under <a href="/cabinet/delivery">Delivery</a>.
            </li>
          )}
          <li>
            {paid > 0
              ? `You lose your ${filesText(paid, 'paid')}.`
              : 'Any paid files are lost. You have none at the moment.'}
          </li>
          <li>
            Your email address and the names and comments of your keys are erased. Usage counts are
            kept, without anything that identifies you.
          </li>
          <li>
            Until the end of the month, a fingerprint (HMAC) of your address is kept so that its
            free files can’t be claimed twice.
          </li>
        </ul>
        <p>
          <strong>This cannot be undone.</strong>
        </p>
        <Field
          label="Type your email address to confirm"
          hint={<bdi>{me.email}</bdi>}
          error={isMismatch ? 'This isn’t the email address of this account.' : undefined}
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
              clearFailure();
            }}
          />
        </Field>
        <FailureNotice failure={isMismatch ? null : failure} />
        <p>
          <button class="button danger" type="submit" aria-busy={isBusy} aria-disabled={isBusy}>
            Delete account
          </button>
        </p>
      </form>
    </details>
  );
}

/** Begins the sentence about the sites; undefined: how many there are is not known. */
function sitesText(count: number | undefined): string {
  if (count === undefined) return 'If you have sites, they stop: all their image URLs';
  return count === 1
    ? 'Your site stops: all its image URLs'
    : `Your ${countText(count)} sites stop: all their image URLs`;
}

/** The switch for quota emails. It moves at once, and moves back if the service refuses the change. */
function QuotaMails({ isOn, onChanged }: { isOn: boolean; onChanged: (me: Me) => void }) {
  const { isBusy, failure, run } = useAction();
  const [wanted, setWanted] = useState<boolean | null>(null);
  const id = useId();

  async function change(next: boolean) {
    setWanted(next);
    const me = await run<Me>('PATCH', '/v1/me', { quota_mails: next });
    if (me) onChanged(me);
    setWanted(null);
  }

  return (
    <section class="card stack" aria-labelledby={id}>
      <h2 id={id}>Email notifications</h2>
      <label class="switch-line">
        <span>
          Email me when files run low
          <span class="hint" id={`${id}-hint`}>
            At 80% and 100% of the month’s free files{isSelling() && ', and near the end of a pack'}
            .
          </span>
        </span>
        <input
          type="checkbox"
          role="switch"
          class="switch"
          aria-describedby={`${id}-hint`}
          checked={wanted ?? isOn}
          aria-checked={wanted ?? isOn}
          aria-busy={isBusy}
          onClick={(event) => {
            // The state follows `checked`, which is set from the response.
            event.preventDefault();
            if (!isBusy) void change(!isOn);
          }}
        />
      </label>
      <FailureNotice failure={failure} />
    </section>
  );
}
