import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { errorCodes, errorTable } from '../errors.ts';
import { type AppEnv, linkOrigin } from './http/context.ts';
import { createRouter, defineRoute, handleRaw } from './http/contract.ts';
import { commonHeaders, headersWith, jsonResponse } from './http/openapi-parts.ts';
import { problemExample } from './http/problems.ts';

/** General information about all calls, for the OpenAPI document (CommonMark). */
const introduction = `Send an image and get a smaller one back in the same call. Servers call \`POST /v1/optimize\` with an API key. People sign in to the dashboard with their email address and a one-time code, and create keys there.

**Bodies** are JSON in UTF-8 unless stated otherwise, with \`Content-Type: application/json\` and at most 64 KiB. Unknown fields are ignored; unknown image options are rejected.

**Values.** IDs are opaque strings; their prefix shows the type. Timestamps are ISO 8601 in UTC with milliseconds. Days are \`YYYY-MM-DD\` in UTC.

**Errors** are \`application/problem+json\` (RFC 9457). Rely on \`code\`, which is stable. \`detail\` is one sentence that says what to do; \`type\` links to the code’s entry on the error page. An unknown path returns 404 \`not_found\`. A method that the path does not support returns 405 \`method_not_allowed\` with \`Allow\`.

**Methods.** \`HEAD\` returns what \`GET\` does, without the body. \`OPTIONS\` lists the path’s methods in \`Allow\`.

**Every response** has a \`Request-Id\`, and headers that stop browsers from executing it: \`X-Content-Type-Options: nosniff\`, a \`Content-Security-Policy\` with \`sandbox\`, and \`Strict-Transport-Security\` on https.

**Browsers.** A call that changes something with the session cookie is refused if it comes from a page on another origin. Calls with an API key never get CORS headers, because keys do not belong in browsers. For all other calls, a dashboard on an origin that the operator has listed gets CORS with credentials.

**Versions.** Changes within \`/v1\` only add to it. Removals are announced six months ahead with the \`Deprecation\` and \`Sunset\` headers.`;

/** The groups of calls, in reading order. */
const tags = [
  { name: 'Optimize', description: 'Make images smaller from your server, with an API key.' },
  {
    name: 'Sign-in',
    description: 'Sign in with an email address and a one-time code. There are no passwords.',
  },
  { name: 'Account', description: 'The signed-in user.' },
  { name: 'Keys', description: 'The API keys of the signed-in user.' },
  {
    name: 'Sites',
    description:
      'The sites of the signed-in user: where their images are, and how they are answered by URL.',
  },
  { name: 'Images by URL', description: 'Images of sites, for pages. No credentials needed.' },
  { name: 'Statistics', description: 'Files and bytes, by day, and by key or site.' },
  { name: 'Payment', description: 'Packs of files, for when the free ones are not enough.' },
  { name: 'Service', description: 'The service itself. No credentials needed.' },
];

/** How callers authenticate, for the OpenAPI document. */
const securitySchemes = {
  apiKey: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'fewer_…',
    description:
      'An API key, for servers: `Authorization: Bearer fewer_…`. Never put it in a query string, where it may be logged, or in a browser.',
  },
  session: {
    type: 'apiKey' as const,
    in: 'cookie' as const,
    name: 'sid',
    description:
      'The dashboard’s session: an HttpOnly cookie that lasts 30 days, set by `verifyCode` and ended by `signOut`.',
  },
  stripeSignature: {
    type: 'apiKey' as const,
    in: 'header' as const,
    name: 'Stripe-Signature',
    description: 'Stripe’s signature of the exact body, at most five minutes old.',
  },
};

const contract = defineRoute({
  method: 'get',
  path: '/v1/openapi.json',
  operationId: 'getOpenApi',
  tags: ['Service'],
  summary: 'Get this document',
  credential: 'none',
  responses: {
    200: jsonResponse(
      'This API as an OpenAPI 3.1 document.',
      z.looseObject({ openapi: z.literal('3.1.0') }),
    ),
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

const documents = new WeakMap<OpenAPIHono<AppEnv>, OpenApiDocument>();

/**
 * The OpenAPI 3.1 document of all routes registered in `api`, without its server. Creating it takes some milliseconds,
 * so it is created on first use and cached.
 * @param title name of the service
 */
export function apiDocument(api: OpenAPIHono<AppEnv>, title: string): OpenApiDocument {
  const document = documents.get(api) ?? describe(api, title);
  documents.set(api, document);
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
    // Responses for paths, which belong to no operation.
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
