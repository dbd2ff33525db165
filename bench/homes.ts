/**
 * `npm run bench:homes [-- --seconds n --minutes n]`: the service on Node beside that of `npm start`, in one run: pictures
 * per second, how long pages wait while all engines encode, and with `--minutes` the memory of the one on Node under
 * mixed load. All of it shares the machine with what sends the requests.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeLocalKey, withBindings } from '../scripts/local/database.ts';
import { freePort } from '../scripts/local/free-port.ts';
import { wholeNumber } from '../scripts/local/options.ts';
import { startService } from '../scripts/local/service.ts';
import { commonVariables } from '../src/node/settings.ts';
import { NodeServer } from '../test/support/node/node-server.ts';
import { remoteBindings } from '../test/support/node/remote-bindings.ts';
import { fieldOf, statusOf } from '../test/support/processes.ts';
import { terminalTable } from './harness/report.ts';
import { generateLoad } from './load/load-generator.ts';
import { allKinds, longPictures, type Picture, requestsOf, usualPicture } from './load/pictures.ts';
import { figure, mebibytes, median, quantile } from './measures/figures.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    minutes: { type: 'string', default: '0' },
    threads: { type: 'string', default: '' },
  },
});
const seconds = wholeNumber('seconds', values.seconds, 1);
const rounds = wholeNumber('rounds', values.rounds, 1);
const minutes = wholeNumber('minutes', values.minutes);

const vars = {
  FREE_FILES_PER_MONTH: '1000000',
  UNCHARGED_PER_DAY: '1000000',
  UNCHARGED_CPU_SECONDS_PER_DAY: '1000000',
  MAX_FILES_PER_MINUTE: '1000000',
};

interface Home {
  readonly name: string;
  readonly origin: string;
  readonly keys: readonly string[];
  /** On Node. */
  readonly server?: NodeServer;
  close(): Promise<void>;
}

const pages = ['/', '/docs', '/v1/health'];

/** Several users, because none may keep the others waiting. */
const users = Array.from({ length: 4 }, (_, i) => `customer.${i}@gmail.com`);

async function keysIn(env: Env): Promise<string[]> {
  const keys: string[] = [];
  for (const user of users) keys.push(await makeLocalKey(env, user));
  return keys;
}

async function workerdHome(): Promise<Home> {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'fewerbytes-homes-'));
  const service = await startService({ port: await freePort(), stateDirectory, vars });
  return {
    name: '`npm start`',
    origin: service.origin,
    keys: await withBindings(stateDirectory, keysIn),
    close: async () => {
      await service.stop();
      await rm(stateDirectory, { recursive: true, maxRetries: 5 });
    },
  };
}

async function nodeHome(): Promise<Home> {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'fewerbytes-homes-'));
  const threads = values.threads === '' ? {} : { THREADS: values.threads };
  const own = { REQUEST_LOG: '', MEMORY_MIB: '256', ...threads };
  const texts = { ...commonVariables({}), ...vars, ...own, ...secrets() };
  const server = await NodeServer.start({ port: await freePort(), stateDirectory, texts });
  return {
    name: 'Node',
    server,
    origin: server.origin,
    keys: await keysIn(remoteBindings(server, texts)),
    close: async () => {
      await server.stop();
      await rm(stateDirectory, { recursive: true, maxRetries: 5 });
    },
  };
}

function secrets(): Record<string, string> {
  const made = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64');
  return { CODE_SECRET: made(), KEY_SECRETS: `1:${made()}`, TOKEN_SECRETS: `1:${made()}` };
}

await import('../scripts/build-node.ts');
const failures: string[] = [];
const homes = [await workerdHome(), await nodeHome()];
try {
  await compareRates(await usualPicture());
  await comparePages();
  const [, node] = homes;
  if (node && minutes > 0) await watchMemory(node, await allKinds());
} finally {
  for (const home of homes) await home.close();
}
for (const failure of failures) console.log(failure);
process.exit(failures.length === 0 ? 0 : 1);

