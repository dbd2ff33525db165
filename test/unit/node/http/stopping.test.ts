import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type Answer, Listener } from '../../../../src/node/http/listener.ts';
import { rawRequest } from '../../../support/raw-request.ts';

const listeners: Listener[] = [];

afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.stop(0)));
});

async function serving(answer: Answer) {
  const listener = new Listener(answer, { proxies: [], publicOrigin: null });
  listeners.push(listener);
  const origin = new URL(`http://127.0.0.1:${await listener.listen(0, '127.0.0.1')}`);
  return { listener, origin };
}

it('requests are answered to their end, their connections close, and no others come', async () => {
  const begun = Promise.withResolvers<void>();
  const { listener, origin } = await serving(async () => {
    begun.resolve();
    await pause(200);
    return new Response('done');
  });
  const answer = rawRequest(origin, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await begun.promise;
  const stopped = listener.stop(5000);
  await pause(50);
  await expect(fetch(origin)).rejects.toThrow();
  const { status, head } = await answer;
  expect(status).toBe(200);
  expect(head).toContain('Connection: close');
  await stopped;
});

it('waits for what requests have left to do', async () => {
  let isDone = false;
  const { listener, origin } = await serving(async (_, waitUntil) => {
    waitUntil(
      pause(200).then(() => {
        isDone = true;
      }),
    );
    return new Response('ok');
  });
  await fetch(origin);
  await listener.stop(5000);
  expect(isDone).toBe(true);
});

it('does not wait for connections without a whole request', { timeout: 40_000 }, async () => {
  const { listener, origin } = await serving(async () => new Response('ok'));
  for (const bytes of ['', 'GET / HTTP/1.1\r\nHost:']) {
    const socket = connect(Number(origin.port), origin.hostname);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(bytes);
  }
  await fetch(origin);
  const began = Date.now();
  await listener.stop(30_000);
  expect(Date.now() - began).toBeLessThan(15_000);
});

it('waits for bodies that arrive, and for responses that are written', {
  timeout: 40_000,
}, async () => {
  const { listener, origin } = await serving(async (request) => {
    if (request.method === 'POST') return new Response(await request.text());
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    void writer.write(Buffer.from('hello')).then(async () => {
      await pause(3500);
      await writer.write(Buffer.from('world'));
      await writer.close();
    });
    return new Response(readable);
  });
  const socket = connect(Number(origin.port), origin.hostname);
  let echoed = '';
  socket.on('data', (chunk) => {
    echoed += chunk;
  });
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello');
  const { body } = await fetch(origin);
  const stopped = listener.stop(30_000);
  await pause(3000);
  socket.write('world');
  expect(await new Response(body).text()).toBe('helloworld');
  await stopped;
  expect(echoed).toMatch(/^HTTP\/1\.1 200.*helloworld$/s);
});

it('closes connections of those that do not go in time', { tags: 'slow' }, async () => {
  const { listener, origin } = await serving(() => new Promise(() => {}));
  const answer = rawRequest(origin, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await pause(100);
  const began = Date.now();
  await listener.stop(200);
  expect(Date.now() - began).toBeLessThan(3000);
  expect((await answer).status).toBeNull();
});
