import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { errorTable } from '../../src/errors.ts';
import { outputTypes } from '../../src/image/formats/facts.ts';
import {
  type OpenApiDocument,
  ResponseChecker,
  withoutReferences,
} from '../support/openapi-checker.ts';
import { lintOpenApi } from '../support/openapi-lint.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

let service: TestService;
let text: string;
let document: OpenApiDocument;
beforeAll(async () => {
  service = await sharedTestService();
  text = await (await service.fetch('/v1/openapi.json')).text();
  document = withoutReferences(JSON.parse(text));
});
afterAll(() => service.close());

interface Option {
  readonly name: string;
  readonly description: string;
  readonly schema: Record<string, unknown>;
}

interface Described {
  readonly operationId: string;
  readonly tags: string[];
  readonly security: object[];
  readonly parameters: Option[];
  readonly requestBody: {
    content: Record<string, { schema: { properties: Record<string, object> } }>;
  };
}

function described(path: string, method: string): Described {
  return document.paths[path]?.[method] as unknown as Described;
}

describe('the OpenAPI document', () => {
  it('has nothing that Redocly’s recommended rules object to', async () => {
    expect(await lintOpenApi(text)).toEqual([]);
  });

  it('says which service, which version and which licence it is about', () => {
    expect(JSON.parse(text)).toMatchObject({
      openapi: '3.1.0',
      info: {
        title: 'Fewer Bytes',
        version: '1.0.0',
        license: { name: 'MIT' },
      },
      servers: [{ url: service.url.origin }],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'cookie', name: 'sid' },
        },
      },
    });
  });

  it('names the origin that it was asked at', async () => {
    const { port } = service.url;
    const origins = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
    for (const origin of [...origins, ...origins]) {
      const response = await fetch(`${origin}/v1/openapi.json`);
      expect(await response.json()).toMatchObject({ servers: [{ url: origin }] });
    }
  });

  it('has every call', () => {
    const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(calls.sort()).toEqual([
      'DELETE /v1/me',
      'DELETE /v1/sites/{id}',
      'GET /i/{slug}/{options}/{path}',
      'GET /v1/health',
      'GET /v1/keys',
      'GET /v1/keys/{id}/requests',
      'GET /v1/me',
      'GET /v1/openapi.json',
      'GET /v1/payments',
      'GET /v1/payments/packs',
      'GET /v1/quota',
      'GET /v1/sites',
      'GET /v1/statistics',
      'PATCH /v1/keys/{id}',
      'PATCH /v1/me',
      'PATCH /v1/sites/{id}',
      'POST /v1/auth/logout',
      'POST /v1/auth/request-code',
      'POST /v1/auth/verify-code',
      'POST /v1/keys',
      'POST /v1/keys/{id}/reissue',
      'POST /v1/keys/{id}/revoke',
      'POST /v1/optimize',
      'POST /v1/payments/checkout',
      'POST /v1/payments/webhook',
      'POST /v1/sets',
      'POST /v1/sites',
      'POST /v1/sites/{id}/check',
      'POST /v1/sites/{id}/purge',
      'POST /v1/sites/{id}/rotate-secret',
    ]);
  });

  it('has exactly the methods that each path has', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const response = await service.fetch(path.replace('{id}', 'key_0'), { method: 'OPTIONS' });
      const allowed = response.headers.get('Allow')?.split(', ');
      const documented = Object.keys(methods).map((method) => method.toUpperCase());
      const implied = documented.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
      expect(allowed?.sort(), path).toEqual([...documented, ...implied].sort());
    }
  });

  it('groups every call under a tag that it explains', () => {
    const { tags } = JSON.parse(text) as { tags: { name: string; description: string }[] };
    const used = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).flatMap((method) => described(path, method).tags),
    );
    expect([...new Set(used)].sort()).toEqual(tags.map(({ name }) => name).sort());
    for (const { name, description } of tags) expect(description, name).toMatch(/\S.*\.$/);
  });

  it('explains every error, each with an example where it can happen', () => {
    const { components } = JSON.parse(text) as {
      components: {
        schemas: { Problem: { properties: { code: { 'x-enumDescriptions': object } } } };
        examples: Record<string, { value: { code: string; status: number } }>;
      };
    };
    const { code } = components.schemas.Problem.properties;
    expect(Object.keys(code['x-enumDescriptions'])).toEqual(Object.keys(errorTable));
    expect(Object.keys(components.examples).sort()).toEqual(Object.keys(errorTable).sort());
    for (const [name, { value }] of Object.entries(components.examples)) {
      const { status } = errorTable[name as keyof typeof errorTable];
      expect(value).toMatchObject({ code: name, status });
    }
  });
});

