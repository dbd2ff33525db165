import type { Ledger } from '../../src/meter/ledger.ts';
import { reservedCpuMs } from '../../src/meter/messages.ts';
import { quotaTerms } from '../../src/policy/quota.ts';
import { keyHash, MeterFile } from '../../test/support/ledger.ts';

const terms = quotaTerms(Date.parse('2026-11-23T10:00:00Z'), {
  ...{ freeFilesPerMonth: 1e9, maxFilesPerMinute: 1e9 },
  ...{ unchargedPerDay: 1e9, unchargedCpuMsPerDay: 1e12 },
});
const measured = 500;

/** Microseconds that a ledger takes for a file beside the lanes that a burst has left. */
export interface LaneTimes {
  readonly lanes: number;
  readonly reserve: number;
  readonly settle: number;
}

/** Measures one file after another, once so many have been in flight at the same time. */
export function laneTimes(lanes: number): LaneTimes {
  const ledger = new MeterFile().begin();
  const burst = Array.from({ length: lanes }, (_, i) => `burst_${i}`);
  for (const id of burst) ledger.reserve(id, keyHash, terms);
  for (const id of burst) settle(ledger, id);
  let [reserve, settled] = [0, 0];
  for (let i = 0; i < measured; i += 1) {
    const began = performance.now();
    ledger.reserve('one', keyHash, terms);
    const reserved = performance.now();
    settle(ledger, 'one');
    reserve += reserved - began;
    settled += performance.now() - reserved;
  }
  const each = 1000 / measured;
  return { lanes, reserve: reserve * each, settle: settled * each };
}

function settle(ledger: Ledger, reservationId: string): void {
  const isBooked = ledger.settle({
    ...{ reservationId, terms, charged: true, file: null, cpuMs: reservedCpuMs },
    answered: { bytesIn: 1000, bytesOut: 400 },
    origin: 'http://localhost',
  });
  if (!isBooked) throw new Error(`${reservationId} was not in flight`);
}
