import { once } from 'node:events';
import { Agent, type IncomingMessage, request as startRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseProxies } from '../../../../src/node/http/client-address.ts';
import { type Answer, Listener } from '../../../../src/node/http/listener.ts';
import { FixedLengthStream } from '../../../../src/node/http/streams.ts';
import { rawRequest } from '../../../support/raw-request.ts';

const listeners: Listener[] = [];

afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.stop(0)));
});

interface Setup {
  readonly proxies?: string;
  readonly publicOrigin?: string;
}

async function serving(answer: Answer, { proxies = '', publicOrigin }: Setup = {}): Promise<URL> {
  const trusted = parseProxies(proxies) ?? [];
  const listener = new Listener(answer, { proxies: trusted, publicOrigin: publicOrigin ?? null });
  listeners.push(listener);
  return new URL(`http://127.0.0.1:${await listener.listen(0, '127.0.0.1')}`);
}

/** Answers with what it got. */
const told: Answer = async ({ url, method, headers }) =>
  Response.json({ url, method, headers: [...headers] });

const body = 'Content-Length: 5\r\n\r\nhello';

describe('a request', () => {
  it('keeps its path and query as they were sent', async () => {
    const origin = await serving(told);
    const path = '/i/a%2Fb//c%20d/%C3%A4?x=%26&y=a+b&z=%7E';
    const { text } = await rawRequest(origin, `GET ${path} HTTP/1.1\r\nHost: img.example\r\n\r\n`);
    expect(text).toContain(`"url":"http://img.example${path}"`);
  });

  it('may name its host in an absolute target, which goes before Host', async () => {
    const origin = await serving(told);
    const { text } = await rawRequest(
      origin,
      'GET http://img.example/a?b HTTP/1.1\r\nHost: other.example\r\n\r\n',
    );
    expect(text).toContain('"url":"http://img.example/a?b"');
  });

  it('of HTTP/1.0 needs no host, and its connection closes', async () => {
    const origin = await serving(told);
    const { status, text, head } = await rawRequest(origin, 'GET /a HTTP/1.0\r\n\r\n');
    expect(status).toBe(200);
    expect(text).toContain('"url":"http://localhost/a"');
    expect(head).toContain('Connection: close');
  });

  it.each([
    ['a host with a path', 'GET / HTTP/1.1\r\nHost: a.example/b\r\n\r\n'],
    ['a host with a user', 'GET / HTTP/1.1\r\nHost: a@b.example\r\n\r\n'],
    ['a host that is none', 'GET / HTTP/1.1\r\nHost: [::\r\n\r\n'],
    ['a port that is none', 'GET / HTTP/1.1\r\nHost: a.example:99999\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n'],
    ['another scheme', 'GET ftp://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n'],
    ['no path', 'OPTIONS * HTTP/1.1\r\nHost: a.example\r\n\r\n'],
    ['no request at all', 'hello\r\n\r\n'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
    ],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n${body}`,
    ],
    ['a header folded over lines', 'GET / HTTP/1.1\r\nHost: a.example\r\nA: b\r\n c\r\n\r\n'],
    ['a space before a colon', 'GET / HTTP/1.1\r\nHost : a.example\r\n\r\n'],
  ])('with %s is refused with 400', async (_, bytes) => {
    let calls = 0;
    const origin = await serving(async (request) => {
      calls += 1;
      return told(request, () => {});
    });
    const { status } = await rawRequest(origin, bytes);
    expect({ status, calls }).toEqual({ status: 400, calls: 0 });
  });

  it.each([
    ['longer headers', `A: ${'a'.repeat(40_000)}\r\n`],
    ['more headers', 'A: b\r\n'.repeat(300)],
  ])('with %s than any client sends is refused with 431', async (_, headers) => {
    const origin = await serving(told);
    const bytes = `GET / HTTP/1.1\r\nHost: a.example\r\n${headers}\r\n`;
    expect((await rawRequest(origin, bytes)).status).toBe(431);
  });

  it('with a method that Fetch forbids reaches the app under its name', async () => {
    const origin = await serving(told);
    const { text } = await rawRequest(origin, `TRACE / HTTP/1.1\r\nHost: a.example\r\n\r\n`);
    expect(text).toContain('"method":"TRACE"');
  });

  it('has the address of the client, and no header in the name of Cloudflare', async () => {
    const origin = await serving(told, { proxies: '127.0.0.0/8' });
    const { text } = await rawRequest(
      origin,
      'GET / HTTP/1.1\r\nHost: a.example\r\nCF-Connecting-IP: 6.6.6.6\r\nCF-Ray: x\r\n' +
        'X-Forwarded-For: 6.6.6.6, 2001:db8::7\r\nX-Forwarded-Proto: https\r\n\r\n',
    );
    expect(text).toContain('["cf-connecting-ip","2001:db8::7"]');
    expect(text).not.toContain('cf-ray');
    expect(text).toContain('"url":"https://a.example/"');
  });

  it('of a stranger says nothing about its scheme and address', async () => {
    const origin = await serving(told);
    const { text } = await rawRequest(
      origin,
      'GET / HTTP/1.1\r\nHost: a.example\r\nX-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: https\r\n\r\n',
    );
    expect(text).toContain('["cf-connecting-ip","127.0.0.1"]');
    expect(text).toContain('"url":"http://a.example/"');
  });

  it('is one to the public origin, whatever scheme and host a proxy names', async () => {
    const setup = { proxies: '127.0.0.1', publicOrigin: 'https://img.example' };
    const origin = await serving(told, setup);
    const { text } = await rawRequest(
      origin,
      'GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:8787\r\nX-Forwarded-Proto: http\r\n\r\n',
    );
    expect(text).toContain('"url":"https://img.example/a?b"');
  });
});

describe('the body of a request', () => {
  it('is read into buffers of the reader, as much as they hold', async () => {
    const sizes: number[] = [];
    const origin = await serving(async (request) => {
      const reader = request.body?.getReader({ mode: 'byob' });
      let text = '';
      for (let buffer = new ArrayBuffer(3); ; ) {
        const read = await reader?.read(new Uint8Array(buffer));
        if (!read?.value || read.done) return new Response(text);
        sizes.push(read.value.length);
        text += Buffer.from(read.value).toString();
        buffer = read.value.buffer as ArrayBuffer;
      }
    });
    const { text } = await rawRequest(origin, `POST / HTTP/1.1\r\nHost: a.example\r\n${body}`);
    expect(text).toMatch(/\r\n\r\nhello$/);
    expect(sizes).toEqual([3, 2]);
  });

  it('in chunks ends with the last one, and the next request follows', async () => {
    const origin = await serving(async (request) => new Response(await request.text()));
    const chunks = '5\r\nhello\r\n6\r\n again\r\n0\r\n\r\n';
    const one = `POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`;
    const { text } = await rawRequest(origin, one + one, { answers: 2 });
    expect(text.split('hello again')).toHaveLength(3);
  });

  it('is taken only as fast as it is read', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let received = 0;
    const origin = await serving(async (request) => {
      await released;
      for await (const chunk of request.body as ReadableStream<Uint8Array>) {
        received += chunk.length;
      }
      return new Response('ok');
    });
    const total = 64 * 1024 * 1024;
    const client = startRequest(origin.href, { method: 'POST' });
    let taken = 0;
    const step = Buffer.alloc(1024 * 1024);
    const write = () => {
      if (taken === total) client.end();
      else
        client.write(step, () => {
          taken += step.length;
          write();
        });
    };
    write();
    await pause(500);
    expect(taken).toBeLessThan(16 * 1024 * 1024);
    release();
    await once(client, 'response');
    expect(received).toBe(total);
  });

  it('of a client that goes fails as a lost connection, and the signal aborts', async () => {
    const seen = Promise.withResolvers<unknown>();
    const origin = await serving(async (request) => {
      const error = await request.text().catch((reason: unknown) => reason);
      await pause(20);
      seen.resolve({
        retryable: (error as { retryable?: boolean }).retryable,
        isAborted: request.signal.aborted,
      });
      return new Response('too late');
    });
    await rawRequest(origin, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhello', {
      hangUpAfter: 100,
    });
    expect(await seen.promise).toEqual({ retryable: true, isAborted: true });
  });

  it('that breaks the rules of chunks fails, and the connection closes', async () => {
    const seen = Promise.withResolvers<unknown>();
    const origin = await serving(async (request) => {
      seen.resolve(await request.text().catch((error: unknown) => error));
      return new Response('never');
    });
    const answer = await rawRequest(
      origin,
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    );
    expect(answer.status).toBe(400);
    expect(await seen.promise).toMatchObject({ retryable: true });
  });

  it('is asked for with 100, and an early answer is not lost though it is never read', async () => {
    const origin = await serving(async () => new Response('no', { status: 413 }));
    const expecting = `POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n${body}`;
    expect((await rawRequest(origin, expecting)).status).toBe(413);
    const long = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n';
    const answer = await rawRequest(origin, long + 'x'.repeat(3_000_000));
    expect(answer.status).toBe(413);
    expect(answer.head).toContain('Connection: close');
  });
});

it('what is no request is answered, and its connection closed although the client keeps its side open', async () => {
  const origin = await serving(told);
  const client = connect({ port: Number(origin.port), host: origin.hostname, allowHalfOpen: true });
  let text = '';
  client.on('data', (chunk) => {
    text += chunk;
  });
  client.on('error', () => {});
  client.write('no request\r\n\r\n');
  await once(client, 'end');
  expect(text).toContain('400 Bad Request');
  await pause(2300);
  // A connection that the server has closed is reset by what still arrives.
  client.write('x');
  await pause(100);
  client.write('y');
  await pause(500);
  expect(client.destroyed).toBe(true);
});

it('a connection answers several requests in order, any number after each other, and no flood at once', async () => {
  let served = 0;
  const origin = await serving(async ({ url }) => {
    served += 1;
    await pause(20);
    return new Response(new URL(url).pathname);
  });
  const requests = (count: number) =>
    Array.from({ length: count }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
  const { text } = await rawRequest(origin, requests(16), { answers: 16 });
  expect([...text.matchAll(/^\/(\d+)/gm)].map(([, n]) => Number(n))).toEqual([...Array(16).keys()]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = 0; i < 40; i += 1) {
    const response = await new Promise<IncomingMessage>((resolve) => {
      startRequest(origin.href, { agent }, resolve).end();
    });
    expect(response.statusCode).toBe(200);
    response.resume();
    await once(response, 'end');
  }
  agent.destroy();
  served = 0;
  const more = await rawRequest(origin, requests(40), { answers: 18 });
  const statuses = [...more.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual([...Array(16).fill('200'), '503']);
  expect(served).toBe(16);
  await rawRequest(origin, requests(100_000), { answers: 18 });
  expect(served).toBe(32);
});

it('a connection is kept idle for longer than Caddy keeps it, which is two minutes', async () => {
  const { headers } = await fetch(await serving(told));
  const [, seconds] = /^timeout=(\d+)$/.exec(headers.get('Keep-Alive') ?? '') ?? [];
  expect(Number(seconds)).toBeGreaterThan(120);
});

describe('a response', () => {
  it('that HTTP does not allow closes the connection', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    const origin = await serving(async () => new Response(null, { headers: { A: '\x01' } }));
    const { text } = await rawRequest(origin, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', {
      patience: 2000,
    });
    expect(text).toBe('');
    expect(errors).toHaveBeenCalledWith(expect.objectContaining({ event: 'not_sent' }));
    errors.mockRestore();
  });

  it('has every cookie, a date, and the length of what is complete', async () => {
    const headers: [string, string][] = [
      ['Set-Cookie', 'a=1; Path=/'],
      ['Set-Cookie', 'b=2'],
    ];
    const origin = await serving(async () => new Response('hello', { headers }));
    const { head } = await rawRequest(origin, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(head.match(/^set-cookie: .*$/gim)).toEqual([
      'Set-Cookie: a=1; Path=/',
      'Set-Cookie: b=2',
    ]);
    expect(head).toMatch(/^Content-Length: 5$/m);
    expect(head).toMatch(/^Date: /m);
  });

  it('to HEAD and with 204 has no body, and the connection goes on', async () => {
    const origin = await serving(
      async ({ url }) =>
        new Response(url.endsWith('/none') ? null : 'hello', {
          status: url.endsWith('/none') ? 204 : 200,
        }),
    );
    const { text } = await rawRequest(
      origin,
      'HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET /none HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
      { answers: 3, patience: 2000 },
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 204', 'HTTP/1.1 200']);
    expect(text.split('hello')).toHaveLength(2);
  });

  it('of a stream with a length announces it; one without comes in chunks', async () => {
    const origin = await serving(async ({ url }) => {
      const { readable, writable } = new FixedLengthStream(10);
      const writer = writable.getWriter();
      void writer.write(new TextEncoder().encode('hello')).then(async () => {
        await pause(20);
        await writer.write(new TextEncoder().encode('world'));
        await writer.close();
      });
      if (url.endsWith('/known')) return new Response(readable);
      return new Response(readable.pipeThrough(new TransformStream()));
    });
    const known = await rawRequest(origin, 'GET /known HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(known.head).toMatch(/^Content-Length: 10$/m);
    expect(known.text).toMatch(/\r\n\r\nhelloworld$/);
    const other = await rawRequest(origin, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(other.head).toMatch(/^Transfer-Encoding: chunked$/m);
    expect(other.text).toContain('5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n');
  });

  it('is made only as fast as it is read, and cancelled when the client goes', async () => {
    let made = 0;
    const cancelled = Promise.withResolvers<unknown>();
    const origin = await serving(
      async () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              made += 64 * 1024;
              controller.enqueue(new Uint8Array(64 * 1024));
            },
            cancel: (reason) => cancelled.resolve(reason),
          }),
        ),
    );
    const socket = connect(Number(origin.port), origin.hostname);
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await pause(500);
    const before = made;
    expect(before).toBeGreaterThan(0);
    await pause(200);
    expect(made).toBe(before);
    socket.destroy();
    expect(await cancelled.promise).toBeInstanceOf(Error);
  });

  it('whose body fails ends before its end', async () => {
    const origin = await serving(async () => {
      const { readable, writable } = new FixedLengthStream(10);
      const writer = writable.getWriter();
      void writer.write(new Uint8Array(5)).then(() => writer.abort(new Error('failed')));
      return new Response(readable);
    });
    const failed = fetch(origin).then((response) => response.arrayBuffer());
    await expect(failed).rejects.toThrow(TypeError);
  });

  it('of an app that fails is 500 without a word', async () => {
    const logged: unknown[] = [];
    const { error } = console;
    console.error = (record: unknown) => logged.push(record);
    try {
      const origin = await serving(async () => {
        throw new Error('secret');
      });
      const { status, text } = await rawRequest(origin, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      expect(status).toBe(500);
      expect(text).not.toContain('secret');
      expect(logged).toMatchObject([{ event: 'not_answered' }]);
    } finally {
      console.error = error;
    }
  });
});
