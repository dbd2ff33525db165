import { ApiError } from '../../errors.ts';

/**
 * Slows down who does too much of one thing. Counted per location and roughly;
 * what must be exact is counted in D1.
 * @throws ApiError `too_many_requests`
 */
export async function brake(binding: RateLimit, key: string): Promise<void> {
  const { success } = await binding.limit({ key });
  if (!success) throw tooManyRequests(60);
}

/** @param wait seconds until trying again makes sense */
export function tooManyRequests(wait: number): ApiError {
  const seconds = String(Math.max(1, Math.ceil(wait)));
  return new ApiError('too_many_requests', `Too many requests: try again in ${seconds} s.`, {
    headers: { 'Retry-After': seconds },
  });
}
