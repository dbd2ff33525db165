import { hashApiKey, isWellFormedApiKey } from './api-key.ts';

/**
 * The hash to look a request's key up by; null when there is no key or its
 * checksum is wrong, so that such a one never reaches the database. Keys come
 * in the `Authorization` header alone.
 */
export async function presentedKeyHash(request: {
  header(name: string): string | undefined;
}): Promise<string | null> {
  const [, key] = /^Bearer +(\S+) *$/i.exec(request.header('Authorization') ?? '') ?? [];
  return key !== undefined && isWellFormedApiKey(key) ? hashApiKey(key) : null;
}
