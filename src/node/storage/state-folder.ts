import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { D1Database, Platform } from '../../platform.ts';
import type { Environment } from '../settings.ts';
import { FolderBucket } from './bucket.ts';
import { d1Over } from './d1.ts';
import { KvTable } from './kv.ts';
import { Leases } from './leases.ts';
import { migrate, nextMigration } from './migrations.ts';
import { KeyLogs, Meters } from './objects.ts';
import { SecretsFile } from './secrets.ts';
import { isWritable, SqliteFile } from './sqlite-file.ts';

// The state folder: `service.sqlite` (the tables of D1, and `kv`), `meters/` and `key-logs/` (a file of SQLite for each
// mailbox, and their alarms), `outputs/` and `results/` (files), `secrets.json`. A server holds `server.lock`; commands open the database and
// the secrets beside it.

/** The parts of the platform that lie in the state folder. */
type StoredParts = 'DB' | 'KV' | 'RESULTS' | 'OUTPUTS' | 'METER' | 'KEY_LOGS' | 'RESULT_LEASES';

/** What commands need of the state folder, beside a running server or without one. */
export interface Records {
  readonly DB: D1Database;
  readonly KV: KvTable;
  /** Secrets, and what was kept with `keep`, by the name of the setting; what the environment has goes first. */
  readonly texts: Readonly<Record<string, string>>;
  close(): void;
}

/** Everything that the service keeps. */
export interface State {
  /** Whether it takes changes at this moment. */
  readonly isWritable: boolean;
  /** As in `Records`. */
  readonly texts: Readonly<Record<string, string>>;
  /** Whether the text of a setting is kept, be it empty. */
  keeps(name: string): boolean;
  /** Keeps the text of a setting beside the secrets, for this and later starts. */
  keep(name: string, text: string): void;
  /** The whole platform; from then on, alarms of its objects fire. To be called once. */
  platform(others: Omit<Platform, StoredParts>): Platform;
  /**
   * Deletes values that have expired, copies of the database that are old, and results beyond what they may take: each by
   * itself, whatever becomes of the others.
   * @param maxResultBytes of results of images by URL
   */
  clear(now: number, maxResultBytes: number): readonly Promise<void>[];
  /** Writes the figures of meters to the database, and closes all files. Nothing may be called any more. */
  close(): Promise<void>;
}

/** Where a state is opened. */
export interface StatePlace {
  readonly folder: string;
  /** Folder of the migrations of this version. */
  readonly migrations: string;
  readonly environment: Environment;
}

/** Copies of the database that were made before migrations are kept for a month, in milliseconds. */
const copiesKept = 30 * 24 * 60 * 60 * 1000;

/** Copies, completed or not, and what a backup leaves that was killed. */
const copyName = /^(service-before-\d{4}\.sqlite(\.\d+\.part)?|\.backup-\w{6})$/;

/** Where a restore unpacks: while it is there, the rest of the folder is not whole. */
export const unfinishedRestore = '.restoring';

/** SQLite's code for a file that another process has locked. */
const sqliteBusy = 5;

/**
 * Opens the state folder for a server, the only one; it is made if it does not exist, and its database is migrated.
 * @throws Error with one line for the operator: if another server has it, it cannot be written, or a migration fails
 */
