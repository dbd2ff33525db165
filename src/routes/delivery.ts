import { type Context, Hono } from 'hono';
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { type Admitted, admit } from './delivery/admission.ts';
import { deliveryApp } from './delivery/deliver.ts';
import { failureResponse, openHeaders, toldError } from './delivery/failure.ts';
import { isNegotiated, reducedAccept } from './delivery/negotiation.ts';
import type { DeliveryProps } from './delivery/result.ts';
import { pathHash } from './delivery/source-path.ts';
import { type AppEnv, note } from './http/context.ts';
import { turns } from './optimize/scheduler.ts';

/**
 * GET /i/{slug}/[~{signature}/]{options}/{path}: images by URL. This gate decides on every request; what it lets through
 * goes to `Delivery`, an entry point of its own with a cache in front of it.
 */
export function deliveryGate(config: Config): Hono<AppEnv> {
  const gate = new Hono<AppEnv>();
  const app = deliveryApp(config);
  // Matches whole paths without a `*`, which stands for subtrees (`isSpecific`).
  gate.get('/i/:slug/:rest{.+}', async (c) => {
    // For errors of what follows: scripts of pages may read what is wrong with a URL.
    for (const [name, value] of Object.entries(openHeaders)) c.header(name, value);
    const admitted = await admit(c);
    const { site, image, options } = admitted;
    let response: Response;
    try {
      if (site.status === 'paused') throw new ApiError('site_paused');
      response = await delivered(c, app, admitted);
    } catch (error) {
      const rules = { image: image.href, onError: site.onError, signed: site.signed };
      response = await failureResponse(c, rules, toldError(c, error));
    }
    return answerOf(c, response, options.expiresAt);
  });
  return gate;
}

/** Asks the cache, and what is behind it. */
async function delivered(
  c: Context<AppEnv>,
  app: ReturnType<typeof deliveryApp>,
  admitted: Admitted,
): Promise<Response> {
  const { site, image, options } = admitted;
  const props = await propsOf(c, admitted);
  // The same image has the same URL, however it was written.
  const below = image.href.slice(site.source.length);
  const url = new URL(
    `/i/${site.slug}/${encodeURIComponent(options.canonical)}/${below}`,
    c.req.url,
  );
  const loop = c.req.header('CDN-Loop');
  const request = new Request(url, {
    headers: { 'Request-Id': c.var.requestId, ...(loop && { 'CDN-Loop': loop }) },
    signal: c.req.raw.signal,
    // A redirect is the answer: bytes of others never come from here.
    redirect: 'manual',
  });
  turns.awaitsAnother(c.req.raw.signal);
  const { exports } = c.executionCtx as { readonly exports?: Cloudflare.Exports };
  if (exports) return exports.Delivery({ props }).fetch(request);
  // A platform without entry points has no cache in front of one either.
  return app.fetch(request, { ...c.env, PROPS: props }, c.executionCtx);
}

async function propsOf(
  c: Context<AppEnv>,
  { site, image, options: { options, canonical } }: Admitted,
): Promise<DeliveryProps> {
  const { id: siteId, mailboxId, source, cacheSeconds, onError, signed, purges } = site;
  const hash = await pathHash(image.href.slice(source.length));
  return {
    ...{ siteId, mailboxId, source, cacheSeconds, onError, signed, options, canonical },
    image: image.href,
    purges: { site: purges, path: site.pathPurges[hash] ?? 0 },
    accept: isNegotiated(options) ? reducedAccept(c.req.header('Accept')) : [],
  };
}

/**
 * The answer to the client: without what it has already, and stored no longer than its URL is valid.
 * @param expiresAt in seconds since 1970; null if the URL does not expire
 */
function answerOf(c: Context<AppEnv>, response: Response, expiresAt: number | null): Response {
  const { status } = response;
  const headers = new Headers(response.headers);
  const left = expiresAt === null ? null : Math.max(0, expiresAt - Math.floor(Date.now() / 1000));
  if (left !== null) headers.set('Cache-Control', limitedTo(left, headers.get('Cache-Control')));
  const code = headers.get('Image-Error');
  if (code !== null) note(c, { code: code as ApiError['code'] });
  const isHere = status === 200 && matches(c.req.header('If-None-Match'), headers.get('ETag'));
  if (!isHere && c.req.method !== 'HEAD') return new Response(response.body, { status, headers });
  c.executionCtx.waitUntil(response.body?.cancel().catch(() => {}) ?? Promise.resolve());
  if (!isHere) return new Response(null, { status, headers });
  for (const name of [...headers.keys()]) {
    if (/^content-(?!disposition)/.test(name)) headers.delete(name);
  }
  return new Response(null, { status: 304, headers });
}

/** What may be stored is stored for at most that many seconds, and is not served after that. */
export function limitedTo(seconds: number, cacheControl: string | null): string {
  const [, age] = /max-age=(\d+)/.exec(cacheControl ?? '') ?? [];
  if (age === undefined) return cacheControl ?? 'no-store';
  return `public, max-age=${Math.min(Number(age), seconds)}`;
}

/** Whether `If-None-Match` names this entity tag (RFC 9110 §13.1.2: weak tags count, too). */
export function matches(condition: string | undefined, etag: string | null): boolean {
  if (condition === undefined || etag === null) return false;
  const tags = condition.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