/** In turns, so that both meet the same machine. */
async function compareRates(picture: Picture): Promise<void> {
  const rates = homes.map(() => [] as number[]);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [i, { name, origin, keys }] of homes.entries()) {
      const requests = requestsOf([picture], keys);
      const {
        times,
        failures: found,
        ...took
      } = await generateLoad({
        ...{ what: name, url: origin, requests, connections: 4, seconds },
      });
      // The first round only warms up.
      if (round > 0) rates[i]?.push(times.length / took.seconds);
      failures.push(...found.slice(0, 3).map((one) => `${name}: ${one}`));
    }
  }
  const [usual = 1, node = 0] = rates.map((one) => median(one));
  const rows = homes.map(({ name }, i) => [
    name,
    ...(rates[i] ?? []).map((rate) => figure(rate, 2)),
    figure(median(rates[i] ?? []), 2),
  ]);
  const columns = ['', ...Array.from({ length: rounds }, (_, i) => `round ${i + 1}`), 'median'];
  const caption = 'JPEGs of one megapixel per second, 4 at a time';
  console.log(`\n${terminalTable({ caption, columns, rows })}`);
  console.log(`\nNode answers ${figure(node / usual, 2)} times as many as \`npm start\``);
}

/** Asks for pages while pictures that take long keep every engine busy. */
async function comparePages(): Promise<void> {
  const [avif] = await longPictures();
  if (!avif) return;
  const rows: string[][] = [];
  for (const { name, origin, keys } of homes) {
    const done = new AbortController();
    const headers = (i: number) => ({ Authorization: `Bearer ${keys[i % keys.length]}` });
    const work = Array.from({ length: 4 }, async (_, i) => {
      while (!done.signal.aborted) {
        const body = Uint8Array.from(avif.bytes);
        const init = { method: 'POST', headers: headers(i), body, signal: done.signal };
        await fetch(`${origin}/v1/optimize${avif.query}`, init)
          .then((response) => response.arrayBuffer())
          .catch(() => {});
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const times: number[] = [];
    for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
      for (const page of pages) {
        const began = performance.now();
        const response = await fetch(origin + page);
        await response.arrayBuffer();
        times.push(performance.now() - began);
        if (response.status !== 200) failures.push(`${name}: ${page} is ${response.status}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    done.abort();
    await Promise.all(work);
    const shares = [0.5, 0.95, 1].map((share) => figure(quantile(times, share), 1));
    rows.push([name, String(times.length), ...shares]);
  }
  const caption = 'Pages beside photos of 12 megapixels that become AVIF';
  const columns = ['', 'pages', 'p50 ms', 'p95 ms', 'longest ms'];
  console.log(`\n${terminalTable({ caption, columns, rows })}`);
}

/** What the server on Node holds under mixed load, after each tenth of the time. */
async function watchMemory({ server, origin, keys }: Home, pictures: Picture[]): Promise<void> {
  if (!server) return;
  const rows: string[][] = [];
  const held: number[] = [];
  let answers = 0;
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    const { times, failures: found } = await generateLoad({
      ...{ what: '', url: origin, requests: requestsOf(pictures, keys), connections: 4 },
      seconds: minutes * 6,
    });
    answers += times.length;
    failures.push(...found.slice(0, 3));
    const status = statusOf(String(server.pid));
    held.push(await server.call('heldBytes'));
    const resident = 1024 * fieldOf(status, 'VmRSS');
    rows.push([
      `${tenth * minutes * 6} s`,
      String(answers),
      mebibytes(held.at(-1)),
      mebibytes(resident),
    ]);
  }
  const caption = `Memory of the service on Node over ${minutes} minutes of mixed load, in MiB`;
  const columns = ['', 'pictures', 'held by JavaScript', 'resident'];
  console.log(`\n${terminalTable({ caption, columns, rows })}`);
  // The first fifth fills caches.
  const [early = 0, late = 0] = [held[1], held.at(-1)];
  if (late > early + 4 * 2 ** 20) failures.push('the service holds more at the end');
}
