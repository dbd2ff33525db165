import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publicFetch } from '../../../src/node/public-fetch.ts';
import { isPublicAddress, type SourceRules } from '../../../src/policy/source-url.ts';
import { fetchSource } from '../../../src/routes/optimize/remote/fetch-image.ts';
import { LocalServer } from '../../support/local-server.ts';
import { NameServer } from '../../support/name-server.ts';

/** Stands for a service in the private network. */
class PrivateServer extends LocalServer {
  requests = 0;
  protected serve({ url }: IncomingMessage, response: ServerResponse): void {
    this.requests += 1;
    if (url === '/moved') response.writeHead(302, { Location: 'http://rebound.example/a.jpg' });
    if (url === '/packed') response.writeHead(200, { 'Content-Encoding': 'gzip' });
    response.end(url === '/packed' ? gzipSync('private') : 'private');
  }
}

const server = new PrivateServer();
const names = new NameServer();
let nameServer = '';
let port = '';

beforeAll(async () => {
  nameServer = await names.start();
  await server.start();
  port = new URL(server.origin).port;
});

afterAll(async () => {
  names.stop();
  await server.stop();
});

beforeEach(() => {
  server.requests = 0;
  names.asked.length = 0;
  names.answers.clear();
});

/** The rules, but for ports: the test cannot listen at 80, and asks for its own port behind the check of the URL. */
function rulesFor(...privateSources: string[]): SourceRules {
  const sources = new Set(privateSources);
  const checked = publicFetch(sources, [nameServer]);
  return {
    allowHttp: true,
    privateSources: sources,
    ownHosts: new Set(),
    fetch: (url, init) => {
      const there = new URL(url);
      if (there.port === '') there.port = port;
      return checked(there, init);
    },
  };
}

async function outcome(url: string, rules = rulesFor()): Promise<string> {
  try {
    return await (await fetchSource(url, rules, AbortSignal.timeout(10_000))).text();
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('a name is not fetched that resolves to', () => {
  it.each([
    ['this machine', [{ a: '127.0.0.1' }]],
    ['a private network', [{ a: '10.1.2.3' }]],
    ['a link-local address', [{ a: '169.254.169.254' }]],
    ['no address at all', [{ a: '0.0.0.0' }]],
    ['a public and a private address', [{ a: '25.0.0.1' }, { a: '127.0.0.1' }]],
    ['this machine in IPv6', [{ aaaa: '::1' }]],
    ['an IPv4 address mapped into IPv6', [{ aaaa: '::ffff:127.0.0.1' }]],
    ['an IPv4 address behind a translator', [{ aaaa: '64:ff9b::7f00:1' }]],
    ['a unique local address', [{ aaaa: 'fd00::1' }]],
    ['a public address, and a private one in IPv6', [{ a: '25.0.0.1' }, { aaaa: '::1' }]],
    ['a name with a private address', [{ cname: 'inside.example' }, { a: '127.0.0.1' }]],
  ])('%s', async (_, records) => {
    names.answers.set('images.example', [records]);
    expect(await outcome('http://images.example/a.jpg')).toBe('source_fetch_failed');
    expect(names.asked).toContain('images.example A');
    expect(server.requests).toBe(0);
  });

  it('nothing', async () => {
    expect(await outcome('http://unknown.example/a.jpg')).toBe('source_fetch_failed');
  });
});

it('the connection goes to the address that was checked: the name is not resolved again', async () => {
  // The first is public, and nobody answers there; the second would reach the server.
  names.answers.set('rebound.example', [[{ a: '25.0.0.1' }], [{ a: '127.0.0.1' }]]);
  const signal = AbortSignal.timeout(500);
  const fetched = fetchSource('http://rebound.example/a.jpg', rulesFor(), signal);
  await expect(fetched).rejects.toMatchObject({ code: 'source_fetch_failed' });
  expect(names.asked.filter((name) => name.endsWith(' A'))).toEqual(['rebound.example A']);
  expect(server.requests).toBe(0);
});

it('each request resolves and checks anew', async () => {
  names.answers.set('rebound.example', [[{ a: '127.0.0.1' }]]);
  const rules = rulesFor('start.example:80');
  expect(await outcome('http://rebound.example/a.jpg', rules)).toBe('source_fetch_failed');
  expect(await outcome('http://rebound.example/a.jpg', rules)).toBe('source_fetch_failed');
  expect(names.asked.filter((name) => name.endsWith(' A'))).toHaveLength(2);
});

it('a redirect to a name that resolves to a private address is not followed', async () => {
  names.answers.set('rebound.example', [[{ a: '127.0.0.1' }]]);
  const start = `127.0.0.1:${port}`;
  expect(await outcome(`http://${start}/moved`, rulesFor(start))).toBe('source_fetch_failed');
  expect(server.requests).toBe(1);
});

it('private sources are reached, and content codings are undone', async () => {
  const start = `127.0.0.1:${port}`;
  expect(await outcome(`http://${start}/packed`, rulesFor(start))).toBe('private');
  const local = `localhost:${port}`;
  expect(await outcome(`http://${local}/a.jpg`, rulesFor(local))).toBe('private');
  expect(names.asked).toEqual([]);
});

it.each([
  ['25.0.0.1', true],
  ['2606:2800:21f:cb07::1', true],
  ['192.168.1.1', false],
  ['100.64.0.1', false],
  ['::ffff:25.0.0.1', false],
  ['2002:7f00:1::', false],
  ['fe80::1', false],
  ['images.example', false],
])('whether %s is a public address: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});
