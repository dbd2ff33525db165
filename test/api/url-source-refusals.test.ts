import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem, type Problem } from '../support/answers.ts';
import { startTestService, type TestService } from '../support/service.ts';

const json = { 'Content-Type': 'application/json' };
const image = 'https://images.example/a.jpg';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ PUBLIC_ORIGIN: 'http://img.example' });
});
afterAll(async () => {
  const logged = service.logs();
  await service.close();
  expect(logged).not.toContain('hidden');
});

function send(body: string | object, query = ''): Promise<Response> {
  return service.optimize(typeof body === 'string' ? body : JSON.stringify(body), query, json);
}

/** The error for a body that must not cause a request elsewhere. */
async function refusal(
  body: string | object,
  code: Parameters<typeof expectProblem>[1],
  query?: string,
): Promise<Problem> {
  const problem = await expectProblem(await send(body, query), code);
  expect(JSON.stringify(problem)).not.toContain('hidden');
  return problem;
}

describe('an image URL', () => {
  it.each([
    ['http', 'http://images.example/a.jpg?hidden', 'does not begin with https://'],
    ['ftp', 'ftp://images.example/hidden', 'does not begin with https://'],
    ['a file', 'file:///hidden', 'does not begin with https://'],
    ['data', 'data:image/png;base64,hidden', 'does not begin with https://'],
    ['credentials', 'https://user:hidden@images.example/', 'a user name or a password'],
    ['another port', 'https://images.example:8443/hidden', 'a port other than 443 and 80'],
    ['loopback', 'https://127.0.0.1/hidden', 'an address'],
    ['loopback as a number', 'https://2130706433/hidden', 'an address'],
    ['loopback in hexadecimal', 'https://0x7f000001/hidden', 'an address'],
    ['loopback in octal', 'https://017700000001/hidden', 'an address'],
    ['loopback in short', 'https://127.1/hidden', 'an address'],
    ['loopback in IPv6', 'https://[::1]/hidden', 'an address'],
    ['loopback mapped into IPv6', 'https://[::ffff:127.0.0.1]/hidden', 'an address'],
    ['loopback behind NAT64', 'https://[64:ff9b::7f00:1]/hidden', 'an address'],
    ['loopback behind 6to4', 'https://[2002:7f00:1::]/hidden', 'an address'],
    ['a link-local address', 'https://[fe80::1]/hidden', 'an address'],
    ['a unique local address', 'https://[fc00::1]/hidden', 'an address'],
    ['the metadata service', 'https://169.254.169.254/hidden', 'an address'],
    ['no address', 'https://0.0.0.0/hidden', 'an address'],
    ['10/8', 'https://10.1.2.3/hidden', 'an address'],
    ['172.16/12', 'https://172.20.0.1/hidden', 'an address'],
    ['192.168/16', 'https://192.168.0.1/hidden', 'an address'],
    ['100.64/10', 'https://100.100.0.1/hidden', 'an address'],
    ['localhost', 'https://localhost./hidden', 'a private network'],
    ['.local', 'https://nas.local/hidden', 'a private network'],
    ['no dot', 'https://vm/hidden', 'a private network'],
    ['.svc', 'https://api.default.svc/hidden', 'a private network'],
    ['.lan', 'https://nas.lan/hidden', 'a private network'],
    ['.internal', 'https://metadata.google.internal/hidden', 'a private network'],
    ['its links’ host', 'https://img.example/hidden', 'this service itself'],
  ])('with %s is refused', async (_what, url, why) => {
    const { detail } = await refusal({ url }, 'source_not_allowed');
    expect(detail).toMatch(/^Use a different image URL: this one /);
    expect(detail).toContain(why);
  });

  it.each([
    ['is missing', { format: 'webp' }],
    ['is empty', { url: '' }],
    ['is relative', { url: '/hidden.jpg' }],
    ['is a number', { url: 1 }],
    ['is null', { url: null }],
    ['is a list', { url: [image] }],
    ['is given twice', `{"url":"${image}","url":"${image}"}`],
  ])('that %s is no URL', async (_what, body) => {
    const { errors } = await refusal(body, 'invalid_request');
    expect(errors).toEqual([{ path: 'url', message: expect.stringMatching(/./) }]);
  });
});

describe('a JSON body', () => {
  it.each([
    ['is empty', ''],
    ['breaks off', '{"url":"hidden'],
    ['has comments', `{"url":"${image}" /* hidden */}`],
    ['is an array', `["${image}"]`],
    ['is a string', `"${image}"`],
    ['is null', 'null'],
    ['is nested deeply', '['.repeat(60_000)],
  ])('that %s is refused', async (_what, body) => {
    await refusal(body, 'invalid_request');
  });

  it('of more than 64 KiB is refused', async () => {
    const problem = await refusal({ url: image, x: 'y'.repeat(64 * 1024) }, 'body_too_large');
    expect(problem.limit_bytes).toBe(64 * 1024);
  });
});

describe('options beside a URL', () => {
  // Refused addresses, so that a mistake here fetches nothing.
  const url = 'https://10.0.0.1/hidden';

  it.each([
    ['an unknown name', { size: 1 }, 'size'],
    ['a name of JavaScript', '"__proto__":1', '__proto__'],
    ['quality 80.5', { quality: 80.5 }, 'quality'],
    ['quality 101', { quality: 101 }, 'quality'],
    ['a quality that is true', { quality: true }, 'quality'],
    ['a width that is null', { width: null }, 'width'],
    ['a format that is a list', { format: ['webp'] }, 'format'],
    ['a format that is a number', { format: 1 }, 'format'],
    ['one given twice', '"format":"webp","format":"avif"', 'format'],
    ['one given twice, spelt differently', '"format":"webp","\\u0066ormat":"avif"', 'format'],
  ])('are judged before it: %s', async (_what, options, path) => {
    const body = typeof options === 'string' ? `{"url":"${url}",${options}}` : { url, ...options };
    const { errors } = await refusal(body, 'invalid_options');
    expect(errors).toEqual([{ path, message: expect.stringMatching(/./) }]);
  });

  it('do not stand in the query', async () => {
    await refusal({ url }, 'invalid_options', '?format=webp');
  });
});

it('OpenAPI shows how to send a URL, and how that may fail', async () => {
  const document = (await (await service.fetch('/v1/openapi.json')).json()) as {
    paths: Record<string, { post: { requestBody: { content: object }; responses: object } }>;
  };
  const { requestBody, responses } = document.paths['/v1/optimize']?.post ?? {};
  expect(requestBody?.content).toMatchObject({
    'application/json': {
      schema: {
        properties: { url: { type: 'string', format: 'uri' }, width: { type: 'integer' } },
        required: ['url'],
        additionalProperties: false,
      },
    },
  });
  expect(JSON.stringify(responses)).toContain('source_fetch_failed');
});
