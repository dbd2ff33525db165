import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/meter/ledger.ts';
import { type ResultRequest, reservationLife } from '../../../src/meter/messages.ts';
import { schemaSteps } from '../../../src/meter/schema.ts';
import type { FirstLoad } from '../../../src/store/mailboxes.ts';
import {
  keyHash,
  MeterFile,
  nothingUsed,
  site,
  siteId,
  termsAt,
  userId,
} from '../../support/ledger.ts';

const now = { ...termsAt('2026-11-23T10:00:00Z'), freeFilesPerMonth: 1000, unchargedPerDay: 5000 };
const plenty = { ...now, unchargedCpuMsPerDay: 1e9, maxFilesPerMinute: 1e6 };
const december = { ...termsAt('2026-12-01T00:00:01Z'), freeFilesPerMonth: 1000 };

/** A result of an image, of which there may be any number. */
function result(image: string, name: string, limits: Partial<ResultRequest> = {}): ResultRequest {
  const anyNumber = { maxPerPath: null, maxPerMinute: 1e6 };
  return { siteId, path: image, file: `${image}/${name}`, ...anyNumber, ...limits };
}

const another = { ...site, id: 'site_2', hash: 'site_2' };

function begin(file: MeterFile, options: Partial<FirstLoad['keys'][number]> = {}): Ledger {
  return file.begin({ keys: [...nothingUsed.keys, { ...site, ...options }, another] });
}

type End = { terms?: typeof now; charged?: boolean; isAnswered?: boolean };

function settle(
  ledger: Ledger,
  id: string,
  { file }: ResultRequest,
  { terms = plenty, charged = true, isAnswered = true }: End = {},
): boolean {
  return ledger.settle({
    ...{ reservationId: id, terms, charged, file, cpuMs: 100, origin: 'http://localhost' },
    answered: isAnswered ? { bytesIn: 1000, bytesOut: charged ? 400 : 999 } : null,
  });
}

/** Makes a result; returns how it was reserved. */
function make(ledger: Ledger, request: ResultRequest, end: End = {}): string {
  const id = `res_${Math.random()}`;
  const { kind } = ledger.reserveOfSite(id, request, end.terms ?? plenty);
  if (kind === 'reserved') settle(ledger, id, request, end);
  return kind;
}

const used = (ledger: Ledger, terms = plenty) => ledger.balance({ userId }, terms)?.freeUsed;
const useOf = (ledger: Ledger, day = now.day) =>
  ledger.keyUses(userId, day).find(({ id }) => id === siteId);

