import { describe, expect, it } from 'vitest';
import { ResponseChecker } from '../../support/openapi-checker.ts';

const requestId = { required: true, schema: { type: 'string' } };
const problem = {
  type: 'object',
  properties: { code: { type: 'string' }, limit: { type: 'integer' } },
  required: ['code'],
};

/** An answer with an error of this code, as the service describes its own. */
function refusal(code: string) {
  const narrowed = { type: 'object', properties: { code: { const: code } } };
  const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }, narrowed] };
  return {
    headers: { 'Request-Id': { $ref: '#/components/headers/Request-Id' } },
    content: { 'application/problem+json': { schema } },
  };
}

const checker = new ResponseChecker({
  paths: {
    '/v1/things/{id}': {
      get: {
        responses: {
          200: {
            headers: {
              'Request-Id': { $ref: '#/components/headers/Request-Id' },
              'Image-Width': { required: false, schema: { type: 'integer', minimum: 1 } },
            },
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    items: {
                      type: 'array',
                      items: { type: 'object', properties: { at: { format: 'date-time' } } },
                    },
                  },
                  required: ['items'],
                },
              },
              'image/png': { schema: {} },
            },
          },
          413: refusal('body_too_large'),
        },
      },
    },
  },
  components: {
    schemas: { Problem: problem },
    headers: { 'Request-Id': requestId },
    responses: {
      NotFound: refusal('not_found'),
      MethodNotAllowed: refusal('method_not_allowed'),
    },
  },
});

interface Fake {
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** What the checker says of an answer, which is right but for what is given. */
async function verdict({
  method = 'GET',
  path = '/v1/things/one',
  status = 200,
  type = 'application/json',
  headers = { 'Request-Id': 'a' },
  body = { items: [] },
}: Fake): Promise<string> {
  const response = new Response(status === 204 ? null : JSON.stringify(body), {
    status,
    headers: { ...(status !== 204 && { 'Content-Type': type }), ...headers },
  });
  try {
    await checker.check(method, path, response);
  } catch (error) {
    return String(error);
  }
  if (status !== 204) expect(await response.json()).toEqual(body);
  return 'as documented';
}

const problemType = 'application/problem+json';

describe('a response that is documented', () => {
  const fakes: [string, Fake][] = [
    ['a plain one', {}],
    ['one with an optional header', { headers: { 'Request-Id': 'a', 'Image-Width': '12' } }],
    ['one with headers that every answer has', { headers: { 'Request-Id': 'a', Vary: 'Origin' } }],
    ['one with a charset', { type: 'application/json; charset=utf-8' }],
    ['one whose content is not JSON', { type: 'image/png' }],
    ['one to HEAD', { method: 'HEAD' }],
    ['an error', { status: 413, type: problemType, body: { code: 'body_too_large', limit: 1 } }],
    [
      'one about a path that does not exist',
      { path: '/v1/no', status: 404, type: problemType, body: { code: 'not_found' } },
    ],
    [
      'one about a method that the path does not have',
      { method: 'POST', status: 405, type: problemType, body: { code: 'method_not_allowed' } },
    ],
    [
      'one of a gate before the paths',
      { path: '/v1/no', status: 400, type: problemType, body: { code: 'key_in_query' } },
    ],
    ['the methods of a path', { method: 'OPTIONS', status: 204, headers: { Allow: 'GET' } }],
  ];
  it.each(fakes)('passes: %s', async (_, fake) => {
    expect(await verdict(fake)).toBe('as documented');
  });
});

describe('a response that is not documented', () => {
  const fakes: [string, Fake, string][] = [
    ['the status', { status: 201 }, 'answered 201, .*status is not documented for GET /v1/things/'],
    ['the method', { method: 'POST' }, 'status is not documented for POST'],
    ['the path', { path: '/v1/things' }, 'status is not documented for GET /v1/things'],
    ['a missing header', { headers: {} }, 'header Request-Id is missing'],
    [
      'an unknown header',
      { headers: { 'Request-Id': 'a', 'Image-Depth': '8' } },
      'header image-depth is not documented',
    ],
    [
      'the value of a header',
      { headers: { 'Request-Id': 'a', 'Image-Width': 'wide' } },
      'header Image-Width: "wide" .*must be integer',
    ],
    ['the content type', { type: 'text/plain' }, 'content type text/plain is not documented'],
    ['a missing member', { body: {} }, 'body .*required property .*items'],
    ['an extra member', { body: { items: [], more: 1 } }, 'must NOT have unevaluated properties'],
    ['an extra member within', { body: { items: [{ more: 1 }] } }, '/items/0 must NOT have uneval'],
    ['a malformed value', { body: { items: [{ at: 'noon' }] } }, 'must match format "date-time"'],
    [
      'the code of an error',
      { status: 413, type: problemType, body: { code: 'invalid_image' } },
      '/code must be equal to constant',
    ],
    [
      'an extra member of an error',
      { status: 413, type: problemType, body: { code: 'body_too_large', sql: 'SELECT' } },
      'must NOT have unevaluated properties',
    ],
    ['OPTIONS without methods', { method: 'OPTIONS', status: 204 }, 'header Allow is missing'],
  ];
  it.each(fakes)('fails: %s', async (_, fake, complaint) => {
    expect(await verdict(fake)).toMatch(new RegExp(complaint, 's'));
  });
});
