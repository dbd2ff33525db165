import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type ApiError, type ErrorCode, errorCodes } from '../../errors.ts';
import type { RateLimitName } from '../../settings.ts';
import type { AppEnv, KeyEnv, SignedInEnv, StripeEnv } from './context.ts';
import { keyPresented, signaturePresented, signedIn } from './credentials.ts';
import { jsonBody } from './json-body.ts';
import { invalidRequest, problemResponses } from './problems.ts';
import { rateLimited } from './rate-limit.ts';

/**
 * Who may call a route.
 * - `none`: anyone, including pages of this service and of the cabinet's other origins.
 * - `session`: signed-in users, by cookie. Pages of other origins may not change anything.
 * - `api-key`: programs with a key, which the handler checks against the database. Never open to pages.
 * - `stripe-signature`: only Stripe, with a plausible signature; the handler verifies it over the exact body. Never
 *   open to pages.
 */
export type Credential = 'none' | 'session' | 'api-key' | 'stripe-signature';

interface EnvOf {
  none: AppEnv;
  session: SignedInEnv;
  'api-key': KeyEnv;
  'stripe-signature': StripeEnv;
}

/** The OpenAPI security schemes of each credential. */
const security = {
  none: [],
  session: [{ session: [] }],
  'api-key': [{ apiKey: [] }],
  'stripe-signature': [{ stripeSignature: [] }],
} as const satisfies Record<Credential, RouteConfig['security']>;

const open: MiddlewareHandler<AppEnv> = (_c, next) => next();

/** The middleware that checks each credential, before the handlers and before the body is read. */
const gates: { readonly [C in Credential]: MiddlewareHandler<EnvOf[C]> } = {
  none: open,
  session: signedIn,
  'api-key': keyPresented,
  'stripe-signature': signaturePresented,
};

/** The errors that each credential adds to a route. */
const credentialProblems: Readonly<Record<Credential, readonly ErrorCode[]>> = {
  none: [],
  session: ['auth_required', 'too_many_requests', 'overloaded'],
  'api-key': ['invalid_api_key', 'too_many_requests', 'overloaded'],
  'stripe-signature': ['invalid_signature', 'payments_not_configured', 'overloaded'],
};

const jsonProblems: readonly ErrorCode[] = [
  'invalid_request',
  'request_timeout',
  'body_too_large',
  'unsupported_media_type',
  'overloaded',
];

type Operation = Pick<
  RouteConfig,
  'method' | 'path' | 'operationId' | 'tags' | 'summary' | 'description' | 'request' | 'responses'
>;

interface Rules<C extends Credential> {
  readonly credential: C;
  /**
   * The rate limit of the route, checked after its credential and before its body: callers without a credential must be
   * limited before memory is spent on their bodies.
   */
  readonly rateLimit?: RateLimitName;
  /** Errors besides those that follow from the credential, the rate limit, the method and a JSON body. */
  readonly problems?: readonly ErrorCode[];
  /** Errors as this route throws them, if they differ from the examples of their codes. */
  readonly thrown?: readonly ApiError[];
  /** The handler reads the body itself; register it with `handleRaw`. */
  readonly rawBody?: boolean;
}

type Route<O extends Operation, C extends Credential> = Pick<O, keyof O & keyof Operation> & {
  readonly middleware: [MiddlewareHandler<EnvOf[C]>];
};

/**
 * The contract of a route: its request and responses, who may call it, and how often. Credential and rate limit are
 * checked before the handler runs and before the body is read. The cross-site gate depends on the credential, the
 * OpenAPI document on both.
 *
 * @example
 * const contract = defineRoute({
 *   method: 'get',
 *   path: '/v1/things',
 *   credential: 'session',
 *   operationId: 'listThings',
 *   tags: ['Things'],
 *   summary: 'List your things',
 *   responses: { 200: jsonResponse('All of them.', z.object({ items: z.array(thing) })) },
 * });
 * export const things = createRouter().openapi(contract, async (c) => {
 *   return c.json({ items: await listThings(c.env.DB, c.var.session.userId) }, 200);
 * });
 */
export function defineRoute<
  const P extends string,
  O extends Operation & { path: P },
  C extends Credential,
