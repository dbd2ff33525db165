import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultRequest } from '../../src/meter/messages.ts';
import type { MeterCalls } from '../../src/meter/meter.ts';
import { addDays, quotaTerms } from '../../src/policy/quota.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

const email = 'results.of.sites@example.com';
const plenty = {
  ...{ freeFilesPerMonth: 100_000, maxFilesPerMinute: 1e6 },
  ...{ unchargedPerDay: 1e6, unchargedCpuMsPerDay: 1e9 },
};
const terms = quotaTerms(Date.now(), plenty);

let service: TestService;
let meter: MeterCalls;
beforeAll(async () => {
  service = await sharedTestService();
  await service.signedIn(email);
  meter = await service.meters.of(email);
});
afterAll(() => service.close());

/** Adds a site to D1, of which the meter is told nothing. */
async function addSite(monthlyLimit: number | null = null): Promise<string> {
  const name = `site_${crypto.randomUUID()}`;
  await service.database
    .prepare(
      `INSERT INTO sites (id, user_id, slug, name, source, signed, secrets, presets, presets_only,
                          cache_seconds, on_error, monthly_limit, created_at)
       SELECT ?1, id, ?1, '', '', 0, '[]', '{}', 0, 60, 'error', ?2, 0 FROM users WHERE email = ?3`,
    )
    .bind(name, monthlyLimit, email)
    .run();
  return name;
}

function result(siteId: string, file: string, limits: Partial<ResultRequest> = {}): ResultRequest {
  return {
    siteId,
    path: 'image',
    file: `image/${file}`,
    maxPerPath: null,
    maxPerMinute: 1e6,
    ...limits,
  };
}

function settle(reservationId: string, { file }: ResultRequest, at = terms): Promise<boolean> {
  return meter.settle({
    ...{ reservationId, terms: at, charged: true, file, cpuMs: 1, origin: 'http://localhost' },
    answered: { bytesIn: 1000, bytesOut: 400 },
  });
}

const used = async () => {
  const user = await service.database
    .prepare('SELECT id FROM users WHERE email = ?1')
    .bind(email)
    .first<string>('id');
  const caller = { userId: user ?? '' };
  return (await meter.balance({ caller, terms, version: 0 }))?.freeUsed ?? 0;
};

/** Reserves and settles this many results at once; returns how many of each answer there were. */
async function makeAtOnce(count: number, request: (i: number) => ResultRequest) {
  const kinds = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const id = `res_${crypto.randomUUID()}`;
      const { kind } = await meter.reserveOfSite(id, request(i), terms);
      return { id, kind, request: request(i) };
    }),
  );
  const reserved = kinds.filter(({ kind }) => kind === 'reserved');
  const settled = await Promise.all(reserved.map(({ id, request }) => settle(id, request)));
  expect(settled.every(Boolean)).toBe(true);
  return Object.fromEntries(
    [...new Set(kinds.map(({ kind }) => kind))].map((kind) => [
      kind,
      kinds.filter((one) => one.kind === kind).length,
    ]),
  );
}

// That none is lost or doubled at once is also tested, quickly, in the ledger itself and over HTTP.
describe('500 results of sites at once, in the meter of their account', { tags: 'slow' }, () => {
  it('are charged once where they are the same, and each where they are different', async () => {
    const site = await addSite();
    const before = await used();
    expect(await makeAtOnce(500, () => result(site, 'a'))).toEqual({ reserved: 500 });
    expect(await used()).toBe(before + 1);
    expect(await makeAtOnce(500, (i) => result(site, `b${i}`))).toEqual({ reserved: 500 });
    expect(await used()).toBe(before + 501);
    await service.meters.flush();
    const row = await service.database
      .prepare('SELECT all_time_used, month_used FROM sites WHERE id = ?1')
      .bind(site)
      .first();
    expect(row).toEqual({ all_time_used: 1000, month_used: 1000 });
  });

  it('are no more than the limits of the site', async () => {
    const [limited, site] = [await addSite(70), await addSite()];
    expect(await makeAtOnce(500, (i) => result(limited, `${i}`))).toEqual({
      ...{ reserved: 70, 'key-limit': 430 },
    });
    const inMinute = (i: number) => result(site, `${i}`, { maxPerMinute: 30 });
    expect(await makeAtOnce(500, inMinute)).toEqual({ reserved: 30, 'site-too-fast': 470 });
    const ofImage = (i: number) => result(site, `${i}`, { maxPerPath: 60 });
    // Those 30 are made again, and 30 more.
    expect(await makeAtOnce(500, ofImage)).toEqual({ reserved: 60, 'path-limit': 440 });
  });
});

it('a result costs four rows, with its raised time and the end of its month', {
  tags: 'slow',
}, async () => {
  const site = await addSite();
  // What belongs to a month that is over is cleared by the next flush, the last month only from an hour into this one.
  const past = quotaTerms(Date.parse(addDays(`${terms.month}-01`, -40)), plenty);
  await makeAtOnce(1, () => result(site, 'first'));
  await service.meters.flush();
  const before = (await meter.writes()).rows;
  for (let i = 0; i < 100; i += 1) {
    const request = result(site, `${i}`);
    expect(await meter.reserveOfSite(`past_${i}`, request, past)).toMatchObject({
      kind: 'reserved',
    });
    expect(await meter.raise(`past_${i}`, 9000, past)).toBe('reserved');
    expect(await settle(`past_${i}`, request, past)).toBe(true);
  }
  await service.meters.flush();
  const rows = (await meter.writes()).rows - before;
  expect(rows).toBeGreaterThanOrEqual(400);
  // Each pays a tenth of a row for merging the lanes of bursts; the others are the lane of that day, and the flush itself.
  expect(rows).toBeLessThan(420);
});

it('a site that is deleted in D1 makes nothing more once the meter is told', async () => {
  const site = await addSite();
  expect(await makeAtOnce(1, () => result(site, 'a'))).toEqual({ reserved: 1 });
  const doubt = await meter.distrust(site);
  await service.database
    .prepare(`UPDATE sites SET status = 'deleted' WHERE id = ?1`)
    .bind(site)
    .run();
  expect(await makeAtOnce(3, () => result(site, 'b'))).toEqual({ 'unknown-key': 3 });
  await meter.refresh(doubt);
  expect(await makeAtOnce(3, () => result(site, 'b'))).toEqual({ 'unknown-key': 3 });
});
