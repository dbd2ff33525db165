import { z } from 'zod';

/** Settings of the Turnstile bot check, https://developers.cloudflare.com/turnstile/. */
export interface TurnstileSettings {
  /** Public, because the page needs it. */
  readonly siteKey: string;
  readonly secretKey: string;
  /** Origin of the widget's script and frame, and of the verification endpoint. */
  readonly origin: string;
}

/** The origin of Turnstile itself. */
export const turnstileOrigin = 'https://challenges.cloudflare.com';

/** Timeout of the verification request, in milliseconds. */
const timeout = 5000;

/** Maximum length of a token in characters, according to the documentation. */
export const maxTurnstileTokenLength = 2048;

const verdict = z.object({
  success: z.boolean(),
  'error-codes': z.array(z.string()).default([]),
});

/** Error codes about our settings or the verifier, not about the token. */
const faults = /^(missing-input-secret|invalid-input-secret|bad-request|internal-error)$/;

export type TurnstileOutcome =
  | { readonly kind: 'passed' | 'failed' }
  /** The verification endpoint does not respond as expected. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/**
 * Verifies the token of a widget, which works only once per token.
 * @param ip address of the client, if known
 */
export async function verifyTurnstile(
  { secretKey, origin }: TurnstileSettings,
  token: string,
  ip: string | undefined,
): Promise<TurnstileOutcome> {
  if (token === '') return { kind: 'failed' };
  try {
    const response = await fetch(`${origin}/turnstile/v0/siteverify`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ secret: secretKey, response: token, ...(ip && { remoteip: ip }) }),
      signal: AbortSignal.timeout(timeout),
    });
    const { success, 'error-codes': codes } = verdict.parse(await response.json());
    const fault = codes.find((code) => faults.test(code));
    if (fault !== undefined) return { kind: 'unavailable', reason: fault };
    return { kind: success ? 'passed' : 'failed' };
  } catch (error) {
    return { kind: 'unavailable', reason: String(error) };
  }
}
