import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { namesAll, whoMaySignIn } from '../../../access/allowed-domains.ts';
import { filesText } from '../../text/formatting.ts';
import { destination } from '../../text/interface.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { Field } from '../parts/field.tsx';
import { HumanCheckField } from '../parts/human-check.tsx';
import { allowedDomains, freeFilesPerMonth, operatorContact } from '../parts/page-facts.ts';
import { useCodeRequest } from './another-code.tsx';
import {
  addressError,
  defaultAnswer,
  type PendingCode,
  pendingCode,
  requestFailure,
} from './code-request.ts';
import { suggestedAddress } from './providers.ts';

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
  const [isTyping, setTyping] = useState(false);
  const allowed = allowedDomains();
  const error = addressError(failure);
  // The error then says what the hint says.
  const isRefused = failure?.code === 'email_domain_not_allowed';
  const suggestion = suggestedAddress(email, allowed, !isTyping);
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

  function acceptSuggestion() {
    if (suggestion) onEmail(suggestion);
    field.current?.focus();
  }

  /** Continues without a new code: one may have been requested in another tab, or before going back. */
  function useExistingCode() {
    const retry_after = failure?.retryAfter ?? defaultAnswer.retry_after;
    onPending(pendingCode(email.trim(), { ...defaultAnswer, retry_after }, Date.now()));
  }

  return (
    <form class="stack" noValidate onSubmit={send}>
      <Welcome />
      <div class="address" aria-live="polite">
        <Field label="Email" hint={isRefused ? undefined : whoMaySignIn(allowed)} error={error}>
          <input
            ref={field}
            type="email"
            name="email"
            autocomplete="email"
            dir="ltr"
            placeholder="you@gmail.com"
            required
            value={email}
            onInput={(event) => {
              setTyping(true);
              onEmail(event.currentTarget.value);
            }}
            onBlur={() => setTyping(false)}
          />
        </Field>
        {suggestion && (
          <p class="suggestion">
            <span>
              Did you mean <bdi>{suggestion}</bdi>?
            </span>
            <button class="button small" type="button" onClick={acceptSuggestion}>
              Use it
            </button>
          </p>
        )}
        {allowed !== '*' && !namesAll(allowed) && (
          <details class="domains">
            <summary>See all {allowed.size} domains</summary>
            <p class="soft">{[...allowed].toSorted().join(', ')}</p>
          </details>
        )}
      </div>
      {isRefused && <OtherWays />}
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

/** What is left to those whose domain is not accepted. */
function OtherWays() {
  const contact = operatorContact();
  return (
    <p class="cluster">
      {contact !== null && (
        <a class="button small" href={contact}>
          Ask the operator
        </a>
      )}
      <a class="button small" href="/">
        Compress without an account
      </a>
    </p>
  );
}

/** Explains the form. Visitors who came for an API key see what they get. */
function Welcome() {
  const isForKey = destination(location.search, location.origin) === '/cabinet/keys';
  return (
    <div class="stack welcome">
      <h1>{isForKey ? 'Get your API key' : 'Sign in'}</h1>
      <p class="soft">
        Enter your email and we’ll send you a code. No password.
        {!isForKey && ' New here? The same code creates your account.'}
      </p>
      {isForKey && (
        <ul class="perks">
          <li>{filesText(freeFilesPerMonth())} a month, free for good</li>
          <li>No credit card</li>
          <li>Your key right after you sign in</li>
        </ul>
      )}
    </div>
  );
}
