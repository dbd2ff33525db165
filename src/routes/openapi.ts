import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { errorCodes, errorTable } from '../errors.ts';
import { type AppEnv, linkOrigin } from './http/context.ts';
import { createRouter, defineRoute, handleRaw } from './http/contract.ts';
import { commonHeaders, headersWith, jsonResponse } from './http/openapi-parts.ts';
import { problemExample } from './http/problems.ts';

/** What holds for every call, for the OpenAPI document (CommonMark). */
const introduction = `Send an image and get a smaller one back in the same call. Servers call \`POST /v1/optimize\` with an API key; people sign in at the cabinet by e-mail and a one-time code, and create their keys there.

**Bodies** are JSON in UTF-8 unless stated otherwise, and require \`Content-Type: application/json\`. Unknown fields are ignored; unknown options of optimize are rejected. A JSON body may have at most 64 KiB.

**Values.** Ids are opaque strings with a prefix for their type. Timestamps are ISO 8601 in UTC with milliseconds, days \`YYYY-MM-DD\` in UTC.

**Errors** are \`application/problem+json\` (RFC 9457). Program against \`code\`, which is stable; \`detail\` is one sentence that says what to do; \`type\` is the entry of the code on the error page. A path that does not exist is 404 \`not_found\`; a method that a path does not have is 405 \`method_not_allowed\` with \`Allow\`.

**Methods.** \`HEAD\` answers as \`GET\` does, without a body; \`OPTIONS\` with the methods of the path in \`Allow\`.

**Every response** carries \`Request-Id\`, and headers that keep browsers from doing anything with it: \`X-Content-Type-Options: nosniff\`, a sandboxing \`Content-Security-Policy\`, \`Strict-Transport-Security\` on https.

**Browsers.** A call that changes something with the cookie is refused when it comes from a page of a foreign origin. Calls with a key never get CORS headers, since keys do not belong in browsers. A cabinet on a listed origin gets CORS with credentials for all other calls.

**Versions.** Within \`/v1\` things are only added. A removal is announced six months ahead with the headers \`Deprecation\` and \`Sunset\`.`;

/** The groups of calls, in reading order. */
const tags = [
  { name: 'Optimize', description: 'For servers, with an API key.' },
  { name: 'Sign-in', description: 'By e-mail and one-time code; no password.' },
  { name: 'Account', description: 'Who is signed in, and the cabinet’s own uploads.' },
  { name: 'Keys', description: 'The API keys of whoever is signed in.' },
  { name: 'Statistics', description: 'What was done with the keys.' },
  { name: 'Payment', description: 'Files beyond the free ones, in packs.' },
  { name: 'Service', description: 'The service itself; no credentials needed.' },
];

/** How callers say who they are, for the OpenAPI document. */
const securitySchemes = {
  apiKey: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'imgo_…',
    description:
      'An API key, for servers: `Authorization: Bearer imgo_…`. Never in a query string, which is logged, and never in a browser.',
  },
  session: {
    type: 'apiKey' as const,
    in: 'cookie' as const,
    name: 'sid',
    description:
      'The session of the cabinet: an HttpOnly cookie for 30 days, set by `verifyCode`, ended by `signOut`.',
  },
  stripeSignature: {
    type: 'apiKey' as const,
    in: 'header' as const,
    name: 'Stripe-Signature',
    description: 'Stripe’s signature over the exact body, at most five minutes old.',
  },
};

const contract = defineRoute({
  method: 'get',
  path: '/v1/openapi.json',
  operationId: 'getOpenApi',
  tags: ['Service'],
  summary: 'Read this document',
  credential: 'none',
  responses: {
    200: jsonResponse('The API in OpenAPI 3.1.', z.looseObject({ openapi: z.literal('3.1.0') })),
  },
});

/** GET /v1/openapi.json, which describes `api`. */
export function openapi(api: OpenAPIHono<AppEnv>): OpenAPIHono<AppEnv> {
  const app = createRouter();
  let latest = { origin: '', text: '' };

  handleRaw(app, contract, (c) => {
    const origin = linkOrigin(c);
    if (latest.origin !== origin) {
      const document = apiDocument(api, c.var.config.serviceName);
      const servers = [{ url: origin, description: 'This service' }];
      latest = { origin, text: JSON.stringify({ ...document, servers }) };
    }
    return c.body(latest.text, 200, { 'Content-Type': 'application/json' });
  });
  return app;
}

type OpenApiDocument = ReturnType<OpenAPIHono<AppEnv>['getOpenAPI31Document']>;

const made = new WeakMap<OpenAPIHono<AppEnv>, OpenApiDocument>();

/**
 * OpenAPI 3.1 of all that `api` has registered, without its server. It takes
 * some milliseconds, so it is made when it is first asked for, and kept.
 * @param title of the service
 */
export function apiDocument(api: OpenAPIHono<AppEnv>, title: string): OpenApiDocument {
  const document = made.get(api) ?? describe(api, title);
  made.set(api, document);
  return document;
}

function describe(api: OpenAPIHono<AppEnv>, title: string): OpenApiDocument {
  const { components, ...document } = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title,
      description: introduction,
      version: '1.0.0',
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
    },
    tags,
  });
  const responses = {
    // Answers of paths: they belong to no operation.
    NotFound: pathResponse('not_found'),
    MethodNotAllowed: pathResponse('method_not_allowed'),
  };
  const text = JSON.stringify([document.paths, responses]);
  const examples = errorCodes
    .filter((code) => text.includes(`"${exampleReference(code)}"`))
    .map((code) => [code, problemExample(code)] as const);
  return {
    ...document,
    components: {
      ...components,
      headers: commonHeaders,
      responses,
      examples: Object.fromEntries(examples),
      securitySchemes,
    },
  };
}

function pathResponse(code: 'not_found' | 'method_not_allowed') {
  return {
    description: errorTable[code].when,
    headers: headersWith(code === 'method_not_allowed' ? ['Allow'] : []),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { type: 'object' as const, properties: { code: { const: code } } },
          ],
        },
        examples: { [code]: { $ref: exampleReference(code) } },
      },
    },
  };
}

function exampleReference(code: string): string {
  return `#/components/examples/${code}`;
}
