import { z } from '@hono/zod-openapi';
import { openApiKey } from '../../access/api-key.ts';
import type { KeySecrets } from '../../access/key-secrets.ts';
import type { StoredApiKey } from '../../store/api-key-records.ts';
import { count, id, timestamp } from '../contracts/values.ts';

export const keyRecord = z
  .object({
    id: id('key'),
    key: z.string().optional().openapi({ description: 'The key itself, when `has_secret`.' }),
    prefix: z.string().openapi({
      description: 'How the key begins, for finding it in lists and logs.',
      pattern: '^imgo_[0-9A-Za-z]{6}$',
      example: 'imgo_A1b2C3',
    }),
    name: z.string().openapi({ example: 'shop' }),
    comment: z.string().openapi({ example: 'product pictures' }),
    status: z.enum(['active', 'revoked']),
    has_secret: z.boolean().openapi({
      description: 'Whether the key itself is kept. Without it, reissue gives a usable one.',
    }),
    today_used: count.openapi({ description: 'Files processed since 00:00 UTC.' }),
    all_time_used: count.openapi({ description: 'Files processed in all.' }),
    created_at: timestamp.openapi({ example: '2026-11-20T16:31:00.000Z' }),
    last_used_at: timestamp.nullable().openapi({ description: 'Null: not yet.' }),
    revoked_at: timestamp.nullable().openapi({ description: 'Null: active.' }),
  })
  .openapi('ApiKey', { description: 'An API key and what it has done.' });

/** The record of a key; `key` is in it when the secret was kept and can be opened. */
export async function describeKey(
  stored: StoredApiKey,
  secrets: KeySecrets,
): Promise<z.infer<typeof keyRecord>> {
  const { id, prefix, secret, name, comment, status } = stored;
  const key = secret === null ? null : await openApiKey(secret, id, secrets);
  return {
    id,
    ...(key !== null && { key }),
    prefix,
    name,
    comment,
    status,
    has_secret: key !== null,
    today_used: stored.todayUsed,
    all_time_used: stored.allTimeUsed,
    created_at: new Date(stored.createdAt).toISOString(),
    last_used_at: isoOrNull(stored.lastUsedAt),
    revoked_at: isoOrNull(stored.revokedAt),
  };
}

function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
