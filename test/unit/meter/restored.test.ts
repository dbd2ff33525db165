import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MeterCalls } from '../../../src/meter/meter.ts';
import { dayOf } from '../../../src/policy/quota.ts';
import { inFolder } from '../../support/bindings.ts';
import {
  keyHash,
  MeterFile,
  nothingUsed,
  otherKey,
  otherKeyHash,
  siteId,
  termsAt,
  userId,
} from '../../support/ledger.ts';
import { MeteredMailbox } from '../../support/metered-mailbox.ts';

beforeEach(() => {
  // Nothing waits for the time between two questions to the database.
  vi.stubGlobal('scheduler', { wait: async () => {} });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const terms = termsAt(new Date().toISOString());

/** Uses a file, and charges it. @returns what became of its reservation */
async function use(meter: MeterCalls, number: string): Promise<string> {
  const reservationId = `res_${crypto.randomUUID()}`;
  const { kind } = await meter.reserve(reservationId, `hash_${number}`, terms);
  const answered = { bytesIn: 1000, bytesOut: 400 };
  const end = { reservationId, terms, answered, charged: true, file: null };
  if (kind === 'reserved') await meter.settle({ ...end, cpuMs: 1, origin: 'http://localhost' });
  return kind;
}

/** The files that D1 counts by account. */
function counted({ database }: MeteredMailbox) {
  return database
    .prepare('SELECT user_id AS user, files FROM usage_days ORDER BY user_id')
    .all()
    .map((row) => ({ ...row }));
}

describe('figures of what a restored database lacks', () => {
  it('keep none of the others from it', async () => {
    await inFolder(async (folder) => {
      const mailbox = new MeteredMailbox(folder);
      const meter = mailbox.wake();
      await use(meter, '1');
      const before = mailbox.copy();
      mailbox.add('2');
      await use(meter, '2');
      mailbox.restore(before);
      await use(meter, '1');
      await use(meter, '2');
      await meter.flush();
      expect(counted(mailbox)).toEqual([{ user: 'usr_1', files: 2 }]);
      // Those of the mailbox count all of it.
      expect(mailbox.database.prepare('SELECT free_used FROM mailboxes').get()).toEqual({
        free_used: 4,
      });
      await use(meter, '1');
      await meter.flush();
      expect(counted(mailbox)).toEqual([{ user: 'usr_1', files: 3 }]);
    });
  });

  it('are dropped with their mailbox, which is told once and not tried for ever', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    await inFolder(async (folder) => {
      const mailbox = new MeteredMailbox(folder);
      const meter = mailbox.wake();
      await use(meter, '1');
      mailbox.database.exec('DELETE FROM api_keys; DELETE FROM users; DELETE FROM mailboxes');
      for (let i = 0; i < 3; i += 1) await meter.flush();
      await meter.alarm();
      expect(errors.mock.calls).toEqual([[{ event: 'mailbox_lost' }]]);
    });
  });
});

describe('a key that a restored database lacks', () => {
  it('is refused once its meter has seen the raised versions, and so is a site', async () => {
    await inFolder(async (folder) => {
      const mailbox = new MeteredMailbox(folder);
      const meter = mailbox.wake();
      await use(meter, '1');
      const before = mailbox.copy();
      mailbox.add('2');
      mailbox.database.exec(`
        INSERT INTO api_keys (id, user_id, hash, prefix, name, created_at)
        VALUES ('key_3', 'usr_1', 'hash_3', 'p', 'new', 0);
        INSERT INTO sites (id, user_id, slug, name, source, signed, secrets, presets, presets_only,
                           cache_seconds, on_error, created_at)
        VALUES ('${siteId}', 'usr_1', 'one', '', '', 0, '[]', '{}', 0, 60, 'error', 0)`);
      const result = { siteId, path: 'image', file: 'image/a' };
      const request = { ...result, maxPerPath: 5, maxPerMinute: 9 };
      let results = 0;
      const make = async () => {
        results += 1;
        return (await meter.reserveOfSite(`res_${results}`, request, terms)).kind;
      };
      const all = async () => [
        ...[await use(meter, '1'), await use(meter, '2'), await use(meter, '3')],
        await make(),
      ];
      expect(await all()).toEqual(['reserved', 'reserved', 'reserved', 'reserved']);
      const after = mailbox.copy();

      mailbox.restore(before);
      // As a minute after the next file.
      await meter.alarm();
      const refused = ['reserved', 'unknown-key', 'unknown-key', 'unknown-key'];
      expect(await all()).toEqual(refused);
      // It does not come back when the object is loaded again.
      expect(await use(mailbox.wake(), '3')).toBe('unknown-key');

      // The operator has restored the wrong minute.
      mailbox.restore(after);
      await meter.alarm();
      expect(await all()).toEqual(['reserved', 'reserved', 'reserved', 'reserved']);
    });
  });

  it('is refused with all others if the database lacks the mailbox', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    await inFolder(async (folder) => {
      const mailbox = new MeteredMailbox(folder);
      const meter = mailbox.wake();
      expect(await use(meter, '1')).toBe('reserved');
      mailbox.database.exec('DELETE FROM api_keys; DELETE FROM users; DELETE FROM mailboxes');
      await meter.alarm();
      expect(await use(meter, '1')).toBe('unknown-key');
    });
  });

  it('works again with all others once the database has the mailbox again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    await inFolder(async (folder) => {
      const mailbox = new MeteredMailbox(folder);
      const meter = mailbox.wake();
      expect(await use(meter, '1')).toBe('reserved');
      mailbox.database.exec("PRAGMA foreign_keys = OFF; UPDATE mailboxes SET id = 'away' || id");
      await meter.alarm();
      expect(await use(meter, '1')).toBe('unknown-key');
      mailbox.database.exec('UPDATE mailboxes SET id = substr(id, 5)');
      expect(await use(meter, '1')).toBe('reserved');
    });
  });

  it('is not taken for one that was made after the rows of the database were read', () => {
    const ledger = new MeterFile().begin();
    const version = nothingUsed.version + 1;
    const made = { ...otherKey, version };
    ledger.accounts.apply({ ...nothingUsed, version, keys: [made], isWhole: false });
    // What was read before that comes late.
    ledger.accounts.apply({ ...nothingUsed, isWhole: true });
    for (const hash of [keyHash, otherKeyHash]) {
      expect(ledger.accounts.identify(hash, terms.now)?.key.hash).toBe(hash);
    }
  });

  it('has the same figures when the database has it again', () => {
    const ledger = new MeterFile().begin();
    for (const reservationId of ['res_1', 'res_2']) {
      ledger.reserve(reservationId, keyHash, terms);
      const answered = { bytesIn: 1000, bytesOut: 400 };
      const end = { reservationId, terms, answered, charged: true, file: null };
      ledger.settle({ ...end, cpuMs: 1, origin: 'http://localhost' });
    }
    const figures = () => ledger.keyUses(userId, dayOf(terms.now));
    const before = figures();
    expect(before).toMatchObject([{ allTime: 2, monthUsed: 2 }]);
    const [key] = nothingUsed.keys;
    if (!key) throw new Error('there is no key');
    const version = nothingUsed.version + 1e9;
    ledger.accounts.apply({ ...nothingUsed, version, keys: [], isWhole: true });
    expect(ledger.accounts.identify(keyHash, terms.now)).toBeNull();
    const told = { ...key, version: version + 1, allTime: 2, monthUsed: 2 };
    ledger.accounts.apply({ ...nothingUsed, version: version + 1, keys: [told] });
    expect(ledger.accounts.identify(keyHash, terms.now)?.key.id).toBe(key.id);
    expect(figures()).toEqual(before);
  });

  it('goes on as long as nothing was restored, however its row is missing', async () => {
    await inFolder(async (folder) => {
      const mailbox = new MeteredMailbox(folder);
      mailbox.add('2');
      const meter = mailbox.wake();
      await use(meter, '1');
      mailbox.database.exec(`UPDATE users SET granted_files = 5;
                             DELETE FROM api_keys WHERE id = 'key_2'`);
      await meter.alarm();
      expect(await use(meter, '2')).toBe('reserved');
    });
  });
});
