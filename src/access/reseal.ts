import { openApiKey, sealApiKey } from './api-key.ts';
import type { KeySecrets } from './key-secrets.ts';

export type Resealed =
  /** It is sealed under the newest secret, and opens. */
  | { readonly kind: 'current' }
  /** The same key under the newest secret. */
  | { readonly kind: 'resealed'; readonly sealed: string }
  /** None of the secrets opens it. */
  | { readonly kind: 'unreadable' };

/** What becomes of a sealed key when secrets are rotated. */
export async function resealApiKey(
  sealed: string,
  id: string,
  secrets: KeySecrets,
): Promise<Resealed> {
  const key = await openApiKey(sealed, id, secrets);
  if (key === null) return { kind: 'unreadable' };
  const [newest] = secrets.keys();
  if (sealedUnder(sealed) === newest) return { kind: 'current' };
  return { kind: 'resealed', sealed: await sealApiKey(key, id, secrets) };
}

/** The version of the secret that a key is sealed under. */
export function sealedUnder(sealed: string): string {
  const [version = ''] = sealed.split('.', 1);
  return version;
}