describe('what answers are made of, as the document has it', () => {
  const answer = (path: string, method: string, status: number) =>
    document.paths[path]?.[method]?.responses[status]?.content ?? {};

  it('has examples of errors that each kind of call really sends', () => {
    const example = (path: string, status: number, code: string) => {
      const { examples } = answer(path, 'post', status)['application/problem+json'] as unknown as {
        examples: Record<string, { value: Record<string, unknown> }>;
      };
      return examples[code]?.value;
    };
    for (const path of ['/v1/keys', '/v1/auth/request-code', '/v1/payments/checkout']) {
      expect(example(path, 413, 'body_too_large')).toMatchObject({ limit_bytes: 65_536 });
      expect(example(path, 415, 'unsupported_media_type')).toMatchObject({
        supported: ['application/json'],
      });
    }
    const path = '/v1/optimize';
    expect(example(path, 413, 'body_too_large')).toMatchObject({ limit_bytes: 33_554_432 });
    expect(example(path, 415, 'unsupported_media_type')).toMatchObject({
      supported: ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif'],
    });
    expect(example(path, 400, 'invalid_request')).toMatchObject({
      detail: 'Send the bytes of one image as the body.',
    });
    expect(example('/v1/payments/webhook', 413, 'body_too_large')).toMatchObject({
      limit_bytes: 1_048_576,
    });
  });

  it('holds errors, times, ids and figures to their form', async () => {
    const checker = new ResponseChecker(JSON.parse(text));
    const headers = { 'Request-Id': 'a', 'Cache-Control': 'no-store' };
    const verdict = (path: string, body: object, method = 'GET') =>
      checker.check(method, path, Response.json(body, { headers })).then(
        () => 'as documented',
        (error: Error) => error.message,
      );
    const payment = {
      id: 'pay_0123456789abcdef0123456789abcdef',
      created_at: '2026-11-20T16:31:00.000Z',
      pack: 'small',
      files: 1000,
      amount: 500,
      currency: 'usd',
      status: 'paid',
      receipt_url: 'https://pay.stripe.com/receipts/1',
    };
    const paid = (changes: object) =>
      verdict('/v1/payments', { items: [{ ...payment, ...changes }] });
    expect(await paid({})).toBe('as documented');
    for (const wrong of [
      { created_at: '2026-11-20T16:31:00Z' },
      { created_at: '2026-11-20T16:31:00.000+01:00' },
      { id: 'key_0123456789abcdef0123456789abcdef' },
      { id: '' },
      { files: -1 },
      { amount: 0 },
      { currency: 'USD' },
      { user_id: 'usr_0123456789abcdef0123456789abcdef' },
    ])
      expect(await paid(wrong), JSON.stringify(wrong)).toContain('against the OpenAPI document');
    const checkout = (url: string) => verdict('/v1/payments/checkout', { url }, 'POST');
    expect(await checkout('https://checkout.stripe.com/c/pay/cs_1')).toBe('as documented');
    expect(await checkout('javascript:alert(1)')).toContain('must match pattern');
  });

  it('says which members an error of each code always has', () => {
    const parts = (path: string, status: number) => {
      const { schema } = answer(path, 'post', status)['application/problem+json'] ?? {};
      const [, narrowed] = (schema as { allOf: [unknown, object] }).allOf;
      return narrowed;
    };
    expect(parts('/v1/optimize', 402)).toMatchObject({
      anyOf: [
        { required: ['code', 'free_resets_at'] },
        { required: ['code', 'limit', 'resets_at'] },
      ],
    });
    expect(parts('/v1/keys', 415)).toMatchObject({ required: ['code', 'supported'] });
    expect(parts('/v1/optimize', 413)).toMatchObject({
      anyOf: [
        { required: ['code', 'limit_bytes'] },
        { required: ['code', 'width', 'height', 'limit_pixels'] },
      ],
    });
    expect(parts('/v1/optimize', 422)).toMatchObject({
      anyOf: expect.arrayContaining([
        expect.objectContaining({ required: ['code', 'smallest_bytes'] }),
      ]),
    });
  });
});

