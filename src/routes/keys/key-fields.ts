import { z } from '@hono/zod-openapi';
import { maxMonthlyLimit } from '../../policy/limits.ts';

/** Control characters, line separators beyond ASCII, and characters that change the direction of surrounding text. */
const forbidden = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Maximum number of characters of a key's name and of its comment. */
export const labelLimits = { name: 100, comment: 500 } as const;

/** Text without control characters; its length is counted in code points. */
function text(maxCharacters: number) {
  return z
    .string()
    .refine((value) => !forbidden.test(value), 'should not contain control characters')
    .refine((value) => value.isWellFormed(), 'should be valid Unicode')
    .refine(
      (value) => [...value].length <= maxCharacters,
      `should have at most ${maxCharacters} characters`,
    );
}

export const nameField = z
  .string()
  .transform((value) => value.trim())
  .pipe(
    text(labelLimits.name).refine(
      (value) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(value),
      'should not be empty',
    ),
  )
  .openapi({
    description: 'No control characters. Leading and trailing spaces are removed.',
    type: 'string',
    minLength: 1,
    maxLength: labelLimits.name,
    example: 'shop',
  });

export const commentField = text(labelLimits.comment).openapi({
  description: 'No control characters.',
  maxLength: labelLimits.comment,
  example: 'product pictures',
});

export const monthlyLimitField = z
  .int(`should be a whole number from 1 to ${maxMonthlyLimit}, or null`)
  .min(1, `should be from 1 to ${maxMonthlyLimit}, or null`)
  .max(maxMonthlyLimit, `should be from 1 to ${maxMonthlyLimit}, or null`)
  .nullable()
  .openapi({
    description:
      'How many files can be charged to the key per UTC month, including requests in flight. Beyond that, calls return 402 `key_limit_exceeded`. Null: no limit of its own.',
    example: 1000,
  });

/** First invalid time, in milliseconds since 1970: dates have four-digit years. */
const tooLate = Date.UTC(10_000, 0, 1);

/** Parsed to milliseconds since 1970. */
export const expiresAtField = z.iso
  .datetime({ offset: true, error: 'should be a time such as "2027-01-31T00:00:00Z", or null' })
  .transform((text) => Date.parse(text))
  .refine((time) => time > Date.now() && time < tooLate, 'should be in the future')
  .nullable()
  .openapi({
    type: ['string', 'null'],
    format: 'date-time',
    description:
      'When the key expires; must be in the future. From then on, calls return 401 `invalid_api_key` until the key is extended. Null: it does not expire.',
    example: '2099-01-31T00:00:00.000Z',
  });
