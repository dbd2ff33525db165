import { DatabaseSync } from 'node:sqlite';
import { Ledger } from '../../src/meter/ledger.ts';
import { Tables } from '../../src/meter/tables.ts';
import type { ObjectSql } from '../../src/platform.ts';
import { quotaTerms } from '../../src/policy/quota.ts';
import type { FirstLoad } from '../../src/store/mailboxes.ts';

/** An object's own database, in memory, like that of a Durable Object. */
export function memorySql(file: DatabaseSync): ObjectSql {
  const rowsChanged = () => Number(file.prepare('SELECT total_changes() AS rows').get()?.rows);
  return {
    exec: (sql, ...values) => {
      if (sql.includes(';')) {
        file.exec(sql);
        return { toArray: () => [], rowsWritten: 0 };
      }
      const before = rowsChanged();
      const rows = file.prepare(sql).all(...values) as ReturnType<
        ReturnType<ObjectSql['exec']>['toArray']
      >;
      // No table has an index besides its key, so each changed row is one that is billed.
      return { toArray: () => rows, rowsWritten: rowsChanged() - before };
    },
  };
}

/** A meter's own database. */
export class MeterFile {
  readonly file = new DatabaseSync(':memory:');
  readonly tables = new Tables(memorySql(this.file));

  /** The ledger of a mailbox with this data in D1. */
  begin(found: Partial<FirstLoad> = {}): Ledger {
    return Ledger.begin(this.tables, { ...nothingUsed, ...found });
  }

  /** The ledger after the object was evicted from memory and loaded again. */
  wake(): Ledger {
    const kept = this.tables.read();
    if (kept === null) throw new Error('nothing was kept');
    return new Ledger(this.tables, kept);
  }
}

export const userId = 'usr_1';
export const keyHash = 'hash_1';

const unusedKey = {
  ...{ id: 'key_1', userId, hash: keyHash, version: 2, isRevoked: false },
  ...{ allTime: 0, lastUsedAt: null, month: '', monthUsed: 0 },
  ...{ monthlyLimit: null, expiresAt: null, revokesAt: null },
};

export const otherKeyHash = 'hash_2';

/** Another key of the same account. */
export const otherKey: FirstLoad['keys'][number] = {
  ...unusedKey,
  ...{ id: 'key_2', hash: otherKeyHash },
};

export const siteId = 'site_1';

/** A site of the same account. */
export const site: FirstLoad['keys'][number] = { ...unusedKey, ...{ id: siteId, hash: siteId } };

/** A mailbox with one account and one key. */
export const nothingUsed: FirstLoad = {
  version: 2,
  accounts: [{ userId, version: 1, isDeleted: false, granted: 0, used: 0 }],
  keys: [unusedKey],
  payments: [],
  freeMonth: '',
  freeUsed: 0,
  unchargedDay: '',
  uncharged: 0,
  unchargedCpu: 0,
  flush: 0,
};

/** Terms with ten free files a month, at a time such as `2026-11-23T10:00:00Z`. */
export function termsAt(moment: string) {
  const allowances = {
    freeFilesPerMonth: 10,
    maxFilesPerMinute: 1000,
    unchargedPerDay: 100,
    unchargedCpuMsPerDay: 10_000,
  };
  return quotaTerms(Date.parse(moment), allowances);
}
