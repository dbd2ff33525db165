import { hashApiKey } from '../../../src/access/api-key.ts';
import { quotaTerms } from '../../../src/policy/quota.ts';
import { authorizeAndReserve, settleReservation } from '../../../src/store/reservations.ts';
import type { TestService } from '../../../test/support/service.ts';
import type { DatabaseRows } from './cost.ts';

/** The rows that one picture takes in the database, as D1 itself counts them: reserved, then charged. */
export async function databaseRows({ database, key }: TestService): Promise<DatabaseRows> {
  const rows = { read: 0, written: 0 };
  const counted = new Proxy(database, {
    get: (target, name: keyof D1Database) => {
      if (name !== 'batch') return target[name].bind(target);
      return async (statements: D1PreparedStatement[]) => {
        const results = await target.batch(statements);
        for (const { meta } of results) {
          rows.read += meta.rows_read;
          rows.written += meta.rows_written;
        }
        return results;
      };
    },
  });
  const terms = quotaTerms(Date.now(), { freeFilesPerMonth: 100_000, unchargedPerDay: 100_000 });
  const reserved = await authorizeAndReserve(counted, { keyHash: await hashApiKey(key) }, terms);
  if (reserved.kind !== 'reserved') throw new Error(`no file was reserved: ${reserved.kind}`);
  const answered = { bytesIn: 2000, bytesOut: 1000 };
  await settleReservation(counted, reserved.reservation.id, { answered, charged: true }, terms);
  return rows;
}
