import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { root } from '../../scripts/local/root.ts';
import { makeApiKey } from '../../src/access/api-key.ts';
import { newMailboxId } from '../../src/access/mailbox.ts';
import { parseSecretVersions, type SecretVersions } from '../../src/access/secrets.ts';
import { makeSessionToken } from '../../src/access/session.ts';

/** Secrets by their versions, newest first, each 32 repetitions of its byte. */
export function secretText(...versions: (readonly [version: string, byte: number])[]): string {
  return versions
    .map(([version, byte]) => `${version}:${Buffer.alloc(32, byte).toString('base64')}`)
    .join(',');
}

export function secretsOf(text: string): SecretVersions {
  const secrets = parseSecretVersions(text);
  if (!secrets) throw new Error('unusable secrets');
  return secrets;
}

/** The secrets of a test service: two versions, because secrets are rotated. */
export const tokenSecrets = secretText(['2', 12], ['1', 11]);

/** The secrets of the local service. */
export function localTokenSecrets(): SecretVersions {
  const { TOKEN_SECRETS = '' } = parseEnv(readFileSync(join(root, '.dev.vars'), 'utf8'));
  return secretsOf(TOKEN_SECRETS);
}

/** The secrets of an attacker. */
const otherSecrets = secretsOf(secretText(['2', 13]));

/** A key that the service could have issued, but did not. */
export function unknownKey(): Promise<string> {
  return makeApiKey(newMailboxId(), secretsOf(tokenSecrets));
}

/** A forged key with a valid format and checksum. */
export function madeUpKey(): Promise<string> {
  return makeApiKey(newMailboxId(), otherSecrets);
}

/** A forged session cookie with a valid format. */
export function madeUpSession(): Promise<string> {
  return makeSessionToken(newMailboxId(), otherSecrets);
}
