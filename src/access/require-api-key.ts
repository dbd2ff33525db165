import { ApiError } from '../errors.ts';
import { hashApiKey, isWellFormedApiKey } from './api-key.ts';

/**
 * The hash to look a request's key up by. Keys come in the `Authorization`
 * header alone; one whose checksum is wrong never reaches the database.
 * @throws ApiError `invalid_api_key`
 */
export async function requireApiKey(request: { header(name: string): string | undefined }) {
  const [, key] = /^Bearer +(\S+) *$/i.exec(request.header('Authorization') ?? '') ?? [];
  if (key === undefined || !isWellFormedApiKey(key)) throw invalidApiKey();
  return hashApiKey(key);
}

/** One answer for a key that is missing, malformed, unknown or revoked. */
export function invalidApiKey(): ApiError {
  return new ApiError(
    'invalid_api_key',
    'Send an active API key in the header "Authorization: Bearer <key>".',
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  );
}
