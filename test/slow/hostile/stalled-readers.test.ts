import { connect, type Socket } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainPicture } from '../../support/pictures.ts';
import { Random } from '../../support/random.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { eventually } from '../../support/time.ts';

const mebibyte = 2 ** 20;

let service: TestService;
/** Stays nearly as long as it is: more than the network buffers. */
let noise: Uint8Array<ArrayBuffer>;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await startTestService();
  const [width, height] = [3500, 2500];
  const random = new Random(11);
  const data = Buffer.alloc(3 * width * height);
  for (let i = 0; i < data.length; i += 4) data.writeInt32LE((random.unit() * 2 ** 31) | 0, i);
  const picture = sharp(data, { raw: { width, height, channels: 3 } });
  noise = Uint8Array.from(
    await picture.jpeg({ quality: 97, chromaSubsampling: '4:4:4' }).toBuffer(),
  );
  photo = Uint8Array.from(await plainPicture(2400, 1600).jpeg({ quality: 96 }).toBuffer());
  expect(noise.length).toBeGreaterThan(14 * mebibyte);
}, 60_000);
afterAll(() => service.close());

/** A client that sends an image, and reads nothing of the answer until it is told to. */
class StalledReader {
  readonly #socket: Socket;
  #received: Buffer[] = [];

  constructor(key: string) {
    this.#socket = connect({ port: Number(service.url.port), host: service.url.hostname });
    this.#socket.on('error', () => {}); // it was hung up on
    this.#socket.write(
      [
        'POST /v1/optimize?quality=lossless HTTP/1.1',
        `Host: ${service.url.host}`,
        `Authorization: Bearer ${key}`,
        `Content-Length: ${noise.length}`,
        'Connection: close',
        '\r\n',
      ].join('\r\n'),
    );
    this.#socket.write(noise);
    this.#socket.pause();
  }

  /** Reads what is there until the connection ends: the status, and how many bytes came. */
  async rest(): Promise<{ status: number; bytes: number }> {
    this.#socket.on('data', (chunk) => this.#received.push(chunk));
    const ended = new Promise((resolve) => this.#socket.once('close', resolve));
    this.#socket.resume();
    await ended;
    const all = Buffer.concat(this.#received);
    return { status: Number(all.subarray(9, 12).toString()), bytes: all.length };
  }
}

const openReservations = () => service.meters.inFlight();

describe('readers that do not take their answers', () => {
  it('do not keep another user’s image from being answered', async () => {
    const keys = ['a', 'b', 'c', 'd'].map((name) => service.keyOf(`stalled.${name}@example.com`));
    const readers = (await Promise.all(keys)).map((key) => new StalledReader(key));
    await eventually(async () => {
      expect(await openReservations()).toBe(4);
    });
    for (const query of ['', '?format=webp&width=600', '?width=300']) {
      const response = await service.optimize(photo, query);
      await response.arrayBuffer();
      expect(response.status).toBe(200);
    }
    // nothing stays reserved, and what they held is free again
    await eventually(async () => {
      expect(await openReservations()).toBe(0);
    }, 60_000);
    await service.meters.flush();
    const answered = await service.database
      .prepare('SELECT sum(files) AS n FROM usage_days')
      .first('n');
    const received = await Promise.all(readers.map((reader) => reader.rest()));
    // A large picture may wait for memory too long behind other stalled readers; such a refusal is not charged.
    const begun = received.filter(({ status }) => status === 200);
    expect(begun.length).toBeGreaterThanOrEqual(2);
    expect(received.filter(({ status }) => ![200, 503].includes(status))).toEqual([]);
    expect(answered).toBe(3 + begun.length);
    expect(Math.min(...begun.map(({ bytes }) => bytes))).toBeLessThan(noise.length * 0.95);
  }, 120_000);
});
