import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { meterOn } from '../../src/meter/meter.ts';
import { raisedVersions } from '../../src/store/database.ts';
import { memorySql } from './ledger.ts';
import { meterPlatform } from './node/metered.ts';
import { inProcess } from './recorded-database.ts';

const migrations = join(import.meta.dirname, '../../migrations');

/**
 * The mailbox `mbx_1` with a meter, and a database that can be restored as D1 can. The account `usr_1` has the key `key_1`,
 * with the hash `hash_1`.
 */
export class MeteredMailbox {
  /** The database of accounts. */
  database = new DatabaseSync(':memory:');
  /** When the alarm of the meter is due, in milliseconds since 1970; null if none is set. */
  alarmAt: number | null = null;
  readonly #own = memorySql(new DatabaseSync(':memory:'));
  readonly #folder: string;
  #copies = 0;
  #restores = 0;

  /** @param folder where copies of the database lie */
  constructor(folder: string) {
    this.#folder = folder;
    const names = readdirSync(migrations).filter((name) => name.endsWith('.sql'));
    for (const name of names.sort()) {
      this.database.exec(readFileSync(join(migrations, name), 'utf8'));
    }
    this.database.exec(`INSERT INTO mailboxes (id) VALUES ('mbx_1')`);
    this.add('1');
  }

  /** Adds an account with a key. */
  add(number: string): void {
    this.database.exec(`
      INSERT INTO users (id, mailbox_id, email, epoch, created_at)
      VALUES ('usr_${number}', 'mbx_1', '${number}@gmail.com', 0, 0);
      INSERT INTO api_keys (id, user_id, hash, prefix, name, created_at)
      VALUES ('key_${number}', 'usr_${number}', 'hash_${number}', 'p', 'shop', 0)`);
  }

  /** The meter, as if it had just been loaded. */
  wake() {
    const mailbox = this;
    const platform = {
      ...meterPlatform(inProcess(this.database)),
      get DB() {
        return inProcess(mailbox.database);
      },
    };
    const storage = {
      sql: this.#own,
      transactionSync: <Result>(change: () => Result) => change(),
      getAlarm: async () => this.alarmAt,
      setAlarm: async (at: number) => {
        this.alarmAt = at;
      },
    };
    return new (meterOn(class {}))({ id: { name: 'mbx_1' }, storage }, platform);
  }

  /** The rows of the meter's own tables. */
  rows(sql: string) {
    return this.#own.exec(sql).toArray();
  }

  /** @returns a copy of the database, for `restore` */
  copy(): string {
    this.#copies += 1;
    const path = join(this.#folder, `${this.#copies}.sqlite`);
    this.database.exec(`VACUUM INTO '${path}'`);
    return path;
  }

  /** Restores a copy of the database, and raises its versions as operators do: once more with each restore. */
  restore(path: string): void {
    this.#restores += 1;
    this.database = new DatabaseSync(path);
    const tables = this.database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
      .all()
      .map(({ name }) => String(name));
    for (let i = 0; i < this.#restores; i += 1) {
      for (const sql of raisedVersions(tables)) this.database.exec(sql);
    }
  }
}
