import { z } from 'zod';

/** How people are told from programs: Turnstile by Cloudflare, https://developers.cloudflare.com/turnstile/. */
export interface TurnstileSettings {
  /** Public: the page needs it. */
  readonly siteKey: string;
  readonly secretKey: string;
  /** Origin that verifies in its place, in tests. */
  readonly apiBase: string | null;
}

/** Where the script and the frame of the widget come from, and tokens are verified. */
export const turnstileOrigin = 'https://challenges.cloudflare.com';

/** For the verifier to answer, in milliseconds. */
const timeout = 5000;

/** Tokens are at most 2,048 characters long, says the documentation. */
export const maxTurnstileTokenLength = 2048;

const verdict = z.object({
  success: z.boolean(),
  'error-codes': z.array(z.string()).default([]),
});

/** Codes that say something about us or the verifier, not about the token. */
const faults = /^(missing-input-secret|invalid-input-secret|bad-request|internal-error)$/;

/**
 * Verifies the token of a widget, which can be done once.
 * @param ip of the client, if known
 * @returns `unavailable` when the verifier does not answer as it should
 */
export async function verifyTurnstile(
  { secretKey, apiBase }: TurnstileSettings,
  token: string,
  ip: string | undefined,
): Promise<'passed' | 'failed' | 'unavailable'> {
  if (token === '' || token.length > maxTurnstileTokenLength) return 'failed';
  try {
    const response = await fetch(`${apiBase ?? turnstileOrigin}/turnstile/v0/siteverify`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ secret: secretKey, response: token, ...(ip && { remoteip: ip }) }),
      signal: AbortSignal.timeout(timeout),
    });
    const { success, 'error-codes': codes } = verdict.parse(await response.json());
    if (success) return 'passed';
    const fault = codes.find((code) => faults.test(code));
    if (fault === undefined) return 'failed';
    console.error({ event: 'turnstile_failed', reason: fault });
  } catch (error) {
    console.error({ event: 'turnstile_failed', reason: String(error) });
  }
  return 'unavailable';
}
