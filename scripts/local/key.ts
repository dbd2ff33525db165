import { makeApiKeyMaterial } from '../../src/access/api-key.ts';
import { readConfig } from '../../src/config.ts';
import { apiKeyLimits } from '../../src/policy/limits.ts';
import { ensureUser } from '../../src/store/accounts.ts';
import { insertApiKey, revokeOldestNamed } from '../../src/store/api-keys.ts';
import { boundTransaction, newId } from '../../src/store/database.ts';

/** Keys made at the command line; at the limit of active keys the oldest of them makes room. */
const name = 'local';

/**
 * A fresh API key of the user with this normalized address, who is created if new.
 * @throws Error when the user's other keys leave no room
 */
export async function makeLocalKey(env: Env, email: string): Promise<string> {
  const now = Date.now();
  const userId = await ensureUser(boundTransaction(env.DB), email, now);
  const { key, material } = await makeApiKeyMaterial(newId('key'), readConfig(env).keySecrets);
  await revokeOldestNamed(env.DB, { userId, name }, now, apiKeyLimits);
  const labels = { userId, name, comment: '', now };
  if (await insertApiKey(env.DB, material, labels, apiKeyLimits)) return key;
  throw new Error(`${email} has no room for one more key: revoke one in the cabinet.`);
}
