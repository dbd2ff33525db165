import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { setup as bundleWorker } from '../../test/support/bundled-worker.ts';
import { ForeignServer } from '../../test/support/fetching-service.ts';
import { smallPhoto } from '../../test/support/pictures.ts';
import { startTestService, type TestService } from '../../test/support/service.ts';
import type { Part, Table } from '../harness/section.ts';
import { generateLoad } from '../load/load-generator.ts';
import { figure, median, quantile, ratio } from '../measures/figures.ts';
import { countersOf } from './cost.ts';
import { largestPhoto } from './largest-photo.ts';
import { SourcePictures } from './memory/source-pictures.ts';
import { cpuMilliseconds, workerdOfService } from './workerd.ts';

const email = 'bench@example.com';

/** Durable rows that a result may write, in the meter and in D1. */
const mostRows = 4;
/** The shortest time for which a result is fresh, in seconds. */
const freshFor = 60;
/** Widths of the results whose first bytes are timed. */
const widths = [796, 798, 800, 802, 804];
const load = { connections: 10, seconds: 8 };
/** Results that are made to count rows. */
const counted = 40;

/** Images by URL: what a kept result costs beside IPX, when first bytes come, and durable rows. */
export const delivery: Part = {
  name: 'delivery',
  async measure({ corpus, say }) {
    const photo = await largestPhoto(corpus.photos);
    const made = await SourcePictures.of(photo.bytes);
    bundleWorker();
    const pictures = new ForeignServer();
    await pictures.start();
    const service = await startTestService({
      ALLOW_HTTP_SOURCES: 'true',
      PRIVATE_SOURCES: `127.0.0.1:${pictures.port}`,
      MAX_NEW_RESULTS_PER_MINUTE: '100000',
    });
    const folder = await mkdtemp(join(tmpdir(), 'delivery-'));
    let ipx: Ipx | undefined;
    try {
      const file = await readFile((await made.make('JPEG', 12e6)).path);
      offer(pictures, '/photo.jpg', file);
      ipx = await startIpx(folder, file);
      const site = await siteMaker(service, pictures.at('/'));
      const brief = await site('brief', freshFor);
      const long = await site('long', 86_400);
      const times = await firstBytes(pictures, brief, ipx.origin, say);
      const loads = [await loadOf(long), await loadOf(ipx.origin, ipx.spent)];
      const rows = await rowsPerResult(service, pictures, long);
      say(`  ${figure(rows, 2)} durable rows a result`);
      return {
        title: 'Images by URL',
        text: text(photo.name, rows),
        tables: [loadTable(loads), timeTable(times)],
        plots: [],
        failures: [
          ...loads.flatMap(({ failures }) => failures),
          ...times.flatMap(({ failures }) => failures),
          ...(rows > mostRows ? [`${figure(rows, 2)} durable rows a result`] : []),
        ],
      };
    } finally {
      await ipx?.stop();
      await service.close();
      await pictures.stop();
      await rm(folder, { recursive: true });
      await made.end();
    }
  },
};

/** Makes sites of one account; each is the URL below which its images are. */
async function siteMaker(service: TestService, source: string) {
  const owner = await service.signedIn(email);
  const fields = { source, on_error: 'error', monthly_limit: null };
  return async (slug: string, cacheSeconds: number): Promise<string> => {
    const body = { ...fields, name: slug, slug, cache_seconds: cacheSeconds };
    const response = await owner.post('/v1/sites', body);
    if (response.status !== 201) throw new Error(await response.text());
    return new URL(`/i/${slug}`, service.url).href;
  };
}

/** Serves a picture as web servers do, with a validator. */
function offer(pictures: ForeignServer, path: string, file: Uint8Array): void {
  const headers = { 'Content-Type': 'image/jpeg', ETag: '"1"' };
  pictures.on(path, (response, request) => {
    const isKnown = request.headers['if-none-match'] === headers.ETag;
    response.writeHead(isKnown ? 304 : 200, headers).end(isKnown ? undefined : file);
  });
}

