import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { MeterCalls } from '../../../src/meter/meter.ts';
import { inFolder } from '../../support/bindings.ts';
import { siteId, termsAt } from '../../support/ledger.ts';
import { MeteredMailbox } from '../../support/metered-mailbox.ts';

const minute = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-23T10:00:00Z') });
  // Nothing waits for the time between two questions to the database.
  vi.stubGlobal('scheduler', { wait: async () => {} });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const nowTerms = () => termsAt(new Date().toISOString());

/** Charges a file that is charged once however often it is fetched. */
async function charge(meter: MeterCalls, file: string): Promise<void> {
  const [reservationId, terms] = [`res_${file}`, nowTerms()];
  await meter.reserve(reservationId, 'hash_1', terms, { file });
  const answered = { bytesIn: 1000, bytesOut: 400 };
  const end = { reservationId, terms, answered, charged: true, file };
  await meter.settle({ ...end, cpuMs: 1, origin: 'http://localhost' });
}

/** Charges a result of the site. */
async function make(meter: MeterCalls, file: string): Promise<void> {
  const [reservationId, terms] = [`res_${file}`, nowTerms()];
  const request = { siteId, path: file, file, maxPerPath: 5, maxPerMinute: 1e6 };
  expect((await meter.reserveOfSite(reservationId, request, terms)).kind).toBe('reserved');
  const answered = { bytesIn: 1000, bytesOut: 400 };
  const end = { reservationId, terms, answered, charged: true, file };
  await meter.settle({ ...end, cpuMs: 1, origin: 'http://localhost' });
}

function addSite({ database }: MeteredMailbox): void {
  database.exec(`
    INSERT INTO sites (id, user_id, slug, name, source, signed, secrets, presets, presets_only,
                       cache_seconds, on_error, created_at)
    VALUES ('${siteId}', 'usr_1', 'one', '', '', 0, '[]', '{}', 0, 60, 'error', 0)`);
}

/** Lets time pass while nobody calls the meter, until its alarm is not set any more. @returns when it was called */
async function fallSilent(mailbox: MeteredMailbox): Promise<string[]> {
  const called: string[] = [];
  while (mailbox.alarmAt !== null && called.length < 100) {
    vi.setSystemTime(mailbox.alarmAt);
    called.push(new Date().toISOString());
    mailbox.alarmAt = null;
    await mailbox.wake().alarm();
  }
  return called;
}

it('a mailbox that falls silent forgets the results that were charged within the hour when it is over', async () => {
  await inFolder(async (folder) => {
    const mailbox = new MeteredMailbox(folder);
    const meter = mailbox.wake();
    await charge(meter, 'a');
    vi.setSystemTime(Date.now() + 20 * minute);
    await charge(meter, 'b');
    expect(mailbox.rows('SELECT file FROM charged_files')).toHaveLength(2);
    const called = await fallSilent(mailbox);
    expect(mailbox.rows('SELECT file FROM charged_files')).toEqual([]);
    expect(called.slice(1)).toEqual(['2026-11-23T11:00:00.000Z', '2026-11-23T11:20:00.000Z']);
  });
});

it('a mailbox that falls silent forgets what its sites have made when the month is over', async () => {
  await inFolder(async (folder) => {
    const mailbox = new MeteredMailbox(folder);
    addSite(mailbox);
    const meter = mailbox.wake();
    for (const file of ['a', 'b']) await make(meter, file);
    const called = await fallSilent(mailbox);
    expect(mailbox.rows('SELECT file FROM made_results')).toEqual([]);
    expect(called).toEqual(['2026-11-23T10:01:00.000Z', '2026-12-01T01:00:00.000Z']);
  });
});

it('a mailbox that has nothing to forget sets one alarm for its figures', async () => {
  await inFolder(async (folder) => {
    const mailbox = new MeteredMailbox(folder);
    const meter = mailbox.wake();
    const reservationId = 'res_1';
    await meter.reserve(reservationId, 'hash_1', nowTerms());
    const end = { reservationId, terms: nowTerms(), answered: { bytesIn: 2, bytesOut: 1 } };
    const booked = { ...end, charged: true, file: null, cpuMs: 1, origin: 'http://localhost' };
    await meter.settle(booked);
    expect(await fallSilent(mailbox)).toEqual(['2026-11-23T10:01:00.000Z']);
  });
});
