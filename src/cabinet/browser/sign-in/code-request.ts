import { durationText, type Failure } from '../api/failure.ts';
import type { CodeRequested } from '../api/wire.ts';

/** A code that has been sent. Times are in milliseconds. */
export interface PendingCode {
  readonly email: string;
  /** The total lifetime of the code. */
  readonly life: number;
  readonly expiresAt: number;
  /** When the next code can be requested. */
  readonly againAt: number;
}

const storageKey = 'sign-in';

/** The service's usual response, assumed for a code that was requested elsewhere. */
export const defaultAnswer: CodeRequested = { success: true, expires_in: 600, retry_after: 60 };

/** The pending code that results from the response to a code request. */
export function pendingCode(email: string, answer: CodeRequested, now: number): PendingCode {
  return {
    email,
    life: answer.expires_in * 1000,
    expiresAt: now + answer.expires_in * 1000,
    againAt: now + answer.retry_after * 1000,
  };
}

/** Parses a stored pending code. Returns null if there is none, it has expired, or it is malformed. */
export function readPendingCode(text: string | null, now: number): PendingCode | null {
  try {
    const stored = JSON.parse(text ?? 'null') as Partial<PendingCode> | null;
    if (typeof stored?.email !== 'string') return null;
    const { email, life, expiresAt, againAt } = stored;
    if (typeof life !== 'number' || typeof againAt !== 'number') return null;
    if (typeof expiresAt !== 'number' || expiresAt <= now) return null;
    return { email, life, expiresAt, againAt };
  } catch {
    return null;
  }
}

/** The code that this tab waits for; it is stored because phones discard a page while the user is in the mail app. */
export function loadPendingCode(): PendingCode | null {
  try {
    return readPendingCode(sessionStorage.getItem(storageKey), Date.now());
  } catch {
    return null;
  }
}

/** Stores the pending code for this tab, or removes it if null. If storage is blocked, a reload starts over. */
export function storePendingCode(pending: PendingCode | null): void {
  try {
    if (pending === null) sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, JSON.stringify(pending));
  } catch {
    // storage is blocked
  }
}

const addressErrors: ReadonlySet<string> = new Set([
  'invalid_email',
  'email_domain_not_allowed',
  'email_undeliverable',
]);

/** The error to show at the address field; undefined if the failure is not about the address. */
export function addressError(failure: Failure | null): string | undefined {
  return failure !== null && addressErrors.has(failure.code) ? failure.message : undefined;
}

/** A failed code request, to show as a notice; null if the failure is about the address. */
export function requestFailure(failure: Failure | null): Failure | null {
  if (failure === null || addressErrors.has(failure.code)) return null;
  if (failure.code !== 'too_many_requests') return failure;
  const wait = failure.retryAfter === null ? 'later' : `in ${durationText(failure.retryAfter)}`;
  return {
    ...failure,
    message: `No code can be sent right now. Try again ${wait}.`,
  };
}
