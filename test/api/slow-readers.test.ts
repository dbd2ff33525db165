import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../support/random.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/time.ts';

const mebibyte = 1024 * 1024;

/** Noise is incompressible, so that a response takes many chunks, and reuses the memory of the file. */
async function noisyPhoto(width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  const random = new Random(7);
  const data = Buffer.alloc(3 * width * height);
  for (let i = 0; i < data.length; i += 1) data[i] = random.unit() * 256;
  const photo = sharp(data, { raw: { width, height, channels: 3 } });
  const file = await photo.jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer();
  return Uint8Array.from(file);
}

let service: TestService;
let photo: Uint8Array<ArrayBuffer>;
let answer: Uint8Array;
beforeAll(async () => {
  service = await startTestService();
  photo = await noisyPhoto(2000, 1500);
  answer = await answered();
  expect(answer.length).toBeGreaterThan(6 * mebibyte);
}, 60_000);
afterAll(() => service.close());

async function answered(picture = photo): Promise<Uint8Array> {
  const response = await service.optimize(picture, '?quality=lossless');
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

/** A client that sends the picture, and reads the response on demand. */
class SlowReader {
  readonly #socket: Socket;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(picture: Uint8Array<ArrayBuffer>) {
    this.#socket = connect({ port: Number(service.url.port), host: service.url.hostname });
    this.#socket.on('error', () => {}); // it hangs up itself
    this.#socket.write(
      [
        'POST /v1/optimize?quality=lossless HTTP/1.1',
        `Host: ${service.url.host}`,
        `Authorization: Bearer ${service.key}`,
        `Content-Length: ${picture.length}`,
        'Connection: close',
        '\r\n',
      ].join('\r\n'),
    );
    this.#socket.write(picture);
    this.#socket.on('data', (chunk) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
    });
  }

  /** Waits for the first bytes, and leaves the others unread. */
  async stopAtFirst(): Promise<void> {
    await new Promise((resolve) => this.#socket.once('data', resolve));
    this.#socket.pause();
  }

  get length(): number {
    return this.#length;
  }

  /** The whole body, read to its end. */
  async rest(): Promise<Uint8Array> {
    const ended = new Promise((resolve) => this.#socket.once('close', resolve));
    this.#socket.resume();
    await ended;
    const all = Buffer.concat(this.#chunks);
    expect(all.toString('latin1', 0, 12)).toBe('HTTP/1.1 200');
    return all.subarray(all.indexOf('\r\n\r\n') + 4);
  }

  hangUp(): void {
    this.#socket.destroy();
  }
}

const openReservations = () => service.meters.inFlight();

describe('answers that are read slowly', () => {
  it('come to the same bytes, whatever is worked on meanwhile', {
    tags: 'slow',
    timeout: 180_000,
  }, async () => {
    const slow = [photo, photo].map((picture) => new SlowReader(picture));
    await Promise.all(slow.map((reader) => reader.stopAtFirst()));
    expect(slow.every(({ length }) => length < answer.length)).toBe(true);
    // Others take the released memory.
    for (let i = 0; i < 3; i += 1) expect(Buffer.compare(await answered(), answer)).toBe(0);
    for (const body of await Promise.all(slow.map((reader) => reader.rest()))) {
      expect(Buffer.compare(body, answer)).toBe(0);
    }
  });

  it('and are left in the middle give all back, and the service goes on', {
    tags: 'slow',
    timeout: 180_000,
  }, async () => {
    const readers = [photo, photo].map((picture) => new SlowReader(picture));
    await Promise.all(readers.map((reader) => reader.stopAtFirst()));
    for (const reader of readers) reader.hangUp();
    expect(Buffer.compare(await answered(), answer)).toBe(0);
    await eventually(async () => {
      expect(await openReservations()).toBe(0);
    });
    // Only an isolate that holds no other body has room for this one.
    await eventually(async () => {
      const response = await service.optimize(new Uint8Array(31 * mebibyte));
      expect(response.status).toBe(415);
    });
    await pause(100);
    expect(service.logs()).not.toMatch(/detached|uncaught/i);
  });
});

describe('an answer of more than 20 MiB that is read slowly', () => {
  it('comes to the same bytes, and is booked once it has left', {
    tags: 'slow',
    timeout: 180_000,
  }, async () => {
    const large = await noisyPhoto(3400, 2500);
    const whole = await answered(large);
    expect(whole.length).toBeGreaterThan(20 * mebibyte);
    const reader = new SlowReader(large);
    await reader.stopAtFirst();
    await pause(1000);
    expect(Buffer.compare(await reader.rest(), whole)).toBe(0);
    await eventually(async () => {
      expect(await openReservations()).toBe(0);
    });
  });
});

describe('a finished picture', () => {
  // Both fit as bodies next to the initial arena; after it has grown, they are more than half of the remaining memory.
  it('is not refused where its body would be, now that the arena has grown', {
    tags: 'slow',
    timeout: 180_000,
  }, async () => {
    const fresh = await startTestService();
    const upload = connect(Number(fresh.url.port), fresh.url.hostname);
    try {
      upload.on('error', () => {}); // it is hung up on
      const length = 26.5 * mebibyte;
      const head = [
        'POST /v1/optimize HTTP/1.1',
        `Host: ${fresh.url.host}`,
        `Authorization: Bearer ${await fresh.keyOf('uploader@example.com')}`,
        `Content-Length: ${length}`,
      ];
      upload.write(`${head.join('\r\n')}\r\n\r\n`);
      await new Promise((resolve) => upload.write(new Uint8Array(length - 1000), resolve));
      await pause(300);
      const response = await fresh.optimize(photo, '?quality=lossless');
      expect(response.status).toBe(200);
      expect(Buffer.compare(new Uint8Array(await response.arrayBuffer()), answer)).toBe(0);
    } finally {
      upload.destroy();
      await fresh.close();
    }
  });
});
