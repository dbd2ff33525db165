import { z } from '@hono/zod-openapi';

/** Control characters, line ends beyond ASCII, and what turns the direction of text around it. */
const forbidden = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Most characters of a key's name and of its comment. */
export const labelLimits = { name: 100, comment: 500 } as const;

/** Text without control characters, its length counted in characters as people see code points. */
function text(longest: number) {
  return z
    .string()
    .refine((value) => !forbidden.test(value), 'should not contain control characters')
    .refine((value) => value.isWellFormed(), 'should be valid Unicode')
    .refine((value) => [...value].length <= longest, `should have at most ${longest} characters`);
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
    description: 'Without control characters; spaces around it are dropped.',
    type: 'string',
    minLength: 1,
    maxLength: labelLimits.name,
    example: 'shop',
  });

export const commentField = text(labelLimits.comment).openapi({
  description: 'Without control characters.',
  maxLength: labelLimits.comment,
  example: 'product pictures',
});
