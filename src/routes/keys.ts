import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { makeApiKeyMaterial, openApiKey } from '../access/api-key.ts';
import type { SecretVersions } from '../access/secrets.ts';
import { ApiError } from '../errors.ts';
import { apiKeyLimits } from '../policy/limits.ts';
import { dayOf } from '../policy/quota.ts';
import {
  findApiKey,
  insertApiKey,
  listApiKeys,
  reissueApiKey,
  relabelApiKey,
  revokeApiKey,
  type StoredApiKey,
  type StoredApiKeys,
} from '../store/api-keys.ts';
import { newId } from '../store/database.ts';
import type { SignedInEnv } from './http/context.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { authRequired } from './http/credentials.ts';
import { askMeter } from './http/meter.ts';
import { count, id, jsonRequest, jsonResponse, timestamp } from './http/openapi-parts.ts';
import { waitForBookings } from './optimize/bookkeeping.ts';

/** Control characters, line separators beyond ASCII, and characters that change the direction of the text around them. */
const forbidden = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Maximum number of characters of a key's name and of its comment. */
export const labelLimits = { name: 100, comment: 500 } as const;

/** Text without control characters, its length counted in code points. */
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
    description: 'Without control characters; surrounding spaces are removed.',
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

export const keyRecord = z
  .object({
    id: id('key'),
    key: z.string().optional().openapi({ description: 'The key itself, if `has_secret`.' }),
    prefix: z.string().openapi({
      description: 'The beginning of the key, for recognising it in lists and logs.',
      pattern: '^imgo_[0-9A-Za-z]{6}$',
      example: 'imgo_A1b2C3',
    }),
    name: z.string().openapi({ example: 'shop' }),
    comment: z.string().openapi({ example: 'product pictures' }),
    status: z.enum(['active', 'revoked']),
    has_secret: z.boolean().openapi({
      description: 'Whether the key itself is stored. If not, reissue it to get a usable one.',
    }),
    today_used: count.openapi({ description: 'Files processed since 00:00 UTC.' }),
    all_time_used: count.openapi({ description: 'Files processed in all.' }),
    created_at: timestamp.openapi({ example: '2026-11-20T16:31:00.000Z' }),
    last_used_at: timestamp.nullable().openapi({ description: 'Null: not used yet.' }),
    revoked_at: timestamp.nullable().openapi({ description: 'Null: the key is active.' }),
  })
  .openapi('ApiKey', { description: 'An API key and its use.' });

/** A key with the files of today. */
interface UsedApiKey extends StoredApiKey {
  readonly todayUsed: number;
}

