import { makeApiKeyMaterial } from '../access/api-key-material.ts';
import type { SignedInEnv } from '../context.ts';
import { ApiError } from '../errors.ts';
import { apiKeyLimits } from '../policy/api-keys.ts';
import { listApiKeys, type StoredApiKey } from '../store/api-key-records.ts';
import { insertApiKey, reissueApiKey, relabelApiKey, revokeApiKey } from '../store/api-keys.ts';
import { newId } from '../store/id.ts';
import { createRouter } from './contracts/router.ts';
import { authRequired } from './gates/session.ts';
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
  const { keySecrets } = c.var.config;
  const { material } = await makeApiKeyMaterial(newId('key'), keySecrets);
  const labels = { ...c.req.valid('json'), userId, now: Date.now() };
  const made = await insertApiKey(c.env.DB, material, labels, apiKeyLimits);
  if (made) return c.json(await describeKey(made, keySecrets), 201);
  throw noRoom(await listApiKeys(c.env.DB, keyScope(userId)));
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
  const { keySecrets } = c.var.config;
  const replacedId = c.req.valid('param').id;
  const { material } = await makeApiKeyMaterial(newId('key'), keySecrets);
  const replacement = { userId, replacedId, now: Date.now() };
  const made = await reissueApiKey(c.env.DB, material, replacement, apiKeyLimits);
  if (made) return c.json(await describeKey(made, keySecrets), 201);
  const { status } = await demandKey(c.env.DB, userId, replacedId);
  throw status === 'revoked' ? notActive() : noRoom(await listApiKeys(c.env.DB, keyScope(userId)));
});

function notActive(): ApiError {
  return new ApiError('key_not_active', 'This key is revoked already: make a new one instead.');
}

/** Why a key could not be made beside these. */
function noRoom(present: readonly StoredApiKey[]): ApiError {
  const { active, records } = apiKeyLimits;
  if (present.length === 0) return authRequired(); // the account was deleted meanwhile
  return new ApiError(
    'key_limit_reached',
    present.length < records
      ? `There are ${active} active keys, the most there can be: revoke one that you do not use.`
      : `There are ${records} keys, revoked ones included, the most there can be: go on with an active one.`,
  );
}