>(definition: O & Rules<C>): Route<O, C> {
  const {
    credential,
    rateLimit,
    problems = [],
    thrown = [],
    rawBody = false,
    ...operation
  } = definition;
  const takesJson = operation.request?.body !== undefined && !rawBody;
  const codes = new Set<ErrorCode>([
    'key_in_query',
    'internal_error',
    ...credentialProblems[credential],
    ...(rateLimit ? (['too_many_requests'] as const) : []),
    ...(takesJson ? jsonProblems : []),
    ...(operation.method !== 'get' && isForPages({ security: [...security[credential]] })
      ? (['origin_not_allowed'] as const)
      : []),
    ...problems,
  ]);
  const inOrder = errorCodes.filter((code) => codes.has(code));
  const route = {
    ...operation,
    security: [...security[credential]],
    middleware: [
      gates[credential],
      ...(rateLimit ? [rateLimited(rateLimit)] : []),
      ...(takesJson ? [jsonBody] : []),
    ],
    responses: { ...operation.responses, ...problemResponses(inOrder, thrown) },
  };
  // Handlers see only the responses that they return themselves, and what the gate adds to their context.
  return route as unknown as Route<O, C>;
}

/** Creates a router that rejects requests that do not match their contract with `invalid_request`. */
export function createRouter(): OpenAPIHono<AppEnv> {
  return new OpenAPIHono<AppEnv>({
    defaultHook(result) {
      if (!result.success) throw invalidRequest(result.error.issues);
    },
  });
}

/** Registers a handler that reads the request itself: the request is not validated, and the response is not typed. */
export function handleRaw<O extends Operation, C extends Credential>(
  router: OpenAPIHono<AppEnv>,
  route: Route<O, C>,
  handler: (c: Context<EnvOf[C]>) => Response | Promise<Response>,
): void {
  const { middleware, ...contract } = route as unknown as RouteConfig & Route<Operation, C>;
  router.openAPIRegistry.registerPath(contract);
  const path = routingPath(contract.path);
  (router as unknown as Hono<EnvOf[C]>).on(contract.method, [path], ...middleware, handler);
}

/** Converts the path of a contract to the router's syntax, such as `/v1/keys/:id`. */
function routingPath(path: string): string {
  return path.replaceAll(/\/\{(\w+)\}/g, '/:$1');
}

/**
 * The path pattern of a request, such as `/v1/keys/{id}`, even if the path does not support the method or the handler
 * was never reached; null if there is no such path.
 */
export function patternOf(app: Hono<AppEnv>, c: Context<AppEnv>): string | null {
  const matched = matchedRoutes(c).map(({ path }) => path);
  const pattern = matched.find(isSpecific) ?? patternsOfOthers(app, c.req.path).find(isSpecific);
  return pattern?.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}') ?? null;
}

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

function patternsOfOthers({ router }: Hono<AppEnv>, path: string): string[] {
  return methods.flatMap((method) =>
    router.match(method, path)[0].map(([[, route]]) => route.path),
  );
}

/** Middleware is registered for subtrees, with a `*`. */
export function isSpecific(path: string): boolean {
  return !path.includes('*');
}

/** Whether a request is for a route that only programs use, never pages. */
export type ProgramRoutes = (c: Context<AppEnv>) => boolean;

/** Finds the program routes of `api` by their contracts, computed with the first request. */
export function programRoutes(api: OpenAPIHono<AppEnv>): ProgramRoutes {
  let patterns: ReadonlySet<string> | undefined;
  return (c) => {
    patterns ??= programPatterns(api);
    return patterns.has(patternOf(api, c) ?? '');
  };
}

/** The patterns whose methods are all for programs only. */
function programPatterns({ openAPIRegistry }: OpenAPIHono<AppEnv>): ReadonlySet<string> {
  const routes = openAPIRegistry.definitions.flatMap((definition) =>
    definition.type === 'route' ? definition.route : [],
  );
  const forPages = new Set(routes.filter((route) => isForPages(route)).map(({ path }) => path));
  return new Set(routes.map(({ path }) => path).filter((path) => !forPages.has(path)));
}

/** Whether pages in a browser may call a route: with the session cookie, or without any credential. */
function isForPages({ security = [] }: Pick<RouteConfig, 'security'>): boolean {
  return security.every((scheme) => 'session' in scheme);
}
