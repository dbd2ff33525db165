import { makeApiKeyMaterial } from '../access/api-key.ts';
import { mailboxName, newMailboxId } from '../access/mailbox.ts';
import type { Secret } from '../access/secrets.ts';
import { readConfig } from '../config.ts';
import type { Platform } from '../platform.ts';
import { apiKeyLimits } from '../policy/limits.ts';
import { ensureUser, grantPaidFiles } from '../store/accounts.ts';
import { insertApiKey, revokeOldestNamed } from '../store/api-keys.ts';
import { boundTransaction, newId } from '../store/database.ts';

/** What commands need of a service. */
export type CommandEnv = Pick<Platform, 'DB' | 'KEY_SECRETS'>;

/** Name of the keys created on the command line; at the limit of active keys, the oldest of them is revoked. */
const name = 'local';

/**
 * Creates an API key for the user with this normalized address; the user is created if new.
 * @throws Error if the user's other keys leave no room
 */
export async function makeKey(env: CommandEnv, email: string): Promise<string> {
  const config = readConfig(env);
  const person = await personOf(email, config.codeSecret);
  const { now } = person;
  const { userId, mailboxId } = await ensureUser(boundTransaction(env.DB), person);
  const { key, material } = await makeApiKeyMaterial(newId('key'), mailboxId, config);
  await revokeOldestNamed(env.DB, { userId, name }, now, apiKeyLimits);
  const options = { name, comment: '', monthlyLimit: null, expiresAt: null };
  if (await insertApiKey(env.DB, material, { ...options, userId, now }, apiKeyLimits)) return key;
  throw new Error(`${email} has no room for one more key: revoke one in the dashboard.`);
}

/** Adds paid files to the user with this normalized address; the user is created if new. */
export async function grantFiles(env: CommandEnv, email: string, files: number): Promise<void> {
  const person = await personOf(email, readConfig(env).codeSecret);
  await grantPaidFiles(boundTransaction(env.DB), { ...person, files });
}

async function personOf(email: string, codeSecret: Secret) {
  return {
    ...{ email, mailboxId: newMailboxId(), now: Date.now() },
    mailboxName: await mailboxName(email, codeSecret),
  };
}
