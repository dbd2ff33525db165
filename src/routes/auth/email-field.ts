import { z } from '@hono/zod-openapi';
import { normalizeEmailAddress } from '../../access/email-address.ts';
import { ApiError } from '../../errors.ts';

export const emailField = z.string().openapi({
  description: 'Case, and what follows a `+` before the `@`, make no difference.',
  example: 'you@gmail.com',
});

/**
 * The address that an account goes by.
 * @throws ApiError `invalid_email`
 */
export function requireEmailAddress(text: string): string {
  const address = normalizeEmailAddress(text);
  if (address !== null) return address;
  throw new ApiError('invalid_email', 'Give an e-mail address such as you@gmail.com.');
}
