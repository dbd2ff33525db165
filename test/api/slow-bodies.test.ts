import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demandingPicture, demandingQuery, plainPicture } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/time.ts';

const mebibyte = 1024 * 1024;

let service: TestService;
let slowUser: string;
const uploads: SlowUpload[] = [];
beforeEach(async () => {
  // Each test has its own isolate, because an arena that has grown stays large.
  service = await startTestService();
  slowUser = await service.keyOf('slow@example.com');
});
afterEach(async () => {
  for (const upload of uploads.splice(0)) upload.hangUp();
  await service.close();
});

/** A client that announces a body and sends it at its own pace. */
class SlowUpload {
  readonly #socket: Socket;
  readonly #trickle: ReturnType<typeof setInterval>;
  #isTrickling = false;
  #text = '';

  constructor(length: number, contentType = 'image/jpeg') {
    this.#socket = connect(Number(service.url.port), service.url.hostname);
    this.#socket.on('data', (chunk) => {
      this.#text += chunk;
    });
    this.#socket.on('error', () => {}); // it was hung up on
    const head = [
      'POST /v1/optimize HTTP/1.1',
      `Host: ${service.url.host}`,
      `Authorization: Bearer ${slowUser}`,
      `Content-Type: ${contentType}`,
      `Content-Length: ${length}`,
    ];
    this.#socket.write(`${head.join('\r\n')}\r\n\r\n`);
    this.#trickle = setInterval(() => {
      if (this.#isTrickling) this.#socket.write(new Uint8Array(10));
    }, 1000);
    uploads.push(this);
  }

  send(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  /** From now on, sends a few bytes each second. */
  trickle(): void {
    this.#isTrickling = true;
  }

  /** Everything received so far. */
  get answer(): string {
    return this.#text;
  }

  hangUp(): void {
    clearInterval(this.#trickle);
    this.#socket.destroy();
  }
}

/** The final status for the other user, who retries when told to, as clients do. */
async function retryOutages(body: Uint8Array<ArrayBuffer>, query = ''): Promise<number> {
  for (const deadline = Date.now() + 20_000; ; await pause(500)) {
    const response = await service.optimize(body, query);
    await response.arrayBuffer();
    if (response.status !== 503 || Date.now() > deadline) return response.status;
    expect(response.headers.get('Retry-After')).toBe('1');
  }
}

const openReservations = () => service.meters.inFlight();

// 415: the body was read completely, and is not a picture.
const noPicture = new Uint8Array(30 * mebibyte);

describe('uploads that trickle', () => {
  it('do not keep another user’s requests from being answered', {
    tags: 'slow',
    timeout: 180_000,
  }, async () => {
    for (let i = 0; i < 3; i += 1) new SlowUpload(30 * mebibyte).trickle();
    await eventually(async () => {
      expect(await openReservations()).toBe(3);
    });
    await pause(500); // until they have also passed the next gate
    expect(await retryOutages(await demandingPicture(), demandingQuery)).toBe(200);
    expect(await retryOutages(noPicture)).toBe(415);
    expect(uploads.map(({ answer }) => answer)).toEqual(['', '', '']);
  });

  it('keep another user waiting for as long as it takes to see that they are slow, no longer', {
    tags: 'slow',
    timeout: 180_000,
  }, async () => {
    expect((await service.optimize(await demandingPicture(), demandingQuery)).status).toBe(200);
    const upload = new SlowUpload(20 * mebibyte);
    await upload.send(new Uint8Array(18 * mebibyte));
    upload.trickle();
    const photo = await plainPicture(200, 150).jpeg({ quality: 95 }).toBuffer();
    for (let i = 0; i < 5; i += 1) {
      expect((await service.optimize(Uint8Array.from(photo))).status).toBe(200);
    }
  });

  it.each([
    ['as they are', 'image/jpeg', ''],
    [
      'in a form',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n',
    ],
  ])(
    'after most of their bytes have come, %s, make way and get 503',
    { tags: 'slow', timeout: 180_000 },
    async (_, type, start) => {
      expect(await retryOutages(await demandingPicture(), demandingQuery)).toBe(200);
      const upload = new SlowUpload(30 * mebibyte, type);
      await upload.send(start);
      await upload.send(new Uint8Array(29 * mebibyte));
      upload.trickle();
      expect(await retryOutages(noPicture)).toBe(415);
      await eventually(async () => {
        expect(upload.answer).toMatch(/^HTTP\/1\.1 503 /);
        expect(upload.answer).toMatch(/\r\nRetry-After: 1\r\n/i);
        expect(upload.answer).toContain('"code":"overloaded"');
      });
      await eventually(async () => {
        expect(await openReservations()).toBe(0);
      });
      expect(await retryOutages(await demandingPicture(), demandingQuery)).toBe(200);
    },
  );

  it('make way for work on another user’s picture', {
    tags: 'slow',
    timeout: 180_000,
  }, async () => {
    const upload = new SlowUpload(32 * mebibyte);
    await upload.send(new Uint8Array(31 * mebibyte));
    upload.trickle();
    expect(await retryOutages(await demandingPicture(), demandingQuery)).toBe(200);
    await eventually(async () => {
      expect(upload.answer).toMatch(/^HTTP\/1\.1 503 /);
    });
  });
});

describe('uploads of one user', () => {
  it('that are too much together: one goes on, the other does so or gets 503', {
    tags: 'slow',
  }, async () => {
    const bodies = [new Uint8Array(20 * mebibyte), new Uint8Array(20 * mebibyte)];
    const statuses = await Promise.all(
      bodies.map(async (body) => (await service.optimize(body)).status),
    );
    expect(statuses).toContain(415);
    expect(new Set(statuses).isSubsetOf(new Set([415, 503]))).toBe(true);
  });

  it('leave room for a small one beside a large one, and both are answered', {
    tags: 'slow',
  }, async () => {
    const upload = new SlowUpload(30 * mebibyte);
    await upload.send(new Uint8Array(29 * mebibyte));
    const photo = await plainPicture(700, 500).jpeg({ quality: 95 }).toBuffer();
    const headers = { Authorization: `Bearer ${slowUser}` };
    const response = await service.optimize(Uint8Array.from(photo), '', headers);
    expect(response.status).toBe(200);
    await upload.send(new Uint8Array(mebibyte));
    await eventually(async () => {
      expect(upload.answer).toMatch(/^HTTP\/1\.1 415 /);
    });
  });
});

describe('a body that stalls', () => {
  it('is given up after ten seconds, and what it held is free again', {
    tags: 'slow',
  }, async () => {
    const upload = new SlowUpload(20 * mebibyte);
    await upload.send(new Uint8Array(mebibyte));
    await pause(10_000);
    await eventually(async () => {
      expect(upload.answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(upload.answer).toContain('"code":"request_timeout"');
    });
    expect((await service.optimize(noPicture)).status).toBe(415);
    await eventually(async () => expect(await openReservations()).toBe(0));
  });
});
