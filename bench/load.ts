/**
 * `npm run bench:load [-- --seconds n --optimizes n --rounds n]`: tests the running Worker under load: response times,
 * fairness between users, floods, behavior beyond capacity, and whether memory and accounts stay correct. A round of
 * floods takes about a quarter of an hour, and the rest five minutes; it ends with a verdict.
 */
import { parseArgs } from 'node:util';
import { wholeNumber } from '../scripts/local/options.ts';
import { Client, createKey } from '../test/support/client.ts';
import { RestartableService } from '../test/support/restartable-service.ts';
import { terminalTable } from './harness/report.ts';
import { audit, makeKeys, signIns } from './load/accounts.ts';
import { besideWork } from './load/beside-work.ts';
import { crowdOfPhotos, longWork } from './load/fairness.ts';
import { type Flood, sendFloods } from './load/floods.ts';
import { generateLoad, type Latencies, latencyColumns, latencyRow } from './load/load-generator.ts';
import { pastCapacity } from './load/past-capacity.ts';
import {
  allKinds,
  heavyPicture,
  logo,
  longPicture,
  onePixel,
  type Picture,
  photo,
  requestsOf,
  tinyPicture,
  usualPicture,
} from './load/pictures.ts';
import { steadyMemory } from './load/steady-memory.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    optimizes: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '1' },
  },
});
const seconds = wholeNumber('seconds', values.seconds, 1);
const optimizes = wholeNumber('optimizes', values.optimizes, 1);
const rounds = wholeNumber('rounds', values.rounds);

const service = await RestartableService.start({
  FREE_FILES_PER_MONTH: '1000000',
  UNCHARGED_PER_DAY: '1000000',
  UNCHARGED_CPU_SECONDS_PER_DAY: '1000000',
  MAX_FILES_PER_MINUTE: '1000000',
});
const { origin } = service;
const failures: string[] = [];
try {
  const client = new Client(origin);
  await client.signIn('reader@gmail.com');
  for (let i = 0; i < 10; i += 1) await createKey(client, { name: `key ${i}` });
  const keys = await makeKeys(service);
  const cookie = `sid=${client.cookie('sid')}`;
  const reading = (path: string) =>
    generateLoad({
      what: `GET ${path}`,
      url: origin,
      requests: [{ path, headers: { cookie } }],
      connections: 10,
      seconds,
    });
  const optimizing = (what: string, picture: Picture, connections = 4) =>
    generateLoad({
      what: `POST /v1/optimize, ${what}`,
      url: origin,
      requests: requestsOf([picture], keys),
      connections,
      seconds,
    });

  const floods = await floodsOf(await logo(), await photo());
  const fresh = await sendFloods(service, keys, 'fresh', rounds > 0 ? floods : []);

  const figures: Latencies[] = [await reading('/v1/me'), await reading('/v1/keys')];
  figures.push(...(await signIns(origin, seconds)));
  const pictures = [
    await optimizing('1 × 1, 16 at a time', await onePixel(), 16),
    await optimizing('64 × 64', await tinyPicture()),
    await optimizing('1 megapixel', await usualPicture()),
  ];
  const photos = await crowdOfPhotos(origin, keys, await photo());
  const fairness = await longWork(origin, keys, {
    long: await longPicture(),
    small: await tinyPicture(),
  });
  const beside = await besideWork(origin, keys[0] ?? '', client);
  const crowd = await pastCapacity(origin, keys, await heavyPicture());
  const long = await steadyMemory(service, keys, await allKinds(), optimizes);
  pictures.push(long.latencies);
  figures.push(...pictures);

  const worn = await sendFloods(
    service,
    keys,
    `after ${long.latencies.times.length}`,
    Array.from({ length: rounds }, () => floods).flat(),
  );
  const others = [photos, fairness, beside, crowd, fresh, worn];
  const answered = [
    ...pictures.map(({ times }) => times.length),
    ...others.map(({ succeeded }) => succeeded),
  ].reduce((sum, one) => sum + one, 0);
  for (const { what, failures: found } of figures) {
    failures.push(...found.map((failure) => `${what}: ${failure}`));
  }
  failures.push(...others.flatMap((one) => one.failures), ...long.failures);
  const cut = pictures.reduce((sum, one) => sum + (one.cut ?? 0), 0);
  failures.push(...(await audit(service, answered, cut)));

  const rows = figures.map(latencyRow);
  const caption = 'The running Worker, under `wrangler dev` on this machine';
  const tables = [
    { caption, columns: latencyColumns, rows },
    ...others.map(({ table }) => table),
    long.table,
  ];
  for (const table of tables) {
    console.log(`\n${terminalTable(table)}`);
  }
} finally {
  await service.close();
}

/** Small and large pictures, more than can be answered in half a minute. */
async function floodsOf(small: Picture, large: Picture): Promise<readonly Flood[]> {
  const reduced = [200, 40].map((width) => ({ ...small, query: `?width=${width}` }));
  return [
    ...reduced.flatMap((picture) =>
      [400, 1000, 2000].map((requests) => ({ what: picture.query, picture, requests })),
    ),
    { what: 'photo', picture: large, requests: 150 },
  ];
}

for (const failure of failures.slice(0, 20)) console.log(failure);
console.log(
  failures.length === 0
    ? `\nUnder load: nothing but 200, and 503 with Retry-After past capacity; memory flat; every answer is accounted for`
    : `\nUnder load: ${failures.length} failures`,
);
process.exit(failures.length === 0 ? 0 : 1);
