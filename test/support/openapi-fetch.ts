import { ResponseChecker } from './openapi-checker.ts';

/** One for every service, by its origin: the document is read and compiled once. */
const checkers = new Map<string, Promise<ResponseChecker>>();

/**
 * `fetch` that fails when a service answers otherwise than its own OpenAPI
 * document says. Pages outside `/v1` are not in that.
 */
export async function checkedFetch(url: URL, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  if (!url.pathname.startsWith('/v1/')) return response;
  const checker = await checkerFor(url.origin);
  await checker.check(init.method ?? 'GET', url.pathname, response);
  return response;
}

function checkerFor(origin: string): Promise<ResponseChecker> {
  const checker = checkers.get(origin) ?? readDocument(origin);
  checkers.set(origin, checker);
  return checker;
}

async function readDocument(origin: string): Promise<ResponseChecker> {
  const response = await fetch(`${origin}/v1/openapi.json`);
  return new ResponseChecker(await response.json());
}
