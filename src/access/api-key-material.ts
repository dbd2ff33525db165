import { apiKeyPrefix, hashApiKey, makeApiKey, sealApiKey } from './api-key.ts';
import type { KeySecrets } from './key-secrets.ts';

/** What is kept of a key; the migrations say what each column is. */
export interface ApiKeyMaterial {
  readonly id: string;
  readonly hash: string;
  readonly prefix: string;
  readonly secret: string | null;
}

/** A fresh key, and what is kept of it under `id`. */
export async function makeApiKeyMaterial(
  id: string,
  secrets: KeySecrets,
): Promise<{ readonly key: string; readonly material: ApiKeyMaterial }> {
  const key = makeApiKey();
  const [hash, secret] = await Promise.all([hashApiKey(key), sealApiKey(key, id, secrets)]);
  return { key, material: { id, hash, prefix: apiKeyPrefix(key), secret } };
}
