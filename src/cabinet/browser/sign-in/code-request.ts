import { type Failure, waitText } from '../api/failure.ts';
import type { CodeRequested } from '../api/wire.ts';

/** A code that is on its way. Times are in milliseconds. */
export interface PendingCode {
  readonly email: string;
  /** How long it can be used in all. */
  readonly life: number;
  readonly expiresAt: number;
  /** From then on another one can be asked for. */
  readonly againAt: number;
}

const place = 'sign-in';

/** What the service usually answers, for a code that was asked for elsewhere. */
export const usualAnswer: CodeRequested = { success: true, expires_in: 600, retry_after: 60 };

/** What the answer to a request for a code means from now on. */
export function pendingCode(email: string, answer: CodeRequested, now: number): PendingCode {
  return {
    email,
    life: answer.expires_in * 1000,
    expiresAt: now + answer.expires_in * 1000,
    againAt: now + answer.retry_after * 1000,
  };
}

/** A pending code as it was kept; null when there is none, it has expired, or it cannot be read. */
export function readPendingCode(text: string | null, now: number): PendingCode | null {
  try {
    const kept = JSON.parse(text ?? 'null') as Partial<PendingCode> | null;
    if (typeof kept?.email !== 'string') return null;
    const { email, life, expiresAt, againAt } = kept;
    if (typeof life !== 'number' || typeof againAt !== 'number') return null;
    if (typeof expiresAt !== 'number' || expiresAt <= now) return null;
    return { email, life, expiresAt, againAt };
  } catch {
    return null;
  }
}

/** What this tab is waiting for: phones drop a page while its reader is in the mail app. */
export function keptPendingCode(): PendingCode | null {
  try {
    return readPendingCode(sessionStorage.getItem(place), Date.now());
  } catch {
    return null;
  }
}

/** Keeps it for this tab; null forgets it. Where storage is blocked, a reload starts anew. */
export function keepPendingCode(pending: PendingCode | null): void {
  try {
    if (pending === null) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(pending));
  } catch {
    // storage is blocked
  }
}

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
