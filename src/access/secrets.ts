import { decodeBase64 } from 'hono/utils/encode';

/** 32 bytes that only this deployment knows. */
export type Secret = Uint8Array<ArrayBuffer>;

/**
 * Secrets for one purpose by version, to support rotation: the first and newest is used for new data, and all of them
 * are accepted for existing data.
 */
export type SecretVersions = ReadonlyMap<string, Secret>;

/** Parses 32 bytes in base64; null for anything else. */
export function parseSecret(text: string): Secret | null {
  return /^[0-9A-Za-z+/]{43}=$/.test(text) ? decodeBase64(text) : null;
}

/**
 * Parses comma-separated `version:base64` pairs, newest first; null for anything else.
 * @param maxLength maximum length of a version, in base62 characters
 */
export function parseSecretVersions(text: string, maxLength = 16): SecretVersions | null {
  const secrets = new Map<string, Secret>();
  for (const part of text.split(',')) {
    const [, version = '', encoded = ''] = /^([0-9A-Za-z]+):(.*)$/.exec(part.trim()) ?? [];
    const secret = parseSecret(encoded);
    const isVersion = version !== '' && version.length <= maxLength;
    if (!isVersion || secret === null || secrets.has(version)) return null;
    secrets.set(version, secret);
  }
  return secrets;
}

/** The newest version and its secret. */
export function newestOf(secrets: SecretVersions): readonly [version: string, secret: Secret] {
  const [newest] = secrets;
  if (!newest) throw new Error('there is no secret');
  return newest;
}
