import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import { secureHeaders } from 'hono/secure-headers';
import { keyLookalike } from './access/api-key.ts';
import { errorPage, failedPage, notFoundPage } from './cabinet/pages/app-pages.tsx';
import type { Config } from './config.ts';
import { ApiError, errorTable } from './errors.ts';
import { auth } from './routes/auth.ts';
import { deliveryGate } from './routes/delivery.ts';
import { docs } from './routes/docs.ts';
import { health, metrics } from './routes/health.ts';
import { methodNotAllowed } from './routes/http/allow.ts';
import { type AppEnv, note } from './routes/http/context.ts';
import { programRoutes } from './routes/http/contract.ts';
import { cabinetCors, noCrossSiteChanges } from './routes/http/cross-site.ts';
import { drainBody } from './routes/http/drain.ts';
import { problem, temporarilyUnavailable } from './routes/http/problems.ts';
import { requestLog } from './routes/http/request-log.ts';
import { keyRequests } from './routes/key-requests.ts';
import { keyLog } from './routes/keys/key-log.ts';
import { keys } from './routes/keys.ts';
import { me } from './routes/me.ts';
import { openapi } from './routes/openapi.ts';
import { turns } from './routes/optimize/scheduler.ts';
import { optimize } from './routes/optimize.ts';
import { pages, siteOf } from './routes/pages.ts';
import { payments } from './routes/payments.ts';
import { quota } from './routes/quota.ts';
import { sets } from './routes/sets.ts';
import { sites } from './routes/sites.ts';
import { statistics } from './routes/statistics.ts';
import type { TinifyEnv } from './routes/tinify/key.ts';
import { tinifyError } from './routes/tinify/wire.ts';
import { isTinifyPath, tinify } from './routes/tinify.ts';
import { isOutage } from './store/database.ts';
import { logFault } from './telemetry/log.ts';

/** The whole service, in the order in which a request passes through it. */
export function createApp(config: Config): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();

  app.use(completed);
  app.use(async function identify(c, next) {
    c.set('config', config);
    c.set('requestId', crypto.randomUUID());
    c.set('notes', {});
    await next();
    c.header('Request-Id', c.var.requestId);
  });
  app.use(requestLog(app));
  app.use(keyLog(app));
  app.use(alongsideWork);
  app.use(secured(config));
  app.use(methodNotAllowed(app, otherMethod));
  app.use(notStored);
  const isForPrograms = programRoutes(app);
  app.use(drainBody);
  // First, so that the cabinet's other origins can read the errors of what follows.
  app.use('/v1/*', cabinetCors(config.cabinetOrigins, isForPrograms));
  app.use(refuseKeyInQuery);
  app.use('/v1/*', noCrossSiteChanges(isForPrograms));

  app.route('/', health);
  app.route('/', metrics(config));
  app.route('/', auth);
  app.route('/', me);
  app.route('/', keys);
  app.route('/', keyRequests);
  app.route('/', sites);
  app.route('/', statistics);
  app.route('/', quota);
  app.route('/', payments);
  app.route('/', optimize);
  app.route('/', sets);
  app.route('/', deliveryGate(config));
  if (config.tinifyApi) app.route('/', tinify);
  app.route('/', openapi(app));
  app.route('/', docs(app));
  app.route('/', pages);

  app.notFound(notFound);
  app.onError(failed);
  return app;
}

/** Headers of the API, whose responses must not be rendered as pages. */
const apiPolicy = {
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], sandbox: [] },
  xFrameOptions: 'DENY',
};

/** Headers of images by URL, which pages of other sites load. */
const deliveryPolicy = { ...apiPolicy, crossOriginResourcePolicy: 'cross-origin' };

/** Headers of pages: they load only from their own origin; images to be tried out are blobs. */
const pagePolicy = {
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    fontSrc: ["'self'"],
    imgSrc: ["'self'", 'blob:'],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: 'DENY',
};

/** Headers of the pages that optimize images in threads of their own, and of the scripts of these threads. */
const enginePolicy = {
  ...pagePolicy,
  contentSecurityPolicy: {
    ...pagePolicy.contentSecurityPolicy,
    scriptSrc: ["'self'", "'wasm-unsafe-eval'"],
    workerSrc: ["'self'"],
  },
};

const pagesWithEngine = /^\/(?:cabinet(?:\/.*)?|assets\/.*)?$/;

/** The page that contains the Turnstile widget, if it is enabled, which needs a script and a frame. */
const pageWithWidget = '/sign-in';

function widgetPolicy({ turnstile }: Config): typeof pagePolicy {
  if (turnstile === null) return pagePolicy;
  const widget = [turnstile.origin];
  const { contentSecurityPolicy: own } = pagePolicy;
  const directives = { scriptSrc: [...own.scriptSrc, ...widget], frameSrc: widget };
  return { ...pagePolicy, contentSecurityPolicy: { ...own, ...directives } };
}

/** HSTS is ignored over plain http, and would be a nuisance on localhost. */
const byProtocol = (policy: Parameters<typeof secureHeaders>[0]) => ({
  https: secureHeaders(policy),
  http: secureHeaders({ ...policy, strictTransportSecurity: false }),
});