interface Ipx {
  readonly origin: string;
  /** CPU time of its process since its start, in milliseconds. */
  spent(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts IPX in a process of its own, with the same photo. */
async function startIpx(folder: string, file: Uint8Array): Promise<Ipx> {
  const [pictures, results] = [join(folder, 'pictures'), join(folder, 'results')];
  await mkdir(pictures);
  await mkdir(results);
  await writeFile(join(pictures, 'photo.jpg'), file);
  const script = join(import.meta.dirname, 'delivery/kept-ipx.ts');
  const child: ChildProcess = spawn(process.execPath, [script, pictures, results], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = child.stdout ? await once(child.stdout, 'data') : [];
  return {
    origin: `http://127.0.0.1:${String(port).trim()}`,
    spent: async () => cpuMilliseconds(await readFile(`/proc/${child.pid}/stat`, 'utf8')),
    stop: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

interface FirstBytes {
  readonly what: string;
  /** In milliseconds. */
  readonly times: readonly number[];
  readonly failures: readonly string[];
}

/** Times results as they are made, found, and found stale. */
async function firstBytes(
  pictures: ForeignServer,
  site: string,
  ipx: string,
  say: (line: string) => void,
): Promise<readonly FirstBytes[]> {
  const rows: FirstBytes[] = [];
  const measure = async (what: string, base: string, rounds = 1, fetches?: number) => {
    const before = pictures.asked.length;
    const times: number[] = [];
    for (let i = 0; i < rounds; i += 1) {
      for (const width of widths) times.push(await timeToFirstByte(resultAt(base, width)));
    }
    // What is done behind a response.
    await pause(500);
    const asked = pictures.asked.length - before;
    const isAsMeant = fetches === undefined || asked === fetches;
    rows.push({ what, times, failures: isAsMeant ? [] : [`${what}: ${asked} fetches`] });
    say(`  ${what}: ${figure(median(times), 1)} ms`);
  };
  await measure('miss', site, 1, widths.length);
  const madeAt = performance.now();
  await measure('hit', site, 4, 0);
  await measure('IPX, miss', ipx);
  await measure('IPX, hit', ipx, 4);
  await pause(1000 * (freshFor + 1) - (performance.now() - madeAt));
  await measure('stale', site, 1, widths.length);
  return rows;
}

function resultAt(base: string, width: number): string {
  return `${base}/w_${width},f_webp/photo.jpg`;
}

/** Milliseconds until the first byte of the body. */
function timeToFirstByte(url: string): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(url, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      response.once('data', () => resolve(performance.now() - began)).resume();
    });
    request.on('error', reject);
  });
}

interface Load {
  readonly rate: number;
  /** Milliseconds. */
  readonly times: readonly number[];
  /** CPU time of one response, in milliseconds. */
  readonly cpu: number;
  readonly failures: readonly string[];
}

/** Requests one kept result for a while. */
async function loadOf(
  base: string,
  spent: () => number | Promise<number> = workerdOfService().spent,
): Promise<Load> {
  const { pathname: path, origin: url } = new URL(resultAt(base, 800));
  await timeToFirstByte(`${url}${path}`);
  const target = { what: base, url, requests: [{ path }], connections: load.connections };
  // Compiles the code.
  await generateLoad({ ...target, seconds: 2 });
  const before = await spent();
  const { times, seconds, failures } = await generateLoad({ ...target, seconds: load.seconds });
  const cpu = ((await spent()) - before) / times.length;
  return { rate: times.length / seconds, times, cpu, failures };
}

/** Durable rows of a result: results of different images, flushed together as those of a minute are. */
async function rowsPerResult(
  { meters }: TestService,
  pictures: ForeignServer,
  site: string,
): Promise<number> {
  const photo = await smallPhoto();
  const meter = await meters.of(email);
  const make = async (name: string) => {
    offer(pictures, `/${name}.jpg`, photo);
    await timeToFirstByte(`${site}/w_60,f_jpeg/${name}.jpg`);
  };
  await make('first');
  await meter.flush();
  const before = await countersOf(meter);
  for (let i = 0; i < counted; i += 1) await make(`counted-${i}`);
  await meter.flush();
  const after = await countersOf(meter);
  return (after.rows - before.rows + after.databaseRows - before.databaseRows) / counted;
}

function loadTable([ours, theirs]: readonly Load[]): Table {
  const row = (name: string, one: Load | undefined) => [
    name,
    figure(one?.rate),
    figure(quantile(one?.times ?? [], 0.5), 1),
    figure(quantile(one?.times ?? [], 0.99), 1),
    figure(one?.cpu, 2),
  ];
  return {
    caption: `A kept result, ${load.connections} requests at a time`,
    columns: ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU ms a hit'],
    rows: [
      row('ours', ours),
      row('IPX and files', theirs),
      [
        ...['ratio', figure(ratio(ours?.rate, theirs?.rate), 2), '–', '–'],
        figure(ratio(ours?.cpu, theirs?.cpu), 2),
      ],
    ],
  };
}

function timeTable(rows: readonly FirstBytes[]): Table {
  return {
    caption: 'Time to the first byte, in milliseconds: 12 megapixels as WebP of 800 pixels',
    columns: ['', 'median', 'longest', 'requests'],
    rows: rows.map(({ what, times }) => [
      what,
      figure(median(times), 1),
      figure(quantile(times, 1), 1),
      String(times.length),
    ]),
  };
}

function text(photo: string, rows: number): string {
  return `Photos tiled from ${photo}. IPX keeps nothing itself: in front of it, in the same process of Node, is a cache of whole
responses in files. Ours is workerd with its local buckets and database, behind the proxy that wrangler puts in front of it, and
without the cache that answers before the Worker’s code on Cloudflare. *CPU* is that of workerd, without that proxy, and of IPX’s
process; IPX encodes at its own quality, in native code. A *stale* result is sent at once; its source is asked behind it whether it
has changed. A result writes ${figure(rows, 2)} durable rows, in the meter and in D1, flushed once for ${counted} results.`;
}
