import { apiKeyPrefix, hashApiKey, makeApiKey, sealApiKey } from '../../src/access/api-key.ts';
import { readConfig } from '../../src/context.ts';
import { insertApiKey, revokeOldestNamed } from '../../src/store/api-keys.ts';
import { newId } from '../../src/store/id.ts';
import { ensureUser } from '../../src/store/users.ts';

/** Keys made at the command line; at the limit of active keys the oldest of them makes room. */
const name = 'local';

/** A fresh API key of the user with this normalized address, who is created if new. */
export async function makeLocalKey(env: Env, email: string): Promise<string> {
  const { keySecrets } = readConfig(env);
  const now = Date.now();
  const userId = await ensureUser(env.DB, email, now);
  const [key, id] = [makeApiKey(), newId('key')];
  await revokeOldestNamed(env.DB, { userId, name }, now);
  await insertApiKey(
    env.DB,
    {
      id,
      userId,
      hash: await hashApiKey(key),
      prefix: apiKeyPrefix(key),
      secret: await sealApiKey(key, id, keySecrets),
      name,
      comment: '',
    },
    now,
  );
  return key;
}