/** Sets the headers that tell browsers what the response may do. */
function secured(config: Config): MiddlewareHandler<AppEnv> {
  const api = byProtocol(apiPolicy);
  const delivery = byProtocol(deliveryPolicy);
  const withWidget = byProtocol(widgetPolicy(config));
  const withEngine = byProtocol(enginePolicy);
  const pages = byProtocol(pagePolicy);
  const headersFor = (path: string) => {
    if (isDelivery(path)) return delivery;
    if (isApi(path)) return api;
    if (path === pageWithWidget) return withWidget;
    return pagesWithEngine.test(path) ? withEngine : pages;
  };
  return function secured(c, next) {
    const { protocol } = new URL(c.req.url);
    // Decoded, like the path that is routed.
    const headers = headersFor(c.req.path);
    return (protocol === 'https:' ? headers.https : headers.http)(c, next);
  };
}

/**
 * Whether a path belongs to the API, to images by URL or to the calls of Tinify's clients; everything else is pages.
 */
function isApi(path: string): boolean {
  return /^\/(v1|metrics)(\/|$)/.test(path) || isDelivery(path) || isTinifyPath(path);
}

function isDelivery(path: string): boolean {
  return /^\/i(\/|$)/.test(path);
}

/** An error response in the format of the API that was called, or a page. */
function errorResponse(c: Context<AppEnv>, error: ApiError): Response | Promise<Response> {
  if (!isApi(c.req.path)) {
    note(c, { code: error.code });
    const { title, status } = errorTable[error.code];
    return c.html(errorPage(siteOf(c), title, error.message), status, error.headers);
  }
  if (!c.var.config.tinifyApi || !isTinifyPath(c.req.path)) return problem(c, error);
  // Variables that only Tinify's handlers set may be missing.
  return tinifyError(c as unknown as Context<TinifyEnv>, error);
}

/**
 * Query strings end up in logs and histories, so a key in one has to be considered leaked, on whatever path. A CORS
 * preflight has been answered before; the call that it announces gets the error.
 */
const refuseKeyInQuery: MiddlewareHandler<AppEnv> = async (c, next) => {
  for (const pair of new URL(c.req.url).searchParams) {
    if (pair.some((text) => keyLookalike.test(text))) {
      throw new ApiError('key_in_query');
    }
  }
  await next();
};

/** Lets work finish even if the client has gone: it is logged, and its reservations are released. */
const completed: MiddlewareHandler<AppEnv> = async (c, next) => {
  const work = next();
  c.executionCtx.waitUntil(work.catch(() => {}));
  await work;
};

/** Answers requests between jobs of image processing, unless they become jobs: pages, sign-ins, refusals. */
const alongsideWork: MiddlewareHandler<AppEnv> = (c, next) => {
  const { signal } = c.req.raw;
  c.set('client', signal);
  return turns.alongside(signal, next);
};

/** Responses are not stored unless they declare otherwise; permanent redirects may be. */
const notStored: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const hasPolicy = c.res.headers.has('Cache-Control') || c.res.status === 301;
  if (!hasPolicy) c.header('Cache-Control', 'no-store');
};

/** 405 with `Allow`; OPTIONS requests get the same list. */
function otherMethod(c: Context<AppEnv>, methods: readonly string[]): Response | Promise<Response> {
  const allow = [...methods, 'OPTIONS'].join(', ');
  // A new response, because the context still has the headers of the 404 that led here.
  if (c.req.method === 'OPTIONS') {
    delete c.var.notes.code;
    return new Response(null, { status: 204, headers: { Allow: allow } });
  }
  const detail = `Use one of the methods ${allow} on this path.`;
  const headers = { Allow: allow };
  return errorResponse(c, new ApiError('method_not_allowed', detail, { headers }));
}

function notFound(c: Context<AppEnv>): Response | Promise<Response> {
  if (isApi(c.req.path)) return errorResponse(c, new ApiError('not_found'));
  note(c, { code: 'not_found' });
  return c.html(notFoundPage(siteOf(c)), 404);
}

function failed(error: Error, c: Context<AppEnv>): Response | Promise<Response> {
  if (error instanceof ApiError) return errorResponse(c, error);
  if (error instanceof HTTPException && error.status < 500) {
    return errorResponse(c, new ApiError('invalid_request', 'The request could not be read.'));
  }
  // Contains nothing that the client sent: the route is its pattern, and the stack consists of code.
  const { requestId: request_id } = c.var;
  const route = `${c.req.method} ${routePath(c, -1)}`;
  logFault('request_failed', { request_id, route, error: error.stack ?? error.name });
  const apiError = isOutage(error) ? temporarilyUnavailable(c) : internalError();
  if (isApi(c.req.path)) return errorResponse(c, apiError);
  note(c, { code: apiError.code });
  return c.html(
    failedPage(siteOf(c), c.var.requestId),
    errorTable[apiError.code].status,
    apiError.headers,
  );
}

function internalError(): ApiError {
  return new ApiError('internal_error');
}
