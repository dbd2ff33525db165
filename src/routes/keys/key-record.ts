import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { openApiKey } from '../../access/api-key.ts';
import type { SecretVersions } from '../../access/secrets.ts';
import { ApiError } from '../../errors.ts';
import { monthOf } from '../../policy/quota.ts';
import { findApiKey, type StoredApiKey, type StoredApiKeys } from '../../store/api-keys.ts';
import type { SignedInEnv } from '../http/context.ts';
import { usageOfKeys } from '../http/meter.ts';
import { count, id, isoOrNull, timestamp } from '../http/openapi-parts.ts';
import { waitForBookings } from '../optimize/bookkeeping.ts';

/** The parameter of paths that name a key. */
export const keyParams = z.object({
  id: z.string().openapi({ description: 'The `id` of the key.', example: 'key_Xk2v9QmB7sLwD4tR' }),
});

export const keyRecord = z
  .object({
    id: id('key'),
    key: z.string().optional().openapi({ description: 'The key itself, if `has_secret` is true.' }),
    prefix: z.string().openapi({
      description: 'The beginning of the key, to recognise it in lists and logs.',
      pattern: '^fewer_[0-9A-Za-z]{5}$',
      example: 'fewer_A1b2C',
    }),
    name: z.string().openapi({ example: 'shop' }),
    comment: z.string().openapi({ example: 'product pictures' }),
    status: z.enum(['active', 'revoked']).openapi({
      description: 'An expired key is still `active`, because it can be extended.',
    }),
    has_secret: z.boolean().openapi({
      description: 'Whether the key itself is stored. If not, reissue it to get a key you can use.',
    }),
    today_used: count.openapi({ description: 'Images processed since 00:00 UTC, charged or not.' }),
    month_used: count.openapi({
      description: 'Files charged in this UTC month; `monthly_limit` caps this figure.',
    }),
    all_time_used: count.openapi({ description: 'Images processed in total, charged or not.' }),
    monthly_limit: z.int().min(1).nullable().openapi({
      description: 'How many files can be charged per UTC month. Null: no limit of its own.',
      example: 1000,
    }),
    created_at: timestamp.openapi({ example: '2026-11-20T16:31:00.000Z' }),
    last_used_at: timestamp.nullable().openapi({ description: 'Null: not used yet.' }),
    expires_at: timestamp.nullable().openapi({
      description:
        'When the key expires. From then on it is refused until it is extended. Null: it does not expire.',
    }),
    revokes_at: timestamp.nullable().openapi({
      description:
        'When the key will be revoked, because it has been replaced. Null: it has not been replaced, or is already revoked.',
    }),
    revoked_at: timestamp.nullable().openapi({ description: 'Null: the key is active.' }),
    recent: z.array(count).optional().openapi({
      description:
        'With `days`: files processed on each of that many UTC days, oldest first, ending with today.',
    }),
  })
  .openapi('ApiKey', { description: 'An API key and its usage.' });

/** A key with its current usage. */
export interface UsedApiKey extends StoredApiKey {
  readonly todayUsed: number;
}

/** A key whose usage is only known from D1: a new one, or one without a meter. */
export function unusedToday(stored: StoredApiKey): UsedApiKey {
  return { ...stored, todayUsed: 0 };
}

/** The record of a key; contains `key` if the secret was stored and can be decrypted. */
export async function describeKey(
  stored: UsedApiKey,
  secrets: SecretVersions,
): Promise<z.infer<typeof keyRecord>> {
  const { id, prefix, secret, name, comment, status } = stored;
  const key = secret === null ? null : await openApiKey(secret, id, secrets);
  return {
    id,
    ...(key !== null && { key }),
    ...{ prefix, name, comment, status },
    has_secret: key !== null,
    today_used: stored.todayUsed,
    month_used: stored.month === monthOf(Date.now()) ? stored.monthUsed : 0,
    all_time_used: stored.allTimeUsed,
    monthly_limit: stored.monthlyLimit,
    created_at: new Date(stored.createdAt).toISOString(),
    last_used_at: isoOrNull(stored.lastUsedAt),
    expires_at: isoOrNull(stored.expiresAt),
    revokes_at: isoOrNull(stored.revokesAt),
    revoked_at: isoOrNull(stored.revokedAt),
  };
}

type SignedIn = Context<SignedInEnv>;

/** Keys with their current usage, which comes from the meter if there is one. */
export async function withUsage(
  c: SignedIn,
  { mailbox, keys: stored }: StoredApiKeys,
): Promise<readonly UsedApiKey[]> {
  const { userId, mailboxId } = c.var.session;
  await waitForBookings(mailboxId);
  const uses = await usageOfKeys(c, mailbox, userId);
  return stored.map((key) => {
    const use = uses.get(key.id);
    if (!use) return unusedToday(key);
    const { today: todayUsed, allTime: allTimeUsed, lastUsedAt, month, monthUsed } = use;
    return { ...key, todayUsed, allTimeUsed, lastUsedAt, month, monthUsed };
  });
}

/**
 * The key as it appears in the user's list.
 * @throws ApiError `key_not_found`, also for keys of other users
 */
export async function demandKey(c: SignedIn, id: string): Promise<UsedApiKey> {
  const { userId } = c.var.session;
  const found = await findApiKey(c.env.DB, { userId, id }, Date.now());
  const [stored] = await withUsage(c, found);
  if (stored) return stored;
  throw new ApiError('key_not_found');
}