describe('a result of a site', () => {
  it('is charged once a month, however often it is made, also by a meter that was asleep', () => {
    const file = new MeterFile();
    const ledger = begin(file);
    const one = result('image_1', 'a');
    expect([make(ledger, one), make(ledger, one), make(file.wake(), one)]).toEqual(
      Array.from({ length: 3 }, () => 'reserved'),
    );
    const woken = file.wake();
    expect(used(woken)).toBe(1);
    expect(useOf(woken)).toMatchObject({ allTime: 3, monthUsed: 3, today: 3 });
    make(woken, { ...one, siteId: 'site_2' });
    make(woken, result('image_1', 'b'));
    expect(used(file.wake())).toBe(3);
  });

  it('that has been charged is made again where no file is left', () => {
    const ledger = begin(new MeterFile());
    const terms = { ...plenty, freeFilesPerMonth: 1 };
    const [one, other] = [result('image_1', 'a'), result('image_1', 'b')];
    expect(make(ledger, one, { terms })).toBe('reserved');
    expect(make(ledger, other, { terms })).toBe('exhausted');
    expect(ledger.reserveOfSite('again', one, terms)).toMatchObject({
      ...{ kind: 'reserved', isRepeated: true },
    });
    settle(ledger, 'again', one, { terms });
    expect(used(ledger, terms)).toBe(1);
  });

  it('that was not small enough to be charged is charged when it is', () => {
    const file = new MeterFile();
    const ledger = begin(file);
    const one = result('image_1', 'a');
    make(ledger, one, { charged: false });
    expect(used(ledger)).toBe(0);
    const woken = file.wake();
    for (let i = 0; i < 2; i += 1) make(woken, one);
    expect(used(woken)).toBe(1);
    make(woken, one, { charged: false });
    make(woken, one);
    expect(used(woken)).toBe(1);
  });

  it('of which 500 are asked for at once is charged once, and 500 different ones each, through kills', () => {
    const file = new MeterFile();
    let ledger = begin(file);
    const ofOne = () => result('image_1', 'a');
    const ofMany = (i: number) => result(`image_${i % 7}`, `${i}`);
    for (const [of, charged] of [
      [ofOne, 1],
      [ofMany, 501],
    ] as const) {
      const each = (act: (id: string, request: ResultRequest) => void) => {
        for (let i = 0; i < 500; i += 1) {
          if (i % 50 === 0) ledger = file.wake();
          act(`res_${i}`, of(i));
        }
      };
      each((id, request) => {
        expect(ledger.reserveOfSite(id, request, plenty).kind).toBe('reserved');
      });
      expect(file.wake().inFlight(now.now).count).toBe(500);
      each((id, request) => expect(settle(ledger, id, request)).toBe(true));
      each((id, request) => expect(settle(ledger, id, request)).toBe(false));
      expect([used(file.wake()), file.wake().inFlight(now.now).count]).toEqual([charged, 0]);
    }
    expect(useOf(file.wake())).toMatchObject({ allTime: 1000, monthUsed: 1000 });
  });

  it('that fails or is given back leaves nothing but work', () => {
    const file = new MeterFile();
    const ledger = begin(file, { monthlyLimit: 1 });
    const one = result('image_1', 'a', { maxPerPath: 1 });
    ledger.reserveOfSite('back', one, plenty);
    ledger.giveBack('back');
    make(file.wake(), one, { charged: false, isAnswered: false });
    const woken = file.wake();
    expect(useOf(woken)).toMatchObject({ monthUsed: 0, allTime: 0 });
    expect(woken.reserveOfSite('one', one, { ...plenty, unchargedPerDay: 1 })).toMatchObject({
      ...{ kind: 'too-many-uncharged', forToday: true },
    });
    expect(make(woken, result('image_1', 'b', { maxPerPath: 1 }))).toBe('reserved');
    expect(used(woken)).toBe(1);
  });

  it('is reserved once for each id, and unknown where the site is, or its account is gone', () => {
    const file = new MeterFile();
    const ledger = begin(file);
    const one = result('image_1', 'a', { maxPerMinute: 1 });
    const first = ledger.reserveOfSite('a', one, plenty);
    expect(first).toMatchObject({ kind: 'reserved', keyId: siteId, remaining: 999 });
    expect(ledger.reserveOfSite('a', one, plenty)).toEqual(first);
    expect(file.wake().reserveOfSite('a', one, plenty)).toEqual(first);
    const unknown = { kind: 'unknown-key', isExpired: false };
    expect(ledger.reserveOfSite('b', { ...one, siteId: 'site_9' }, plenty)).toEqual(unknown);
    ledger.accounts.erase(userId);
    expect(ledger.reserveOfSite('c', one, plenty)).toEqual(unknown);
  });

  it('costs four rows at most, with its raised time and the end of its month', () => {
    const file = new MeterFile();
    const ledger = begin(file);
    ledger.reserveOfSite('first', result('image_0', 'a'), plenty);
    settle(ledger, 'first', result('image_0', 'a'));
    const before = file.tables.rowsWritten;
    for (let i = 0; i < 100; i += 1) {
      const one = result('image_1', `${i}`);
      ledger.reserveOfSite(`r${i}`, one, plenty);
      expect(ledger.raise(`r${i}`, 9000, plenty)).toBe('reserved');
      expect(ledger.inFlight(now.now).cpu).toBe(9000);
      expect(file.wake().inFlight(now.now)).toEqual({ count: 1, cpu: 500 });
      settle(ledger, `r${i}`, one);
    }
    expect(file.tables.rowsWritten - before).toBe(300);
    const made = file.tables.rowsWritten;
    ledger.forget(december.now + 2 * 3_600_000);
    expect(file.tables.rowsWritten - made).toBe(101);
  });
});

