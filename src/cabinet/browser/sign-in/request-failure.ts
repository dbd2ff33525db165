import { type Failure, waitText } from '../api/failure.ts';

const aboutAddress: ReadonlySet<string> = new Set([
  'invalid_email',
  'email_domain_not_allowed',
  'email_undeliverable',
]);

/** What is wrong with the address itself, to be said at its field. */
export function addressComplaint(failure: Failure | null): string | undefined {
  return failure !== null && aboutAddress.has(failure.code) ? failure.message : undefined;
}

/** What else went wrong with asking for a code; null when it is about the address. */
export function requestFailure(failure: Failure | null): Failure | null {
  if (failure === null || aboutAddress.has(failure.code)) return null;
  if (failure.code !== 'too_many_requests') return failure;
  const wait = failure.retryAfter === null ? 'later' : `in ${waitText(failure.retryAfter)}`;
  return {
    ...failure,
    message: `A code was sent a short while ago. Try again ${wait}.`,
  };
}
