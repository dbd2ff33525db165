import { z } from '@hono/zod-openapi';

// What answers are made of, as the OpenAPI document has it; nothing is checked by these.

/** ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso
  .datetime()
  .openapi({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });

/** So many files, bytes, seconds. */
export const count = z.int().min(0);

/** Of a user, a key or a payment. */
export function id(prefix: 'usr' | 'key' | 'pay') {
  return z
    .string()
    .openapi({ pattern: `^${prefix}_[0-9A-Za-z]{16,}$`, example: `${prefix}_Xk2v9QmB7sLwD4tR` });
}
