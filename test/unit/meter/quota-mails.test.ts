import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/meter/ledger.ts';
import { keyHash, MeterFile, termsAt, userId } from '../../support/ledger.ts';

const now = termsAt('2026-11-23T10:00:00Z');

function use(ledger: Ledger, files: number, terms = now): void {
  for (let i = 0; i < files; i += 1) {
    const reservationId = `use_${Math.random()}`;
    expect(ledger.reserve(reservationId, keyHash, terms).kind).toBe('reserved');
    ledger.settle({
      ...{ reservationId, terms, answered: { bytesIn: 2, bytesOut: 1 }, charged: true },
      ...{ file: null, cpuMs: 1, origin: 'https://img.example' },
    });
  }
}

const kindsDue = (ledger: Ledger) =>
  ledger.mails.due.map(({ kind, period }) => `${kind} ${period}`);

describe('the mails of a mailbox', () => {
  it('are due once, and begun once, also after the object was put out of memory', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    use(ledger, 7);
    expect([kindsDue(ledger), ledger.mails.due.length > 0]).toEqual([[], false]);
    use(ledger, 2);
    const expected = { kind: 'free-low', period: '2026-11', userId, origin: 'https://img.example' };
    expect(ledger.mails.due).toEqual([{ ...expected, isDone: false }]);
    expect(ledger.hasWork).toBe(true);
    const woken = file.wake();
    const [mail] = woken.mails.due;
    if (!mail) throw new Error('none is due');
    expect(woken.mails.readersOf(mail, now)).toEqual([userId]);
    expect(woken.mails.begin(mail, userId, now)).toEqual({ freeFilesLeft: 1 });
    expect(woken.mails.begin(mail, userId, now)).toBeNull();
    use(woken, 1);
    expect(kindsDue(woken)).toEqual(['free-used-up 2026-11']);
    expect(kindsDue(file.wake())).toEqual(['free-used-up 2026-11']);
  });

  it('are of a month, and the next one has its own', () => {
    const file = new MeterFile();
    const ledger = file.begin();
    use(ledger, 8);
    use(ledger, 8, termsAt('2026-12-02T10:00:00Z'));
    expect(kindsDue(ledger)).toEqual(['free-low 2026-11', 'free-low 2026-12']);
  });

  it('are of the pack that was paid for last, whichever was changed last', () => {
    const payment = (id: string, version: number, paidAt: number, granted: number) => ({
      ...{ id, userId, version, granted, paidAt },
    });
    const ledger = new MeterFile().begin({
      freeMonth: '2026-11',
      freeUsed: 10,
      payments: [payment('pay_old', 9, 100, 90), payment('pay_new', 8, 200, 10)],
    });
    use(ledger, 97);
    expect(kindsDue(ledger)).toEqual([]);
    use(ledger, 1);
    expect(kindsDue(ledger)).toEqual(['pack-low pay_new']);
    use(ledger, 2);
    expect(kindsDue(ledger)).toEqual(['pack-low pay_new', 'pack-used-up pay_new']);
  });

  it('are not sent when they are not true any more: files have been bought or given, an account deleted', () => {
    const change = { accounts: [], keys: [], payments: [], version: 9 };
    const given = { userId, version: 9, isDeleted: false, granted: 5, used: 0 };
    const bought = { id: 'pay_1', userId, version: 9, granted: 5, paidAt: 1 };
    for (const found of [
      { ...change, accounts: [given] },
      { ...change, payments: [bought] },
      { ...change, accounts: [{ ...given, granted: 0, isDeleted: true }] },
    ]) {
      const ledger = new MeterFile().begin();
      use(ledger, 8);
      const [mail] = ledger.mails.due;
      if (!mail) throw new Error('none is due');
      ledger.accounts.apply(found);
      expect(ledger.mails.readersOf(mail, now)).toEqual([]);
      expect(ledger.mails.begin(mail, userId, now)).toBeNull();
      expect(ledger.mails.due).toEqual([]);
    }
  });

  it('are not sent once their month is over', () => {
    const ledger = new MeterFile().begin();
    use(ledger, 8);
    const [mail] = ledger.mails.due;
    if (!mail) throw new Error('none is due');
    expect(ledger.mails.readersOf(mail, termsAt('2026-12-01T00:00:00Z'))).toEqual([]);
  });

  it('go to another account of the mailbox where the one that used the files is none to tell', () => {
    const other = { userId: 'usr_2', version: 1, isDeleted: false, granted: 0, used: 0 };
    const rich = { userId, version: 1, isDeleted: false, granted: 5, used: 0 };
    const ledger = new MeterFile().begin({ accounts: [rich, other] });
    use(ledger, 8);
    const [mail] = ledger.mails.due;
    expect(mail).toMatchObject({ kind: 'free-low', userId: 'usr_2' });
    expect(mail && ledger.mails.readersOf(mail, now)).toEqual(['usr_2']);
  });

  it('come when given files are used up, too', () => {
    const rich = { userId, version: 1, isDeleted: false, granted: 2, used: 0 };
    const ledger = new MeterFile().begin({ accounts: [rich] });
    use(ledger, 11);
    expect(kindsDue(ledger)).toEqual([]);
    use(ledger, 1);
    expect(kindsDue(ledger)).toEqual(['free-low 2026-11', 'free-used-up 2026-11']);
  });
});