describe('the month of results', () => {
  const late = { ...plenty, ...termsAt('2026-11-30T23:59:59Z'), freeFilesPerMonth: 1000 };
  const one = result('image_1', 'a', { maxPerPath: 1 });

  it('begins anew: what was charged is charged again, and another result may be made', () => {
    const file = new MeterFile();
    const ledger = begin(file, { monthlyLimit: 1 });
    make(ledger, one);
    expect(make(ledger, one)).toBe('key-limit');
    expect(make(file.wake(), one, { terms: december })).toBe('reserved');
    const woken = file.wake();
    expect([used(woken), used(woken, december)]).toEqual([1, 1]);
    expect(make(woken, one, { terms: december })).toBe('key-limit');
  });

  it('is that of the reservation: what ends late is charged in the month before, once', () => {
    const file = new MeterFile();
    const ledger = begin(file);
    for (const id of ['a', 'b', 'c']) ledger.reserveOfSite(id, one, late);
    settle(ledger, 'a', one, { terms: late });
    const flush = () => ledger.endFlush(ledger.beginFlush(december), december.now + 60_000);
    flush();
    settle(ledger, 'b', one, { terms: late });
    flush();
    settle(ledger, 'c', one, { terms: december });
    expect([used(ledger), used(ledger, december)]).toEqual([1, 0]);
    make(ledger, one, { terms: december });
    expect([used(ledger), used(ledger, december)]).toEqual([1, 1]);
  });

  it('is forgotten when it is over and nothing of it can be in flight', () => {
    const file = new MeterFile();
    const ledger = begin(file);
    const rows = () => file.file.prepare('SELECT month FROM made_results').all();
    make(ledger, one, { terms: late });
    make(ledger, one, { terms: december });
    ledger.endFlush(ledger.beginFlush(december), december.now + reservationLife);
    expect(rows()).toHaveLength(2);
    ledger.endFlush(ledger.beginFlush(december), december.now + 3_600_000);
    expect(rows()).toEqual([{ month: '2026-12' }]);
    ledger.reserveOfSite('late', result('image_2', 'a'), december);
    ledger.accounts.erase(userId);
    ledger.forget(december.now);
    settle(ledger, 'late', result('image_2', 'a'), { terms: december });
    expect(rows()).toEqual([]);
  });
});

