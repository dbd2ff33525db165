import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainPicture } from '../support/pictures.ts';
import { canFindPorts, ownServicePorts } from '../support/processes.ts';
import { Random } from '../support/random.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/time.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

async function books(): Promise<{ files: number; open: number }> {
  await service.meters.flush();
  const files = await service.database
    .prepare('SELECT coalesce(sum(files), 0) AS files FROM usage_days')
    .first<number>('files');
  return { files: files ?? 0, open: await service.meters.inFlight() };
}

describe('many requests at once', () => {
  it('are all answered, 200 or 503 with Retry-After, and every 200 is counted', {
    tags: 'slow',
  }, async () => {
    const photo = await plainPicture(700, 500).jpeg({ quality: 95 }).toBuffer();
    const before = await books();
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => service.optimize(Uint8Array.from(photo))),
    );
    let succeeded = 0;
    for (const response of responses) {
      await response.arrayBuffer();
      if (response.status === 200) {
        succeeded += 1;
      } else {
        expect(response.status).toBe(503);
        expect(response.headers.get('Retry-After')).toBe('1');
      }
    }
    expect(succeeded).toBeGreaterThan(0);
    await eventually(async () => {
      expect(await books()).toEqual({ files: before.files + succeeded, open: 0 });
    });
  });

  it('are a flood: nothing but 200 and 503, in time, and a charge for each optimized answer', {
    tags: 'slow',
  }, async () => {
    const photo = await plainPicture(300, 200).jpeg({ quality: 95 }).toBuffer();
    const before = await books();
    const began = Date.now();
    const answers = await Promise.all(
      Array.from({ length: 96 }, async () => {
        const response = await service.optimize(Uint8Array.from(photo), '?width=40');
        await response.arrayBuffer();
        return { ...answerOf(response), seconds: (Date.now() - began) / 1000 };
      }),
    );
    const odd = answers.filter(
      ({ status, retry }) => !(status === 200 || (status === 503 && retry)),
    );
    expect(odd).toEqual([]);
    expect(Math.max(...answers.map(({ seconds }) => seconds))).toBeLessThan(60);
    const optimized = answers.filter(({ isOptimized }) => isOptimized).length;
    expect(optimized).toBeGreaterThan(0);
    await eventually(async () => {
      expect(await books()).toEqual({ files: before.files + optimized, open: 0 });
    });
  });

  it('of which the large ones do not fit together get 503, and a small one alone always goes on', {
    tags: 'slow',
  }, async () => {
    const bodies = Array.from({ length: 8 }, () => new Uint8Array(20 * 1024 * 1024));
    const statuses = await Promise.all(
      bodies.map(async (body) => (await service.optimize(body)).status),
    );
    // 415: this body got its turn, and is not a picture.
    expect(new Set(statuses).isSubsetOf(new Set([415, 503]))).toBe(true);
    expect(statuses).toContain(415);
    const photo = await plainPicture(100, 80).jpeg({ quality: 95 }).toBuffer();
    expect((await service.optimize(Uint8Array.from(photo))).status).toBe(200);
  });
});

