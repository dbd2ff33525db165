import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { makeApiKeyMaterial } from '../access/api-key.ts';
import { ApiError } from '../errors.ts';
import { apiKeyLimits, maxOverlapHours } from '../policy/limits.ts';
import { addDays, dayOf } from '../policy/quota.ts';
import {
  changeApiKey,
  insertApiKey,
  listApiKeys,
  reissueApiKey,
  revokeApiKey,
  type StoredApiKey,
} from '../store/api-keys.ts';
import { newId } from '../store/database.ts';
import { findFilesByKey } from '../store/usage.ts';
import type { SignedInEnv } from './http/context.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { authRequired } from './http/credentials.ts';
import { askMeter, isMetered, refreshMeter, withMeter } from './http/meter.ts';
import { jsonRequest, jsonResponse, wholeNumber } from './http/openapi-parts.ts';
import { commentField, expiresAtField, monthlyLimitField, nameField } from './keys/key-fields.ts';
import {
  demandKey,
  describeKey,
  keyParams,
  keyRecord,
  unusedToday,
  withUsage,
} from './keys/key-record.ts';

const tags = ['Keys'];
const changing = { tags, credential: 'session' } as const;

/** Maximum number of days in `recent`. */
const maxRecentDays = 90;

const emptyBody = { ...jsonRequest(z.object({})), required: false };

const list = defineRoute({
  method: 'get',
  path: '/v1/keys',
  operationId: 'listKeys',
  tags,
  summary: 'List your API keys, newest first',
  credential: 'session',
  request: {
    query: z.object({
      days: z
        .string()
        .transform((text) => (/^\d{1,3}$/.test(text) ? Number(text) : Number.NaN))
        .pipe(wholeNumber(1, maxRecentDays))
        .optional()
        .openapi({
          type: 'integer',
          minimum: 1,
          maximum: maxRecentDays,
          description:
            'Adds `recent` to each key: its files on each of this many UTC days, up to today.',
          example: 30,
        }),
    }),
  },
  problems: ['invalid_request'],
  responses: {
    200: jsonResponse(
      'All your keys, including revoked ones.',
      z.object({ items: z.array(keyRecord) }),
    ),
  },
});

const create = defineRoute({
  ...changing,
  method: 'post',
  path: '/v1/keys',
  operationId: 'createKey',
  summary: 'Create an API key',
  description: `Up to ${apiKeyLimits.active} keys can be active. Up to ${apiKeyLimits.records.toLocaleString('en-US')} keys are kept, including revoked ones: beyond that, creating a key deletes the oldest revoked one.`,
  request: {
    body: jsonRequest(
      z.object({
        name: nameField,
        comment: commentField.default(''),
        monthly_limit: monthlyLimitField.default(null),
        expires_at: expiresAtField.default(null),
      }),
      { name: 'shop', comment: 'product pictures', monthly_limit: 1000 },
    ),
  },
  problems: ['key_limit_reached'],
  responses: { 201: jsonResponse('The new key.', keyRecord) },
});