export async function openState(place: StatePlace): Promise<State> {
  const { folder } = place;
  demandFolder(folder);
  const lock = lockOf(folder);
  try {
    demandWhole(folder);
    const { file, secrets, DB } = await openFiles(place);
    const kv = new KvTable(file);
    const RESULTS = new FolderBucket(join(folder, 'results'));
    const OUTPUTS = new FolderBucket(join(folder, 'outputs'));
    let meters: Meters | null = null;
    let keyLogs: KeyLogs | null = null;
    return {
      get isWritable() {
        return isWritable(folder);
      },
      get texts() {
        return secrets.texts;
      },
      keeps: (name) => secrets.keeps(name),
      keep: (name, text) => secrets.keep(name, text),
      platform(others) {
        const parts = { DB, KV: kv, RESULTS, OUTPUTS, RESULT_LEASES: new Leases() };
        meters = new Meters(join(folder, 'meters'), { ...others, ...parts });
        keyLogs = new KeyLogs(join(folder, 'key-logs'), parts);
        return { ...others, ...parts, METER: meters, KEY_LOGS: keyLogs };
      },
      clear: (now, maxResultBytes) => [
        deleteCopies(folder, now - copiesKept),
        RESULTS.keepWithin(maxResultBytes),
        kv.clear(now).then(() => file.emptyLog()),
      ],
      async close() {
        await meters?.close();
        await keyLogs?.close();
        file.close();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/**
 * Opens the database and the secrets for a command, also while a server runs.
 * @throws Error as `openState`
 */
export async function openRecords(place: StatePlace): Promise<Records> {
  demandFolder(place.folder);
  const { file, secrets, DB } = await openFiles(place);
  return { DB, KV: new KvTable(file), texts: secrets.texts, close: () => file.close() };
}

async function openFiles({ folder, migrations, environment }: StatePlace) {
  const path = join(folder, 'service.sqlite');
  const secrets = new SecretsFile(folder, environment, existsSync(path));
  const file = new SqliteFile(path, true);
  try {
    const DB = d1Over(file);
    const next = await nextMigration(DB, migrations);
    if (next && next.applied > 0) copyBefore(next.name, file, folder);
    if (next) await migrate(DB, migrations);
    return { file, secrets, DB };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Puts a copy of the database beside it, for the way back if a migration turns out to be wrong. */
function copyBefore(migration: string, file: SqliteFile, folder: string): void {
  const copy = join(folder, `service-before-${migration.slice(0, 4)}.sqlite`);
  const part = `${copy}.${process.pid}.part`;
  rmSync(part, { force: true });
  file.run('VACUUM INTO ?1', part);
  renameSync(part, copy);
}

async function deleteCopies(folder: string, until: number): Promise<void> {
  for (const name of readdirSync(folder)) {
    if (!copyName.test(name)) continue;
    const path = join(folder, name);
    // A backup that has ended meanwhile is gone.
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts && facts.mtimeMs < until) rmSync(path, { recursive: true, force: true });
  }
}

/** @throws Error for the operator if no server has used the folder */
export function demandData(folder: string): void {
  if (existsSync(join(folder, 'service.sqlite'))) return;
  throw new Error(`${folder} has no data of the service: set STATE_DIR.`);
}

/** @throws Error for the operator if a restore broke off in the folder */
function demandWhole(folder: string): void {
  if (!existsSync(join(folder, unfinishedRestore))) return;
  throw new Error(`A restore broke off in ${folder}: empty the folder, and restore again.`);
}

/** @throws Error for the operator if the folder cannot be made or written */
export function demandFolder(folder: string): void {
  // One that a killed process has left is used again.
  const probe = join(folder, '.probe');
  // What SQLite and buckets make in it, addresses among them, is the owner's alone, also in a folder that others can enter.
  process.umask(0o077);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    mkdirSync(probe, { recursive: true });
    rmSync(probe, { recursive: true, force: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The state folder ${folder} cannot be written: ${reason}.`, { cause: error });
  }
}

/**
 * Locks the folder for this process. The lock is one of the system’s, on an empty database, so that it ends with the process
 * however that ends.
 * @throws Error if another process has it
 */
export function lockOf(folder: string): DatabaseSync {
  const lock = new DatabaseSync(join(folder, 'server.lock'));
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    lock.close();
    const isTaken = cause instanceof Error && 'errcode' in cause && cause.errcode === sqliteBusy;
    if (!isTaken) throw cause;
    throw new Error(
      `Another server uses the state folder ${folder}: stop it first, or set STATE_DIR.`,
      { cause },
    );
  }
}
