import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorTable } from '../../../src/errors.ts';
import {
  headerRelations,
  problemRelations,
  ResponseChecker,
} from '../../support/openapi-checker.ts';

const requestId = { required: true, schema: { type: 'string' } };
const problem = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    request_id: { type: 'string' },
    errors: { type: 'array' },
    limit_bytes: { type: 'integer' },
    supported: { type: 'array' },
  },
  required: ['code'],
};

/** A valid error body with the given changes. */
function problemOf(code: ErrorCode, changes: Record<string, unknown> = {}) {
  const type = `https://img.example/docs/errors#${code}`;
  const { status, title } = errorTable[code];
  return { type, title, status, detail: 'Send less.', code, request_id: 'a', ...changes };
}

/** A response with an error of this code, in the service's own description. */
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

/** The checker's findings for a response that is valid except for the given changes. */
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
    [
      'an error',
      { status: 413, type: problemType, body: problemOf('body_too_large', { limit_bytes: 1 }) },
    ],
    [
      'one about a path that does not exist',
      { path: '/v1/no', status: 404, type: problemType, body: problemOf('not_found') },
    ],
    [
      'one about a method that the path does not have',
      { method: 'POST', status: 405, type: problemType, body: problemOf('method_not_allowed') },
    ],
    [
      'one of a gate before the paths',
      { path: '/v1/no', status: 400, type: problemType, body: problemOf('key_in_query') },
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
      { status: 413, type: problemType, body: problemOf('invalid_image') },
      '/code must be equal to constant',
    ],
    [
      'an extra member of an error',
      {
        status: 413,
        type: problemType,
        body: problemOf('body_too_large', { limit_bytes: 1, sql: 'SELECT' }),
      },
      'must NOT have unevaluated properties',
    ],
    ['OPTIONS without methods', { method: 'OPTIONS', status: 204 }, 'header Allow is missing'],
  ];
  it.each(fakes)('fails: %s', async (_, fake, complaint) => {
    expect(await verdict(fake)).toMatch(new RegExp(complaint, 's'));
  });
});

describe('an error that does not fit itself or its response', () => {
  const fakes: [string, Record<string, unknown>, string][] = [
    ['its status', { status: 400 }, 'status 400 of body_too_large in 413'],
    ['its request id', { request_id: 'b' }, 'request_id is not the header'],
    ['its type', { type: 'https://img.example/docs/errors#not_found' }, 'type .*#not_found'],
    ['its title', { title: 'Too much' }, 'title Too much'],
    ['a missing member', { limit_bytes: undefined }, 'limit_bytes is missing'],
    ['a member of another code', { supported: [] }, 'supported of another code'],
  ];
  it.each(fakes)('fails: %s', async (_, changes, complaint) => {
    const body = problemOf('body_too_large', { limit_bytes: 1, ...changes });
    const sent = JSON.parse(JSON.stringify(body));
    const said = await verdict({ status: 413, type: problemType, body: sent });
    expect(said).toMatch(new RegExp(complaint));
  });

  it('fails: a complaint about fields that names none', () => {
    const response = new Response(null, { status: 400, headers: { 'Request-Id': 'a' } });
    const complaint = (detail: string, changes = {}) =>
      problemRelations(problemOf('invalid_request', { detail, ...changes }), response);
    expect(complaint('"name": should not be empty.')).toEqual([
      'a complaint about fields without errors',
    ]);
    expect(complaint('"name": should not be empty.', { errors: [] })).toEqual([]);
    expect(complaint('Send a body that is valid JSON in UTF-8.')).toEqual([]);
  });
});

describe('headers that do not fit each other', () => {
  const picture = {
    'Image-Optimized': 'true',
    'Image-Output-Bytes': '5',
    'Content-Length': '5',
  };
  const complaints = (path: string, headers: Record<string, string>) =>
    headerRelations(path, new Response(null, { headers }));

  it('are told from those that do', () => {
    expect(complaints('/v1/optimize', picture)).toEqual([]);
    const original = { ...picture, 'Image-Optimized': 'false', 'Image-Reason': 'animated' };
    expect(complaints('/v1/optimize', original)).toEqual([]);
    const open = { 'Access-Control-Allow-Origin': 'https://cabinet.example' };
    expect(complaints('/v1/me', open)).toEqual([]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['/v1/optimize', { ...picture, 'Image-Reason': 'animated' }, 'true with Image-Reason'],
    ['/v1/optimize', { ...picture, 'Image-Optimized': 'false' }, 'false without Image-Reason'],
    ['/v1/optimize', { ...picture, 'Content-Length': '6' }, 'is not Content-Length'],
    ['/v1/optimize', { 'Access-Control-Allow-Origin': '*' }, 'on a route for programs'],
    ['/v1/quota', { 'Access-Control-Expose-Headers': 'x' }, 'on a route for programs'],
  ])('%s %j', (path, headers, complaint) => {
    expect(complaints(path, headers)).toEqual([expect.stringContaining(complaint)]);
  });
});
