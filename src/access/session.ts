import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { encodeBase64Url } from 'hono/utils/encode';
import { sha256 } from './hashing.ts';
import { codeLife } from './sign-in-code.ts';

/** How long a session lasts, in seconds: 30 days. */
export const sessionLife = 30 * 24 * 60 * 60;

/** A session that has been checked. */
export interface Session {
  /** SHA-256 of the cookie's value, under which the session is stored. */
  readonly hash: string;
  readonly userId: string;
  /** Normalized address of the user. */
  readonly email: string;
}

/** A random token for a cookie: 256 bits in base64url. */
export function makeToken(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)).buffer).replaceAll('=', '');
}

const shape = /^[0-9A-Za-z_-]{43}$/;

/** The hash that a cookie's value is stored under; null for a value that this service never issued. */
export async function tokenHash(token: string | undefined): Promise<string | null> {
  return token !== undefined && shape.test(token) ? sha256(token) : null;
}

/**
 * `Lax`, not `Strict`: someone who follows a link to the cabinet is signed in
 * there. Chrome and Firefox take `Secure` cookies from http://localhost as well.
 */
const guarded = { httpOnly: true, secure: true, sameSite: 'Lax' } as const;

const sid = { ...guarded, path: '/', maxAge: sessionLife };
/** Only the two sign-in calls need it. */
const challenge = { ...guarded, path: '/v1/auth', maxAge: codeLife };

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
