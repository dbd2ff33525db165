import { type Failure, waitText } from '../api/failure.ts';

const aboutAddress: ReadonlySet<string> = new Set([
  'invalid_email',
  'email_domain_not_allowed',
  'email_undeliverable',
]);

/** The list is the operator's, and not known here; the usual one is of large providers. */
const whichAddress = 'A personal one at a large mail provider will usually do.';

/** What is wrong with the address itself, to be said at its field. */
export function addressComplaint(failure: Failure | null): string | undefined {
  if (failure === null || !aboutAddress.has(failure.code)) return undefined;
  if (failure.code !== 'email_domain_not_allowed') return failure.message;
  return `${failure.message} ${whichAddress}`;
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
