import { z } from '@hono/zod-openapi';

/** Text without control characters, its length counted in characters as people see code points. */
function text(longest: number) {
  return z
    .string()
    .refine((value) => !/\p{Cc}/u.test(value), 'should not contain control characters')
    .refine((value) => value.isWellFormed(), 'should be valid Unicode')
    .refine((value) => [...value].length <= longest, `should have at most ${longest} characters`);
}

export const nameField = z
  .string()
  .transform((value) => value.trim())
  .pipe(text(100).refine((value) => value !== '', 'should not be empty'))
  .openapi({ type: 'string', minLength: 1, maxLength: 100, example: 'shop' });

export const commentField = text(500).openapi({ maxLength: 500, example: 'product pictures' });