describe('the options of keys, as the document has them', () => {
  it('may be null where that takes them away, and have their bounds', () => {
    for (const [path, method] of [
      ['/v1/keys', 'post'],
      ['/v1/keys/{id}', 'patch'],
    ] as const) {
      const schema = described(path, method).requestBody?.content['application/json']?.schema;
      const { properties } = schema as { properties: Record<string, { type: unknown }> };
      expect(properties.expires_at?.type).toEqual(['string', 'null']);
      expect(properties.monthly_limit?.type).toEqual(['integer', 'null']);
    }
    const { parameters } = described('/v1/keys', 'get');
    expect(parameters).toMatchObject([
      { name: 'days', schema: { type: 'integer', minimum: 1, maximum: 90 } },
    ]);
  });
});

describe('the options of optimize, as the document has them', () => {
  it('have the types, ranges and defaults that can be sent', () => {
    const { parameters, security } = described('/v1/optimize', 'post');
    expect(security).toEqual([{ apiKey: [] }]);
    expect(parameters.map(({ name }) => name)).toEqual([
      'format',
      'quality',
      'target',
      'max_bytes',
      'width',
      'height',
      'fit',
      'position',
      'placeholder',
      'metadata',
      'animation',
      'hdr',
      'background',
    ]);
    for (const { name, description } of parameters) expect(description, name).toMatch(/\S.*\.$/);
    const schemas = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    expect(schemas).toMatchObject({
      format: { enum: ['keep', 'auto', ...outputTypes], default: 'keep' },
      quality: {
        anyOf: [
          { type: 'string', enum: ['auto', 'lossless'] },
          { type: 'integer', minimum: 1, maximum: 100 },
        ],
        default: 'auto',
      },
      target: {
        anyOf: [
          { type: 'string', enum: ['low', 'medium', 'high'] },
          { type: 'integer', minimum: 30, maximum: 95 },
        ],
      },
      max_bytes: { type: 'integer', minimum: 1000 },
      width: { type: 'integer', minimum: 1, maximum: 16_384 },
      height: { type: 'integer', minimum: 1, maximum: 16_384 },
      fit: { enum: ['inside', 'outside', 'cover', 'contain', 'fill'], default: 'inside' },
      placeholder: { enum: ['none', 'thumbhash'], default: 'none' },
      metadata: { enum: ['none', 'copyright', 'all'], default: 'none' },
      animation: { enum: ['keep', 'first'], default: 'keep' },
      hdr: { enum: ['keep', 'drop'], default: 'keep' },
      background: { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' },
    });
  });

  it('are the same in the query, in a form and in JSON', () => {
    const { parameters, requestBody } = described('/v1/optimize', 'post');
    const options = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    const { file, ...fields } = requestBody.content['multipart/form-data']?.schema.properties ?? {};
    const { url, ...members } = requestBody.content['application/json']?.schema.properties ?? {};
    expect(fields).toEqual(options);
    expect(members).toEqual(options);
    expect(file).toMatchObject({ contentMediaType: 'application/octet-stream' });
    expect(url).toMatchObject({ type: 'string', format: 'uri' });
  });
});

it('is what every answer to a test is checked against', async () => {
  const check = vi.spyOn(ResponseChecker.prototype, 'check');
  await service.optimize('no picture');
  await service.client().get('/v1/me');
  await service.fetch('/v1/nothing');
  await service.fetch('/nothing');
  expect(check.mock.calls.map(([method, path, { status }]) => [method, path, status])).toEqual([
    ['POST', '/v1/optimize', 415],
    ['GET', '/v1/me', 401],
    ['GET', '/v1/nothing', 404],
  ]);
  check.mockRestore();
});