const change = defineRoute({
  ...changing,
  method: 'patch',
  path: '/v1/keys/{id}',
  operationId: 'updateKey',
  summary: 'Change a key’s name, comment, limit or expiry',
  description:
    'Takes effect immediately, everywhere. A limit can be lower than what has already been used. An expired key works again once it is extended.',
  request: {
    params: keyParams,
    body: jsonRequest(
      z
        .object({
          name: nameField.optional(),
          comment: commentField.optional(),
          monthly_limit: monthlyLimitField.optional(),
          expires_at: expiresAtField.optional(),
        })
        .refine(
          (changes) => Object.values(changes).some((value) => value !== undefined),
          'should have a name, a comment, a monthly_limit or an expires_at',
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
  request: { params: keyParams, body: emptyBody },
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
  summary: 'Replace a key, immediately or with an overlap',
  description: `The replacement takes over the old key’s name, comment and limit, and its expiry if that is still in the future. It has its own ID, and its counters start at zero. Without \`overlap_hours\`, the old key is revoked immediately. With it, both keys work during the overlap: the old one shows \`revokes_at\`, does not count toward the limit of ${apiKeyLimits.active} active keys, can be revoked, and cannot be reissued again. Up to ${apiKeyLimits.overlapping} keys can be overlapping at a time.`,
  request: {
    params: keyParams,
    body: {
      ...jsonRequest(
        z.object({
          overlap_hours: wholeNumber(0, maxOverlapHours).default(0).openapi({
            description: 'How many hours the old key keeps working.',
            example: 24,
          }),
        }),
        { overlap_hours: 24 },
      ),
      required: false,
    },
  },
  problems: ['key_not_found', 'key_not_active', 'key_limit_reached'],
  responses: {
    201: jsonResponse('The new key.', keyRecord),
  },
});

/** The API keys of the signed-in user. */
export const keys = createRouter();

keys.openapi(list, async (c) => {
  const { userId, mailboxId } = c.var.session;
  const { days } = c.req.valid('query');
  const found = await listApiKeys(c.env.DB, userId, Date.now());
  const stored = await withUsage(c, found);
  const { keySecrets } = c.var.config;
  const records = await Promise.all(stored.map((key) => describeKey(key, keySecrets)));
  if (days === undefined) return c.json({ items: records }, 200);
  if (found.mailbox?.isMetered) await askMeter(c, mailboxId, (meter) => meter.flush());
  const today = dayOf(Date.now());
  const range = Array.from({ length: days }, (_, i) => addDays(today, i + 1 - days));
  const files = await findFilesByKey(c.env.DB, { userId, from: range[0] ?? today, to: today });
  const recentOf = (id: string) => range.map((day) => files.get(id)?.get(day) ?? 0);
  return c.json({ items: records.map((key) => ({ ...key, recent: recentOf(key.id) })) }, 200);
});

keys.openapi(create, async (c) => {
  const { userId, mailboxId } = c.var.session;
  const { config } = c.var;
  const { material } = await makeApiKeyMaterial(newId('key'), mailboxId, config);
  const { name, comment, monthly_limit: monthlyLimit, expires_at: expiresAt } = c.req.valid('json');
  const options = { name, comment, monthlyLimit, expiresAt, userId, now: Date.now() };
  const created = await insertApiKey(c.env.DB, material, options, apiKeyLimits);
  if (created) return c.json(await describeKey(unusedToday(created), config.keySecrets), 201);
  throw await noRoom(c);
});

keys.openapi(change, async (c) => {
  const { userId } = c.var.session;
  const { id } = c.req.valid('param');
  const { name, comment, monthly_limit: monthlyLimit, expires_at: expiresAt } = c.req.valid('json');
  const options = { name, comment, monthlyLimit, expiresAt };
  const isForMeter = monthlyLimit !== undefined || expiresAt !== undefined;
  if (isForMeter) await demandKey(c, id);
  const write = () => changeApiKey(c.env.DB, { userId, id }, options);
  await (isForMeter ? withMeter(c, id, write) : write());
  return c.json(await describeKey(await demandKey(c, id), c.var.config.keySecrets), 200);
});

keys.openapi(revoke, async (c) => {
  const { userId } = c.var.session;
  const { id } = c.req.valid('param');
  const found = await demandKey(c, id);
  if (found.status !== 'active') throw notActive();
  const isRevokedHere = (await isMetered(c)) && (await revokeInMeter(c, found));
  const isDone = await revokeApiKey(c.env.DB, { userId, id }, Date.now());
  if (!isRevokedHere) await refreshMeter(c);
  const stored = await demandKey(c, id);
  // If not, a flush of the meter may have written the revocation first.
  if (!isDone && !isRevokedHere) throw notActive();
  return c.json(await describeKey(stored, c.var.config.keySecrets), 200);
});

keys.openapi(reissue, async (c) => {
  const { userId, mailboxId } = c.var.session;
  const { config } = c.var;
  const replacedId = c.req.valid('param').id;
  const replaced = await demandKey(c, replacedId);
  if (replaced.status !== 'active' || replaced.revokesAt !== null) throw notActive();
  const { material } = await makeApiKeyMaterial(newId('key'), mailboxId, config);
  const now = Date.now();
  // The body may be absent.
  const { overlap_hours: overlapHours = 0 } = c.req.valid('json') ?? {};
  const replacement = { userId, replacedId, now, revokesAt: now + overlapHours * 3_600_000 };
  const created = await withMeter(c, replacedId, () =>
    reissueApiKey(c.env.DB, material, replacement, apiKeyLimits),
  );
  if (created) return c.json(await describeKey(unusedToday(created), config.keySecrets), 201);
  const { status, revokesAt } = await demandKey(c, replacedId);
  if (status === 'revoked' || revokesAt !== null) throw notActive();
  throw overlapHours > 0 ? tooManyOverlaps() : await noRoom(c);
});

function notActive(): ApiError {
  return new ApiError('key_not_active');
}

function tooManyOverlaps(): ApiError {
  return new ApiError(
    'key_limit_reached',
    `You have ${apiKeyLimits.overlapping} replaced keys that still work, the maximum: revoke one of them, wait until one ends, or send "overlap_hours": 0.`,
  );
}

type SignedIn = Context<SignedInEnv>;

/** The error for a key that could not be created next to the existing ones. */
async function noRoom(c: SignedIn): Promise<ApiError> {
  const { keys: present } = await listApiKeys(c.env.DB, c.var.session.userId, Date.now());
  // Without any keys, the account was deleted meanwhile.
  return present.length === 0 ? authRequired() : new ApiError('key_limit_reached');
}

/**
 * Revokes a key in the meter before D1: whatever fails after that, the key stays revoked, and a repeated call completes
 * the revocation.
 * @returns whether the key was not revoked before
 */
async function revokeInMeter(c: SignedIn, { id, hash }: StoredApiKey): Promise<boolean> {
  const { userId, mailboxId } = c.var.session;
  return askMeter(c, mailboxId, (meter) => meter.revoke({ id, userId, hash }));
}
