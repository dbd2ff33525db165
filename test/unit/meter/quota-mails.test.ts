import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/meter/ledger.ts';
import { dueMails, type QuotaState } from '../../../src/meter/quota-mails.ts';
import { keyHash, MeterFile, termsAt, userId } from '../../support/ledger.ts';

const state: QuotaState = {
  ...{ pool: 'free', month: '2026-11', freeUsed: 0, freeFilesPerMonth: 10 },
  ...{ paidFiles: 0, pack: null },
};
const pack = { id: 'pay_1', granted: 1000 };

describe('a mail about quota', () => {
  it.each([
    ['nothing before 80 % of the free files', { freeUsed: 7 }, []],
    ['low from then on', { freeUsed: 8 }, ['free-low 2026-11']],
    ['used up, too, at the end', { freeUsed: 10 }, ['free-low 2026-11', 'free-used-up 2026-11']],
    ['nothing while there are paid files', { freeUsed: 10, paidFiles: 1 }, []],
    ['of 3 files at the last one', { freeUsed: 2, freeFilesPerMonth: 3 }, []],
    ['nothing of a pack with more than 20 % left', { pool: 'paid', paidFiles: 201, pack }, []],
    ['low at 20 %', { pool: 'paid', paidFiles: 200, pack }, ['pack-low pay_1']],
    [
      'used up with the last file',
      { pool: 'paid', paidFiles: 0, pack },
      ['pack-low pay_1', 'pack-used-up pay_1'],
    ],
    ['nothing of files that were given', { pool: 'paid', paidFiles: 0 }, []],
  ] as const)('is %s', (_, changes, expected) => {
    const due = dueMails({ ...state, ...changes });
    expect(due.map(([kind, period]) => `${kind} ${period}`)).toEqual(expected);
  });
});

const now = termsAt('2026-11-23T10:00:00Z');

function use(ledger: Ledger, files: number, terms = now): void {
  for (let i = 0; i < files; i += 1) {
    const reservationId = `use_${Math.random()}`;
    expect(ledger.reserve(reservationId, { keyHash }, terms).kind).toBe('reserved');
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
    expect([woken.mails.begin(mail), woken.mails.begin(mail)]).toEqual([true, false]);
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
});
