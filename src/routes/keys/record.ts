import { z } from '@hono/zod-openapi';
import { openApiKey } from '../../access/api-key.ts';
import type { KeySecrets } from '../../access/key-secrets.ts';
import type { StoredApiKey } from '../../store/api-key-records.ts';

export const keyRecord = z
  .object({
    id: z.string().openapi({ example: 'key_0f8c…' }),
    key: z.string().optional().openapi({ description: 'Only where the secret was kept.' }),
    prefix: z.string().openapi({ example: 'imgo_A1b2C3' }),
    name: z.string(),
    comment: z.string(),
    status: z.enum(['active', 'revoked']),
    has_secret: z.boolean(),
    today_used: z.int().openapi({ description: 'Files processed since 00:00 UTC.' }),
    all_time_used: z.int(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
  })
  .openapi('ApiKey');

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
    last_used_at: timestamp(stored.lastUsedAt),
    revoked_at: timestamp(stored.revokedAt),
  };
}

function timestamp(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