/** The record of a key; `key` is in it when the secret was kept and can be opened. */
async function describeKey(
  stored: UsedApiKey,
  secrets: SecretVersions,
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

const tags = ['Keys'];
const params = z.object({
  id: z.string().openapi({ description: 'The `id` of the key.', example: 'key_Xk2v9QmB7sLwD4tR' }),
});
const changing = { tags, credential: 'session' } as const;

const nothing = { ...jsonRequest(z.object({})), required: false };

const list = defineRoute({
  method: 'get',
  path: '/v1/keys',
  operationId: 'listKeys',
  tags,
  summary: 'List your API keys, the newest first',
  credential: 'session',
  responses: {
    200: jsonResponse('All keys, including revoked ones.', z.object({ items: z.array(keyRecord) })),
  },
});

const create = defineRoute({
  ...changing,
  method: 'post',
  path: '/v1/keys',
  operationId: 'createKey',
  summary: 'Create an API key',
  description: `At most ${apiKeyLimits.active} keys can be active. Active and revoked keys together are at most ${apiKeyLimits.records.toLocaleString('en-US')} records: creating another one deletes the oldest revoked one.`,
  request: {
    body: jsonRequest(z.object({ name: nameField, comment: commentField.default('') }), {
      name: 'shop',
      comment: 'product pictures',
    }),
  },
  problems: ['key_limit_reached'],
  responses: { 201: jsonResponse('The new key.', keyRecord) },
});

const relabel = defineRoute({
  ...changing,
  method: 'patch',
  path: '/v1/keys/{id}',
  operationId: 'updateKey',
  summary: 'Change the name or the comment of a key',
  request: {
    params,
    body: jsonRequest(
      z
        .object({ name: nameField.optional(), comment: commentField.optional() })
        .refine(
          ({ name, comment }) => name !== undefined || comment !== undefined,
          'should have a name or a comment',
        )
        .openapi({ minProperties: 1 }),
      { name: 'shop, new server' },
    ),
  },
  problems: ['key_not_found'],
  responses: { 200: jsonResponse('The changed key.', keyRecord) },
});

const revoke = defineRoute({
  ...changing,
  method: 'post',
  path: '/v1/keys/{id}/revoke',
  operationId: 'revokeKey',
  summary: 'Revoke a key, immediately and permanently',
  description: 'The very next request with the key is refused, everywhere.',
  request: { params, body: nothing },
  problems: ['key_not_found', 'key_not_active'],
  responses: {
    200: jsonResponse('The revoked key.', keyRecord),
  },
});

const reissue = defineRoute({
  ...changing,
  method: 'post',
  path: '/v1/keys/{id}/reissue',
  operationId: 'reissueKey',
  summary: 'Revoke a key and create its replacement',
  description:
    'The replacement has the name and comment of the old key, an id of its own, and counters at zero.',
  request: { params, body: nothing },
  problems: ['key_not_found', 'key_not_active', 'key_limit_reached'],
  responses: {
    201: jsonResponse('The new key.', keyRecord),
  },
});

/** The API keys of whoever is signed in. */
export const keys = createRouter();

keys.openapi(list, async (c) => {
  const stored = await withUse(c, await listApiKeys(c.env.DB, c.var.session.userId));
  const { keySecrets } = c.var.config;
  return c.json(
    { items: await Promise.all(stored.map((key) => describeKey(key, keySecrets))) },
    200,
  );
});

keys.openapi(create, async (c) => {
  const { userId, mailboxId } = c.var.session;
  const { config } = c.var;
  const { material } = await makeApiKeyMaterial(newId('key'), mailboxId, config);
  const labels = { ...c.req.valid('json'), userId, now: Date.now() };
  const made = await insertApiKey(c.env.DB, material, labels, apiKeyLimits);
  if (made) return c.json(await describeKey({ ...made, todayUsed: 0 }, config.keySecrets), 201);
  throw noRoom(await listApiKeys(c.env.DB, userId));
});

keys.openapi(relabel, async (c) => {
  const { userId } = c.var.session;
  const { id } = c.req.valid('param');
  const { name, comment } = c.req.valid('json');
  await relabelApiKey(c.env.DB, { userId, id }, { name, comment });
  const stored = await demandKey(c, id);
  return c.json(await describeKey(stored, c.var.config.keySecrets), 200);
});

keys.openapi(revoke, async (c) => {
  const { userId } = c.var.session;
  const { id } = c.req.valid('param');
  const found = await demandKey(c, id);
  if (found.status !== 'active') throw notActive();
  const isOurs = await refuseFromNowOn(c, found);
  const isDone = await revokeApiKey(c.env.DB, { userId, id }, Date.now());
  const stored = await demandKey(c, id);
  // a flush of the meter may have been quicker
  if (!isDone && !isOurs) throw notActive();
  return c.json(await describeKey(stored, c.var.config.keySecrets), 200);
});

keys.openapi(reissue, async (c) => {
  const { userId, mailboxId } = c.var.session;
  const { config } = c.var;
  const replacedId = c.req.valid('param').id;
  const replaced = await demandKey(c, replacedId);
  if (replaced.status !== 'active') throw notActive();
  // it stays as it is if D1 fails, and is not used meanwhile without asking there
  const doubt = await askMeter(c, mailboxId, (meter) => meter.distrust(replacedId));
  const { material } = await makeApiKeyMaterial(newId('key'), mailboxId, config);
  const replacement = { userId, replacedId, now: Date.now() };
  const made = await reissueApiKey(c.env.DB, material, replacement, apiKeyLimits);
  await askMeter(c, mailboxId, (meter) => meter.refresh(doubt));
  if (made) return c.json(await describeKey({ ...made, todayUsed: 0 }, config.keySecrets), 201);
  const { status } = await demandKey(c, replacedId);
  throw status === 'revoked' ? notActive() : noRoom(await listApiKeys(c.env.DB, userId));
});

function notActive(): ApiError {
  return new ApiError('key_not_active');
}

/** Why a key could not be made beside these. */
function noRoom({ keys: present }: StoredApiKeys): ApiError {
  // without any the account was deleted meanwhile
  return present.length === 0 ? authRequired() : new ApiError('key_limit_reached');
}

type SignedIn = Context<SignedInEnv>;

/**
 * Refuses a key everywhere, before D1 says so: whatever fails after that, it stays refused, and a repeat completes it.
 * @returns whether it was not refused already
 */
async function refuseFromNowOn(c: SignedIn, { id, hash }: StoredApiKey): Promise<boolean> {
  const { userId, mailboxId } = c.var.session;
  return askMeter(c, mailboxId, (meter) => meter.revoke({ id, userId, hash }));
}

/** Keys with how much they have been used, which their meter knows where there is one. */
async function withUse(
  c: SignedIn,
  { mailbox, keys: stored }: StoredApiKeys,
): Promise<readonly UsedApiKey[]> {
  const { userId, mailboxId } = c.var.session;
  await waitForBookings(mailboxId);
  if (!mailbox?.isMetered) return stored.map((key) => ({ ...key, todayUsed: 0 }));
  const day = dayOf(Date.now());
  const uses = await askMeter(c, mailboxId, (meter) => meter.keyUses(userId, day));
  const usesById = new Map(uses.map((use) => [use.id, use]));
  return stored.map((key) => {
    const use = usesById.get(key.id);
    if (!use) return { ...key, todayUsed: 0 };
    return { ...key, todayUsed: use.today, allTimeUsed: use.allTime, lastUsedAt: use.lastUsedAt };
  });
}

/**
 * The key as the user's list shows it.
 * @throws ApiError `key_not_found`, also for keys of other users
 */
export async function demandKey(c: SignedIn, id: string): Promise<UsedApiKey> {
  const [stored] = await withUse(c, await findApiKey(c.env.DB, c.var.session.userId, id));
  if (stored) return stored;
  throw new ApiError('key_not_found');
}
