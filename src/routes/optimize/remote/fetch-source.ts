import { ApiError } from '../../../errors.ts';
import { invalidRequest } from '../../contracts/router.ts';
import type { SourceRules } from './source-rules.ts';
import { judgeSource } from './source-url.ts';

/** How many redirects are followed. */
export const redirectLimit = 3;

/** Statuses that lead elsewhere (WHATWG Fetch §2.2.3). */
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Nothing of the caller's request goes along. AVIF and WebP are not named,
 * though they are read: servers that negotiate would code the image once more
 * for who names them, and the original is the better source.
 */
const headers = {
  Accept: 'image/jpeg,image/png,image/*;q=0.8,*/*;q=0.5',
  'User-Agent': 'image-optimization-service/1',
};

/**
 * Asks for an image, wherever redirects lead; every address is judged before it
 * is asked.
 * @returns a response of success whose body has not been read; `signal` ends that too
 * @throws ApiError `invalid_request`, `source_not_allowed`, `source_fetch_failed`
 */
export async function fetchSource(
  text: string,
  rules: SourceRules,
  signal: AbortSignal,
): Promise<Response> {
  let url = startOf(text, rules);
  for (let redirects = 0; ; redirects += 1) {
    const response = await ask(url, signal);
    if (response.status === 200) return response;
    await response.body?.cancel().catch(() => {});
    const location = response.headers.get('Location');
    if (!redirectStatuses.has(response.status) || location === null) throw unreachable();
    if (redirects === redirectLimit) {
      throw fetchFailed(`it redirects more than ${redirectLimit} times`);
    }
    url = redirectedTo(location, rules, url);
  }
}

async function ask(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'manual', cache: 'no-store', headers, signal });
  } catch {
    throw unreachable();
  }
}

function startOf(text: string, rules: SourceRules): URL {
  const judgement = judgeSource(text, rules);
  switch (judgement.kind) {
    case 'allowed':
      return judgement.url;
    case 'malformed':
      throw invalidRequest([{ path: ['url'], message: 'should be an absolute URL' }]);
    case 'refused':
      throw notAllowed(`this one ${judgement.because}`);
  }
}

function redirectedTo(location: string, rules: SourceRules, from: URL): URL {
  const judgement = judgeSource(location, rules, from);
  switch (judgement.kind) {
    case 'allowed':
      return judgement.url;
    case 'malformed':
      throw unreachable();
    case 'refused':
      throw notAllowed('this one redirects to one that is not fetched');
  }
}

function notAllowed(because: string): ApiError {
  return new ApiError('source_not_allowed', `Use another image URL: ${because}.`);
}

/** One answer for all that can go wrong over there, so that no network is explored through it. */
function unreachable(): ApiError {
  return fetchFailed('it should answer with status 200 and the bytes of an image');
}

/** @param because the rest of a sentence about the URL, without a word of what came from there */
export function fetchFailed(because: string): ApiError {
  return new ApiError('source_fetch_failed', `The image URL could not be fetched: ${because}.`);
}