describe('the limits of a site', () => {
  it('are so many results a month, charged or not, with those in flight', () => {
    const file = new MeterFile();
    const ledger = begin(file, { monthlyLimit: 4 });
    make(ledger, result('image_1', 'a'));
    make(ledger, result('image_1', 'b'), { charged: false });
    make(ledger, result('image_1', 'a'));
    ledger.reserveOfSite('open', result('image_1', 'c'), plenty);
    for (const one of [ledger, file.wake()]) {
      expect(one.reserveOfSite('more', result('image_1', 'a'), plenty)).toEqual({
        ...{ kind: 'key-limit', keyId: siteId, limit: 4 },
      });
    }
    ledger.giveBack('open');
    expect(make(ledger, result('image_1', 'a'))).toBe('reserved');
    expect(make(ledger, result('image_1', 'a'))).toBe('key-limit');
    expect(ledger.reserve('key', keyHash, plenty).kind).toBe('reserved');
    expect(ledger.beginFlush(now).keys).toContainEqual(
      expect.objectContaining({ id: siteId, allTime: 4, month: '2026-11', monthUsed: 4 }),
    );
  });

  it('stay counted when days are folded up, and go on where D1 had them', () => {
    const file = new MeterFile();
    const ledger = begin(file, { monthlyLimit: 6, month: '2026-11', monthUsed: 2, allTime: 9 });
    const earlier = { ...plenty, ...termsAt('2026-11-20T10:00:00Z') };
    for (const name of ['a', 'b', 'c']) {
      make(ledger, result('image_1', name), { terms: earlier, charged: name === 'a' });
    }
    ledger.endFlush(ledger.beginFlush(now), now.now);
    expect(file.file.prepare('SELECT count(*) AS n FROM lanes').get()).toMatchObject({ n: 0 });
    const woken = file.wake();
    expect(useOf(woken)).toMatchObject({ monthUsed: 5, allTime: 12 });
    const kinds = ['d', 'e'].map((name) => make(woken, result('image_1', name)));
    expect(kinds).toEqual(['reserved', 'key-limit']);
  });

  it('are so many different results of one image, of which each may be made again', () => {
    const file = new MeterFile();
    const ledger = begin(file);
    const of = (image: string, name: string) => result(image, name, { maxPerPath: 3 });
    make(ledger, of('image_1', 'a'));
    make(ledger, of('image_1', 'b'), { charged: false });
    ledger.reserveOfSite('open', of('image_1', 'c'), plenty);
    for (const one of [ledger, file.wake()]) {
      const kind = (request: ResultRequest) => {
        const answer = one.reserveOfSite(`probe`, request, plenty);
        if (answer.kind === 'reserved') one.giveBack('probe');
        return answer.kind;
      };
      expect(kind(of('image_1', 'd'))).toBe('path-limit');
      for (const known of ['a', 'b', 'c']) expect(kind(of('image_1', known))).toBe('reserved');
      expect(kind(of('image_2', 'd'))).toBe('reserved');
      expect(kind({ ...of('image_1', 'd'), siteId: 'site_2' })).toBe('reserved');
      expect(kind(result('image_1', 'd'))).toBe('reserved');
      // The one in flight is no longer.
      const later = { ...plenty, now: plenty.now + reservationLife };
      expect(one.reserveOfSite('later', of('image_1', 'd'), later).kind).toBe('reserved');
      one.giveBack('later');
    }
    const woken = file.wake();
    woken.giveBack('open');
    expect([make(woken, of('image_1', 'd')), make(woken, of('image_1', 'c'))]).toEqual([
      ...['reserved', 'path-limit'],
    ]);
  });

  it.each([1, 60])('are reached exactly by 500 requests at once: %d', (limit) => {
    for (const request of [
      (i: number) => result('image_1', `${i}`, { maxPerPath: limit }),
      (i: number) => result(`image_${i}`, 'a', { maxPerMinute: limit }),
    ]) {
      const file = new MeterFile();
      const ledger = begin(file);
      const kinds = Array.from(
        { length: 500 },
        (_, i) => ledger.reserveOfSite(`r${i}`, request(i), plenty).kind,
      );
      expect(kinds.filter((kind) => kind === 'reserved')).toHaveLength(limit);
      expect(kinds.slice(0, limit).every((kind) => kind === 'reserved')).toBe(true);
    }
    const ledger = begin(new MeterFile(), { monthlyLimit: limit });
    const kinds = Array.from({ length: 500 }, (_, i) => {
      const charged = i % 3 > 0;
      return make(ledger, result('image_1', `${i % 20}`), { charged });
    });
    expect(kinds.filter((kind) => kind === 'reserved')).toHaveLength(limit);
  });

  it('are so many attempts a minute, failed ones too, and do not take those of another site', () => {
    const ledger = begin(new MeterFile());
    const of = (name: string) => result('image_1', name, { maxPerMinute: 2 });
    ledger.reserveOfSite('a', of('a'), plenty);
    ledger.giveBack('a');
    make(ledger, of('b'), { charged: false, isAnswered: false });
    expect(ledger.reserveOfSite('c', of('c'), plenty)).toEqual({
      ...{ kind: 'site-too-fast', keyId: siteId, seconds: 60 },
    });
    expect(make(ledger, { ...of('c'), siteId: 'site_2' })).toBe('reserved');
    const next = { ...plenty, now: plenty.now + 60_000 };
    expect(make(ledger, of('c'), { terms: next })).toBe('reserved');
  });

  it('come with the pace of the account, and a refusal counts against neither', () => {
    const ledger = begin(new MeterFile());
    const slow = { ...plenty, maxFilesPerMinute: 2 };
    const of = (name: string) => result('image_1', name, { maxPerMinute: 1 });
    ledger.reserve('key', keyHash, slow);
    expect(make(ledger, of('a'), { terms: slow })).toBe('reserved');
    expect(make(ledger, of('b'), { terms: { ...slow, maxFilesPerMinute: 9 } })).toBe(
      'site-too-fast',
    );
    expect(make(ledger, { ...of('b'), siteId: 'site_2' }, { terms: slow })).toBe('too-fast');
    const faster = { ...slow, maxFilesPerMinute: 3 };
    expect(make(ledger, { ...of('b'), siteId: 'site_2' }, { terms: faster })).toBe('reserved');
  });
});

describe('a Worker of a release without sites', () => {
  it('finds the tables and columns that it writes whole rows to', () => {
    const tables = (steps: readonly string[]) => {
      const database = new DatabaseSync(':memory:');
      for (const step of steps) database.exec(step);
      const all = database.prepare('SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL').all();
      return Object.fromEntries(all.map(({ name, sql }) => [String(name), sql]));
    };
    const { made_results, ...others } = tables(schemaSteps);
    expect(made_results).toBeDefined();
    expect(others).toEqual(tables(schemaSteps.slice(0, 3)));
  });

  it('may write a reservation of a site in between: the result is charged once as before', () => {
    const file = new MeterFile();
    const ledger = begin(file);
    const one = result('image_1', 'a');
    for (const id of ['a', 'b']) ledger.reserveOfSite(id, one, plenty);
    // It reads the id, which is the first word, and writes that alone.
    file.file.exec(`UPDATE lanes SET reservation = substr(reservation, 1, 1), cpu = 700`);
    for (const id of ['a', 'b']) expect(settle(file.wake(), id, one)).toBe(true);
    expect(used(file.wake())).toBe(1);
    expect(make(file.wake(), result('image_1', 'b', { maxPerPath: 1 }))).toBe('path-limit');
  });
});
