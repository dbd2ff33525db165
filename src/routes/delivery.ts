import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { formatFacts } from '../image/formats/facts.ts';
import { type Admitted, admit } from './delivery/admission.ts';
import { deliveryApp } from './delivery/deliver.ts';
import { failureResponse, openHeaders, toldError } from './delivery/failure.ts';
import { isNegotiated, reducedAccept } from './delivery/negotiation.ts';
import type { DeliveryProps } from './delivery/result.ts';
import { pathHash } from './delivery/source-path.ts';
import { type AppEnv, note } from './http/context.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { type OwnHeader, requestIdHeader } from './http/openapi-parts.ts';
import { picturesOf } from './optimize/image-request.ts';
import { imageHeaders } from './optimize/picture-headers.ts';
import { turns } from './optimize/scheduler.ts';

const { 'Quota-Remaining': _quota, 'Server-Timing': _timing, ...headersOfImage } = imageHeaders;

/** Headers that images by URL have, and other responses do not. */
const headersOfDelivery = {
  ...requestIdHeader,
  'Cache-Control': {
    description:
      'How long the response may be stored: that of an image, for the `cache_seconds` of its site.',
    required: true,
    schema: { type: 'string' },
    example: 'public, max-age=86400, stale-while-revalidate=86400',
  },
} satisfies Record<string, OwnHeader | { readonly $ref: string }>;

const contract = defineRoute({
  method: 'get',
  path: '/i/{slug}/{options}/{path}',
  operationId: 'getImage',
  tags: ['Images by URL'],
  summary: 'Get an image of a site, made smaller',
  description:
    'The image at `path` below the `source` of the site. A signed URL has `~` and the signature as a segment before the options. Other pages may load the image. The page on images by URL has the options, and how to sign.',
  credential: 'none',
  request: {
    params: z.object({
      slug: z.string().openapi({ description: 'That of the site.', example: 'my-shop' }),
      options: z.string().openapi({
        description: 'Pairs such as `w_800`, separated by `,` or `&`; `_` for none.',
        example: 'w_800,f_webp',
      }),
      path: z.string().openapi({
        description:
          'Path of the image below the source; may contain slashes. A query goes to the source.',
        example: 'photos/cat.jpg',
      }),
    }),
  },
  problems: [
    'invalid_request',
    'invalid_options',
    'body_too_large',
    'image_too_large',
    'unsupported_media_type',
    'invalid_image',
    'max_bytes_unreachable',
    'source_not_allowed',
    'source_fetch_failed',
    'too_many_requests',
    'overloaded',
    'invalid_url_signature',
    'url_expired',
    'preset_required',
    'site_paused',
    'site_limit_exceeded',
    'quota_exceeded',
    'site_not_found',
    'source_not_found',
    'delivery_loop',
  ],
  responses: {
    200: {
      description: 'The image.',
      headers: { ...headersOfDelivery, ...headersOfImage },
      content: picturesOf(formatFacts),
    },
    302: {
      description:
        'Nothing smaller can be sent, and the site has `on_error: "original"`: `Location` is the image itself, `Image-Error` the code of what is wrong.',
      headers: headersOfDelivery,
    },
    304: { description: 'The client has this image already.', headers: headersOfDelivery },
  },
});

/**
 * GET /i/{slug}/[~{signature}/]{options}/{path}: images by URL. This gate decides on every request; what it lets through
 * goes to `Delivery`, an entry point of its own with a cache in front of it.
 */
export function deliveryGate(config: Config): ReturnType<typeof createRouter> {
  const gate = createRouter();
  const { middleware: _, ...documented } = contract;
  gate.openAPIRegistry.registerPath(documented);
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
  const request = new Request(url, {
    headers: { 'Request-Id': c.var.requestId },
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
  if (left !== null) limitTo(left, headers);
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

/**
 * What may be stored is stored for at most that many seconds, and is not served after that. `max-age` counts from the age of
 * a response, so that a long one would have used up a short rest.
 */
export function limitTo(seconds: number, headers: Headers): void {
  const [, lifetime] = /max-age=(\d+)/.exec(headers.get('Cache-Control') ?? '') ?? [];
  if (lifetime === undefined) return;
  const fresh = Math.max(0, Number(lifetime) - Number(headers.get('Age') ?? 0));
  headers.delete('Age');
  headers.set('Cache-Control', `public, max-age=${Math.min(fresh, seconds)}`);
}

/** Whether `If-None-Match` names this entity tag (RFC 9110 §13.1.2: weak tags count, too). */
export function matches(condition: string | undefined, etag: string | null): boolean {
  if (condition === undefined || etag === null) return false;
  const tags = condition.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
