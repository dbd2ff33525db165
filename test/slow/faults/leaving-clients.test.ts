import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client, createKey, keyOf } from '../../support/client.ts';
import { isFull } from '../../support/full.ts';
import { IsolateHeap } from '../../support/isolate-heap.ts';
import { plainPicture } from '../../support/pictures.ts';
import { canFindPorts } from '../../support/processes.ts';
import { Random } from '../../support/random.ts';
import { RestartableService } from '../../support/restartable-service.ts';
import { eventually } from '../../support/time.ts';
import { contradictions, meterContradictions, onlyAnswers } from './contradictions.ts';

/** How many clients leave between two kills, and how many kills there are. */
const leaversBetweenKills = 4;
const kills = isFull ? 20 : 2;

/** What the Worker may hold more after some clients have left than before, in bytes. */
const tolerance = 512 * 1024;

/** Bodies of this length fit only if nothing else is held. */
const largestBody = 30 * 2 ** 20;

interface LongWork {
  readonly query: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

let service: RestartableService;
let client: Client;
let key: string;
/** What has been answered, like the books. */
const answered = { charged: 0, files: 0 };
beforeAll(async () => {
  service = await RestartableService.start({
    FREE_FILES_PER_MONTH: '1000',
    UNCHARGED_CPU_SECONDS_PER_DAY: '100000',
  });
  client = new Client(service.origin);
  await client.signIn('leaving@gmail.com');
  key = keyOf(await createKey(client, { name: 'leaving' }));
});
afterAll(() => service.close());

it.skipIf(!canFindPorts)(
  'clients that leave during the work cost nothing, keep no memory, and give their turn on at once',
  async () => {
    const random = new Random(56);
    const small = await smallPicture();
    const works = await longWorks();
    const after = () => random.between(200, 900);
    let origin = await workerOrigin();
    const durations = new Map<LongWork, number>();
    for (const work of works) durations.set(work, await durationOf(origin, work));
    const waits: Wait[] = [];
    const leaveDuring = async (work: LongWork) => {
      const waited = await waitBehindLeaver(origin, work, small, after());
      waits.push({ what: work.query, waited, alone: durations.get(work) ?? 0 });
    };
    for (let kill = 1; kill <= kills; kill += 1) {
      const turn = (i: number) => works[(kill + i) % works.length] as LongWork;
      for (let i = 1; i <= leaversBetweenKills; i += 1) await leaveDuring(turn(i));
      const leaver = upload(origin, turn(0));
      await pause(after());
      leaver.resetAndDestroy();
      await pause(random.between(0, 60));
      service.killAll();
      // Three quarters of an hour later.
      for (const meter of service.meters) meter.open((file) => file.exec(expireAll));
      await service.start();
      origin = await workerOrigin();
    }
    // The Worker keeps what it allocates for the first work of each kind, which work that is left may not come to.
    for (const work of works) await durationOf(origin, work);
    for (const work of works) await leaveDuring(work);
    const heap = await IsolateHeap.connect(service);
    const before = await heap.held();
    for (const work of works) await leaveDuring(work);
    expect((await heap.held()) - before).toBeLessThan(tolerance);
    heap.close();
    expect((await send(origin, new Uint8Array(largestBody))).status).toBe(415);
    console.table(summaryOf(waits));
    for (const { what, waited, alone } of waits) expect(waited, what).toBeLessThan(alone / 2);
    expect((await client.get('/v1/statistics')).status).toBe(200);
    expect(service.database.open((file) => ({ ...file.prepare(books).get() }))).toEqual(answered);
    const complaints = service.database.open(contradictions);
    expect(complaints.filter((complaint) => !complaint.startsWith(onlyAnswers))).toEqual([]);
    expect(service.meters.flatMap((meter) => meter.open(meterContradictions))).toEqual([]);
  },
  1_200_000,
);

interface Wait {
  readonly what: string;
  /** From the moment at which the client left, in milliseconds. */
  readonly waited: number;
  /** How long the work takes if nobody leaves. */
  readonly alone: number;
}

/**
 * Sends long work and a small picture behind it, and leaves the work.
 * @returns how long the small picture takes from then on, in milliseconds
 */
async function waitBehindLeaver(
  origin: URL,
  work: LongWork,
  small: Uint8Array<ArrayBuffer>,
  after: number,
): Promise<number> {
  const leaver = upload(origin, work);
  let early = '';
  leaver.on('data', (data) => {
    early += data.toString('latin1');
  });
  await pause(after);
  const next = send(origin, small);
  await pause(100);
  expect(early).toBe('');
  leaver.resetAndDestroy();
  const left = performance.now();
  expect((await next).status).toBe(200);
  const waited = performance.now() - left;
  await eventually(async () => expect(service.reserved()).toBe(0));
  return waited;
}

async function durationOf(origin: URL, { body, query }: LongWork): Promise<number> {
  const began = performance.now();
  expect((await send(origin, body, query)).status).toBe(200);
  return performance.now() - began;
}

async function send(origin: URL, body: Uint8Array<ArrayBuffer>, query = ''): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}` };
  const url = new URL(`/v1/optimize${query}`, origin);
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.arrayBuffer();
  if (response.status === 200) answered.files += 1;
  if (response.headers.get('Image-Optimized') === 'true') answered.charged += 1;
  return response;
}

/** Sends an image, and leaves the connection open. */
function upload(origin: URL, { query, body }: LongWork): Socket {
  const socket = connect(Number(origin.port), origin.hostname);
  socket.on('error', () => {}); // the service was killed
  const head = [
    `POST /v1/optimize${query} HTTP/1.1`,
    `Host: ${origin.host}`,
    `Authorization: Bearer ${key}`,
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  return socket;
}

/** wrangler's proxy keeps from the Worker that a client has gone. */
async function workerOrigin(): Promise<URL> {
  const origin = await service.innerOrigin();
  if (origin === null) throw new Error('the port of the Worker was not found');
  return new URL(origin);
}

async function smallPicture(): Promise<Uint8Array<ArrayBuffer>> {
  return Uint8Array.from(await plainPicture(64, 64).jpeg({ quality: 97 }).toBuffer());
}

/** Noise, of which each kind of work takes seconds. */
async function longWorks(): Promise<readonly LongWork[]> {
  const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const;
  const picture = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#808080', noise } });
  const photo = Uint8Array.from(await picture(4000, 3000).jpeg({ quality: 85 }).toBuffer());
  const screen = Uint8Array.from(await picture(2400, 1800).png().toBuffer());
  return [
    { query: '?format=png&quality=80', body: photo },
    { query: '?format=webp', body: photo },
    { query: '?format=avif&quality=lossless', body: screen },
  ];
}

function summaryOf(waits: readonly Wait[]) {
  return [...Map.groupBy(waits, ({ what }) => what)].map(([what, of]) => {
    const sorted = of.map(({ waited }) => Math.round(waited)).sort((a, b) => a - b);
    const [median, longest] = [sorted[sorted.length >> 1], sorted.at(-1)];
    return { what, 'without leaving, ms': Math.round(of[0]?.alone ?? 0), median, longest };
  });
}

const expireAll = 'UPDATE lanes SET expires_at = 0 WHERE reservation IS NOT NULL';

const books = `
  SELECT (SELECT sum(free_used) FROM mailboxes) AS charged,
         (SELECT coalesce(sum(files), 0) FROM usage_days) AS files`;
