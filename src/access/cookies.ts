import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { sessionLife } from './session.ts';
import { codeLife } from './sign-in-code.ts';

/**
 * `Lax`, not `Strict`: someone who follows a link to the cabinet is signed in
 * there. Chrome and Firefox take `Secure` cookies from http://localhost as well.
 */
const guarded = { httpOnly: true, secure: true, sameSite: 'Lax' } as const;

const sid = { ...guarded, path: '/', maxAge: sessionLife };
/** Of use to the two sign-in calls alone. */
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
