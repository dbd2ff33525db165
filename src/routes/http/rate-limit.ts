import { ApiError } from '../../errors.ts';

/**
 * Counts a request against a rate limit of the platform, which is approximate and
 * per location; limits that must be exact are counted in D1.
 * @param key whom the limit is counted by
 * @throws ApiError `too_many_requests`
 */
export async function limitRate(binding: RateLimit, key: string): Promise<void> {
  const { success } = await binding.limit({ key });
  if (!success) throw tooManyRequests(60);
}

/** @param wait seconds until a retry can succeed */
export function tooManyRequests(wait: number): ApiError {
  const seconds = String(Math.max(1, Math.ceil(wait)));
  return new ApiError('too_many_requests', `Too many requests: try again in ${seconds} s.`, {
    headers: { 'Retry-After': seconds },
  });
}
