import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { encodeBase64Url } from 'hono/utils/encode';
import { sha256 } from './hashing.ts';
import { issueToMailbox, mailboxOf, mailboxTokens, type Presented } from './mailbox.ts';
import type { SecretVersions } from './secrets.ts';
import { codeLife } from './sign-in-code.ts';

/** How long a session lasts, in seconds: 30 days. */
export const sessionLife = 30 * 24 * 60 * 60;

const kind = mailboxTokens('sid_');

/** A session that has been verified. */
export interface Session extends Presented {
  readonly userId: string;
  /** Normalized address of the user. */
  readonly email: string;
}

/** Creates a cookie value for a session of an account with this mailbox. */
export function makeSessionToken(mailboxId: string, secrets: SecretVersions): Promise<string> {
  return issueToMailbox(kind, mailboxId, secrets);
}

/** Reads the value of a session cookie; null for one that this service never issued. */
export async function readSessionToken(
  token: string,
  secrets: SecretVersions,
): Promise<Presented | null> {
  const mailboxId = await mailboxOf(kind, token, secrets);
  return mailboxId === null ? null : { hash: await sha256(token), mailboxId };
}

/** A random value for the challenge cookie: 256 bits in base64url. */
export function makeChallengeToken(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)).buffer).replaceAll('=', '');
}

/** The hash under which a challenge cookie is stored; null for a value that this service never issued. */
export async function challengeHash(token: string | undefined): Promise<string | null> {
  return token !== undefined && /^[0-9A-Za-z_-]{43}$/.test(token) ? sha256(token) : null;
}

/**
 * `Lax`, not `Strict`, so that users who follow a link to the cabinet are signed in there. Chrome and Firefox also
 * accept `Secure` cookies from http://localhost.
 */
export const cookieAttributes = { httpOnly: true, secure: true, sameSite: 'Lax' } as const;

const sid = { ...cookieAttributes, path: '/', maxAge: sessionLife };
/** Attributes of the challenge cookie. Only the two sign-in calls need it. */
const challenge = { ...cookieAttributes, path: '/v1/auth', maxAge: codeLife };

export function sessionCookie(c: Context): string | undefined {
  return getCookie(c, 'sid');
}

export function setSessionCookie(c: Context, token: string): void {
  setCookie(c, 'sid', token, sid);
}

export function clearSessionCookie(c: Context): void {
  deleteCookie(c, 'sid', sid);
}

export function challengeCookie(c: Context): string | undefined {
  return getCookie(c, 'challenge');
}

export function setChallengeCookie(c: Context, token: string): void {
  setCookie(c, 'challenge', token, challenge);
}

export function clearChallengeCookie(c: Context): void {
  deleteCookie(c, 'challenge', challenge);
}
