import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '../../test/support/client.ts';
import type { Measured } from './load-generator.ts';
import { upload } from './past-capacity.ts';
import { longPictures, type Picture } from './pictures.ts';

/** Number of requests of each kind that are sent during each work, and the pause between two, in milliseconds. */
const requestsOfKind = 40;
const interval = 25;

/** Limits in milliseconds: for 95 of 100 requests, and for all. */
const maxUsual = 300;
const maxEver = 1500;

/** Requests that need no image memory: pages, health, the cabinet, the quota of a key, and signing in. */
function kindsOf(origin: string, key: string, reader: Client) {
  return [
    { what: '/', send: () => fetch(`${origin}/`) },
    { what: '/v1/health', send: () => fetch(`${origin}/v1/health`) },
    { what: '/v1/me', send: () => reader.get('/v1/me') },
    {
      what: '/v1/quota',
      send: () => fetch(`${origin}/v1/quota`, { headers: { Authorization: `Bearer ${key}` } }),
    },
    {
      what: 'request-code',
      send: (i: number) =>
        new Client(origin).post('/v1/auth/request-code', { email: `beside.${i}@gmail.com` }),
    },
  ];
}

/**
 * Sends requests that need no image memory while an image is being processed, which takes seconds, for each of several
 * images: how long they wait.
 * @param reader somebody who is signed in
 */
export async function besideWork(origin: string, key: string, reader: Client): Promise<Measured> {
  const rows: string[][] = [];
  const failures: string[] = [];
  let succeeded = 0;
  let sent = 0;
  for (const picture of await longPictures()) {
    const work = new RepeatedWork(origin, key, picture);
    const kinds = kindsOf(origin, key, reader);
    const times: { what: string; ms: number }[] = [];
    await pause(200);
    await Promise.all(
      kinds.map(async ({ what, send }) => {
        for (let i = 0; i < requestsOfKind; i += 1) {
          const began = performance.now();
          sent += 1;
          const response = await send(sent);
          await response.arrayBuffer();
          times.push({ what, ms: performance.now() - began });
          if (response.status !== 200) failures.push(`${what}: status ${response.status}`);
          await pause(interval);
        }
      }),
    );
    const { answered, problems } = await work.end();
    succeeded += answered;
    failures.push(...problems);
    const sorted = times.toSorted((a, b) => a.ms - b.ms);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.ms ?? 0;
    const slowest = sorted.at(-1);
    rows.push([
      picture.what,
      ...[at(0.5), at(0.95), at(1)].map((ms) => ms.toFixed(0)),
      slowest?.what ?? '–',
    ]);
    if (at(0.95) > maxUsual || at(1) > maxEver) {
      failures.push(
        `beside ${picture.what}: 95% ${at(0.95).toFixed(0)} ms, longest ${at(1).toFixed(0)} ms`,
      );
    }
  }
  return {
    table: {
      caption: `${5 * requestsOfKind} requests beside an image that is being processed: how long they wait`,
      columns: ['', 'median, ms', '95%, ms', 'longest, ms', 'which'],
      rows,
    },
    succeeded,
    failures,
  };
}

/** An image that is sent again and again, so that it is always being processed. */
class RepeatedWork {
  readonly #loop: Promise<void>;
  #isWanted = true;
  #answered = 0;
  readonly #problems: string[] = [];

  constructor(origin: string, key: string, { bytes, query, what }: Picture & { what: string }) {
    const body = Uint8Array.from(bytes);
    const send = async () => {
      while (this.#isWanted) {
        const outcome = await upload(origin, key, body, 'buffer', query);
        if (outcome.kind === 'succeeded') this.#answered += 1;
        else if (outcome.kind === 'failed') this.#problems.push(`${what}: ${outcome.reason}`);
        else await pause(outcome.seconds * 1000);
      }
    };
    this.#loop = send();
  }

  async end(): Promise<{ readonly answered: number; readonly problems: readonly string[] }> {
    this.#isWanted = false;
    await this.#loop;
    return { answered: this.#answered, problems: this.#problems };
  }
}
