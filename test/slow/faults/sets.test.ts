import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client, createKey, keyOf } from '../../support/client.ts';
import { sample } from '../../support/pictures.ts';
import { canFindPorts } from '../../support/processes.ts';
import { Random } from '../../support/random.ts';
import { RestartableService } from '../../support/restartable-service.ts';
import { eventually } from '../../support/time.ts';
import { storedEntries } from '../../support/zip.ts';
import { contradictions, meterContradictions, onlyAnswers } from './contradictions.ts';

let service: RestartableService;
let client: Client;
let key: string;
let phone: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await RestartableService.start({ FREE_FILES_PER_MONTH: '1000' });
  client = new Client(service.origin);
  await client.signIn('sets@gmail.com');
  key = keyOf(await createKey(client, { name: 'sets' }));
  phone = await sample('phone.jpg');
}, 120_000);
afterAll(() => service.close());

const query = '?widths=300,600,900,1200,1500&formats=jpeg,webp';

/** The Worker itself, since wrangler's proxy holds answers back. */
async function send(signal?: AbortSignal): Promise<Response> {
  const origin = await service.innerOrigin();
  if (origin === null) throw new Error('the port of the Worker was not found');
  return fetch(`${origin}/v1/sets${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: phone,
    signal: signal ?? null,
  });
}

const expireAll = 'UPDATE lanes SET expires_at = 0 WHERE reservation IS NOT NULL';

/** Figures that D1 has after a request for them. */
async function books() {
  expect((await client.get('/v1/statistics')).status).toBe(200);
  const sums = `
    SELECT (SELECT sum(free_used) FROM mailboxes) AS charged,
           (SELECT coalesce(sum(files), 0) FROM usage_days) AS files,
           (SELECT sum(uncharged_used) FROM mailboxes) AS uncharged`;
  return service.database.open((file) => ({ ...file.prepare(sums).get() }));
}

function expectNoContradictions(): void {
  const complaints = service.database.open(contradictions);
  expect(complaints.filter((complaint) => !complaint.startsWith(onlyAnswers))).toEqual([]);
  expect(service.meters.flatMap((meter) => meter.open(meterContradictions))).toEqual([]);
}

it.skipIf(!canFindPorts)(
  'a set that a kill interrupts costs nothing, and one that comes whole costs its files',
  async () => {
    const random = new Random(61);
    let charged = 0;
    for (let round = 0; round < 3; round += 1) {
      const whole = await send();
      expect(storedEntries(Buffer.from(await whole.arrayBuffer())).size).toBe(11);
      charged += 10;
      await eventually(async () => expect(service.reserved()).toBe(0));
      const response = await send();
      const reader = response.body?.getReader();
      await reader?.read();
      await pause(random.between(0, 1500));
      service.killAll();
      const rest = (async () => {
        for (;;) if ((await reader?.read())?.done !== false) return;
      })();
      await rest.catch(() => {});
      // Three quarters of an hour later.
      for (const meter of service.meters) meter.open((file) => file.exec(expireAll));
      await service.start();
    }
    expect(await books()).toMatchObject({ charged, files: charged });
    expectNoContradictions();
  },
  300_000,
);

it.skipIf(!canFindPorts)(
  'clients that leave in the middle of sets pay for what had left, and keep nobody waiting',
  async () => {
    const random = new Random(62);
    const before = await books();
    let received = 0;
    for (let round = 0; round < 4; round += 1) {
      const leave = new AbortController();
      const response = await send(leave.signal);
      const reader = response.body?.getReader();
      let bytes = 0;
      const most = random.between(10_000, 400_000);
      while (bytes < most) bytes += (await reader?.read())?.value?.length ?? most;
      received += bytes;
      leave.abort();
      const began = Date.now();
      await eventually(async () => expect(service.reserved()).toBe(0));
      expect(Date.now() - began).toBeLessThan(20_000);
    }
    expect(received).toBeGreaterThan(0);
    const after = await books();
    const charged = Number(after.charged) - Number(before.charged);
    expect(charged).toBeGreaterThan(0);
    expect(charged).toBeLessThan(40);
    expect(Number(after.files) - Number(before.files)).toBe(charged);
    expectNoContradictions();
  },
  300_000,
);