describe('clients that go away', () => {
  it('in the middle of their upload leave nothing held and nothing reserved', {
    tags: 'slow',
  }, async () => {
    for (let i = 0; i < 6; i += 1) await abandonedUpload(30 * 1024 * 1024);
    await eventually(async () => {
      const body = new Uint8Array(30 * 1024 * 1024);
      expect((await service.optimize(body)).status).toBe(415);
    });
    await eventually(async () => {
      expect((await books()).open).toBe(0);
    });
  });

  it.skipIf(!canFindPorts)(
    'while they wait cost nothing: their images are neither processed nor charged',
    { tags: 'slow' },
    async () => {
      const worker = await workerUrl();
      const before = await books();
      const hard = await noise(320, 240);
      const query = '?format=avif&quality=lossless';
      const work = Array.from({ length: 6 }, async () => {
        const response = await service.optimize(hard, query);
        await response.arrayBuffer();
        return response.status;
      });
      await pause(300);
      // Work of the same length and account is done in the order of arrival.
      const sockets = Array.from({ length: 20 }, () => upload(worker, hard, query));
      await pause(1000);
      // A connection that is only closed could still be read from (RFC 9112 §9.6), so the runtime goes on.
      for (const socket of sockets) socket.resetAndDestroy();
      const succeeded = (await Promise.all(work)).filter((status) => status === 200).length;
      await eventually(async () => {
        const { files, open } = await books();
        expect(open).toBe(0);
        expect(files - before.files - succeeded).toBe(0);
      }, 60_000);
    },
  );

  it.skipIf(!canFindPorts)(
    'during the work on their image are not charged',
    { tags: 'slow' },
    async () => {
      const worker = await workerUrl();
      const before = await books();
      // Seconds of work, so that a busy machine does not let it end before the client leaves.
      const hard = await noise(1600, 1200);
      for (let i = 0; i < 2; i += 1) {
        const socket = await workedOn(worker, hard, '?format=avif&quality=lossless');
        socket.resetAndDestroy();
        await eventually(async () => expect((await books()).open).toBe(0));
      }
      expect((await books()).files).toBe(before.files);
    },
  );

  it('before they have read the answer do so neither', { tags: 'slow' }, async () => {
    const photo = await plainPicture(900, 700).png().toBuffer();
    for (let i = 0; i < 6; i += 1) {
      const control = new AbortController();
      const answer = fetch(new URL('/v1/optimize', service.url), {
        method: 'POST',
        headers: { Authorization: `Bearer ${service.key}` },
        body: Uint8Array.from(photo),
        signal: control.signal,
      });
      await pause(20 + 20 * i);
      control.abort();
      await answer.catch(() => {});
    }
    await eventually(async () => {
      expect((await books()).open).toBe(0);
    });
    expect((await service.optimize(new Uint8Array(30 * 1024 * 1024))).status).toBe(415);
  });
});

/** Sends an image, and leaves the connection open. */
function upload({ hostname, port }: URL, body: Uint8Array, query: string): Socket {
  const socket = connect(Number(port), hostname);
  socket.write(uploadHead(body.length, query));
  socket.write(body);
  return socket;
}

/** Sends an image, again if the service is too busy, until it is being worked on. */
async function workedOn(worker: URL, body: Uint8Array, query: string): Promise<Socket> {
  for (let tries = 1; ; tries += 1) {
    const socket = upload(worker, body, query);
    let answer = '';
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    await pause(400);
    if (answer === '') return socket;
    expect(answer).toMatch(/^HTTP\/1.1 503 /);
    expect(tries).toBeLessThan(20);
    socket.destroy();
    await pause(1000);
  }
}

/** Announces a body, sends part of it, and disconnects. */
async function abandonedUpload(length: number): Promise<void> {
  const socket = connect(Number(service.url.port), service.url.hostname);
  socket.write(uploadHead(length));
  socket.write(new Uint8Array(100_000));
  await pause(150);
  socket.destroy();
}

/** The service itself, without the proxy that may be in front of it, which keeps from it that a client has gone. */
async function workerUrl(): Promise<URL> {
  const isBehind = (port: number) => String(port) !== service.url.port;
  const ports = ownServicePorts().toSorted((a, b) => Number(isBehind(b)) - Number(isBehind(a)));
  for (const port of ports) {
    const url = new URL(`http://127.0.0.1:${port}`);
    // Only this service knows the key: those of other tests of this process may still be ending.
    const headers = { Authorization: `Bearer ${service.key}` };
    const signal = AbortSignal.timeout(10_000);
    const response = await fetch(new URL('/v1/quota', url), { headers, signal }).catch(() => null);
    if (response?.status === 200) return url;
  }
  throw new Error('no process of this test listens on a port of the service');
}

function answerOf({ status, headers }: Response) {
  const isOptimized = status === 200 && headers.get('Image-Optimized') === 'true';
  return { status, retry: headers.get('Retry-After'), isOptimized };
}

/** Takes long as lossless AVIF, because nothing in it repeats. */
async function noise(width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  const random = new Random(3);
  const data = Buffer.alloc(3 * width * height).map(() => random.unit() * 256);
  return Uint8Array.from(
    await sharp(data, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  );
}

function uploadHead(length: number, query = ''): string {
  const head = [
    `POST /v1/optimize${query} HTTP/1.1`,
    `Host: ${service.url.host}`,
    `Authorization: Bearer ${service.key}`,
    `Content-Length: ${length}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n`;
}
