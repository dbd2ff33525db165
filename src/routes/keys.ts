import { makeApiKeyMaterial } from '../access/api-key-material.ts';
import type { SignedInEnv } from '../context.ts';
import { ApiError } from '../errors.ts';
import { apiKeyLimits } from '../policy/api-keys.ts';
import { listApiKeys } from '../store/api-key-records.ts';
import { insertApiKey, reissueApiKey, relabelApiKey, revokeApiKey } from '../store/api-keys.ts';
import { newId } from '../store/id.ts';
import { createRouter } from './contracts/router.ts';
import { requireSession } from './gates/session.ts';
import { create, list, reissue, relabel, revoke } from './keys/contract.ts';
import { demandKey, keyScope } from './keys/demand-key.ts';
import { describeKey } from './keys/record.ts';
import { upToDate } from './optimize/bookkeeping.ts';

/** The API keys of whoever is signed in. */
export const keys = createRouter<SignedInEnv>();

keys.openapi(list, async (c) => {
  const { userId } = c.var.session;
  await upToDate(userId);
  const stored = await listApiKeys(c.env.DB, keyScope(userId));
  const { keySecrets } = c.var.config;
  return c.json(
    { items: await Promise.all(stored.map((key) => describeKey(key, keySecrets))) },
    200,
  );
});

keys.openapi(create, async (c) => {
  const { userId } = c.var.session;
  const labels = { ...c.req.valid('json'), userId, now: Date.now() };
  const { material } = await makeApiKeyMaterial(newId('key'), c.var.config.keySecrets);
  if (!(await insertApiKey(c.env.DB, material, labels, apiKeyLimits))) {
    await requireSession(c); // which is gone when the account was deleted meanwhile
    throw noRoom();
  }
  const stored = await demandKey(c.env.DB, userId, material.id);
  return c.json(await describeKey(stored, c.var.config.keySecrets), 201);
});

keys.openapi(relabel, async (c) => {
  const { userId } = c.var.session;
  const { id } = c.req.valid('param');
  const { name, comment } = c.req.valid('json');
  await relabelApiKey(c.env.DB, { userId, id }, { name, comment });
  const stored = await demandKey(c.env.DB, userId, id);
  return c.json(await describeKey(stored, c.var.config.keySecrets), 200);
});

keys.openapi(revoke, async (c) => {
  const { userId } = c.var.session;
  const { id } = c.req.valid('param');
  const isDone = await revokeApiKey(c.env.DB, { userId, id }, Date.now());
  const stored = await demandKey(c.env.DB, userId, id);
  if (!isDone) throw notActive();
  return c.json(await describeKey(stored, c.var.config.keySecrets), 200);
});

keys.openapi(reissue, async (c) => {
  const { userId } = c.var.session;
  const replacedId = c.req.valid('param').id;
  const { material } = await makeApiKeyMaterial(newId('key'), c.var.config.keySecrets);
  const replacement = { userId, replacedId, now: Date.now() };
  if (!(await reissueApiKey(c.env.DB, material, replacement, apiKeyLimits))) {
    const { status } = await demandKey(c.env.DB, userId, replacedId);
    throw status === 'revoked' ? notActive() : noRoom();
  }
  const stored = await demandKey(c.env.DB, userId, material.id);
  return c.json(await describeKey(stored, c.var.config.keySecrets), 201);
});

function notActive(): ApiError {
  return new ApiError('key_not_active', 'This key is revoked already: make a new one instead.');
}

function noRoom(): ApiError {
  const { active, records } = apiKeyLimits;
  return new ApiError(
    'key_limit_reached',
    `There can be ${active} active keys and ${records} in all: revoke one that you do not use.`,
  );
}
