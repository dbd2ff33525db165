import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import {
  access,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { createTarDecoder, createTarPacker, type TarPackController } from 'modern-tar';
import { toldAgain } from '../../meter/schema.ts';
import { dayOf } from '../../policy/quota.ts';
import { raisedVersions } from '../../store/database.ts';
import { Alarms } from './alarms.ts';
import { demandData, demandFolder, lockOf, unfinishedRestore } from './state-folder.ts';

// A backup is a compressed archive of a state folder that a server can start with: the database, the meters, the logs of keys
// and the secrets. Images by URL are not in it, because they are made again; nor are results of Tinify’s clients, which
// last for ten minutes.

const meterName = /^meters\/mbx_[\da-z]{1,64}\.sqlite$/i;

/** All that an archive may hold: nothing of it lands elsewhere. */
const archivedName =
  /^(service\.sqlite|secrets\.json|(meters|key-logs)\/(alarms|mbx_[\da-z]{1,64})\.sqlite)$/i;

/** How long a copy waits for a server that starts or ends, in milliseconds. */
const longestWait = 10_000;

const day = 24 * 60 * 60 * 1000;

/**
 * Writes a backup of a state folder, also while a server uses it. The database comes first: what meters count after that is
 * in their copies, and reaches the database of whoever restores it.
 * @param target a file that does not exist, which only its owner can read; or a stream
 * @returns the number of mailboxes
 * @throws Error with one line for the operator
 */
export async function writeBackup(folder: string, target: string | Writable): Promise<number> {
  demandData(folder);
  if (typeof target === 'string' && existsSync(target)) {
    throw new Error(`${target} exists already.`);
  }
  // Beside the file, where there has to be room anyway.
  const beside = typeof target === 'string' ? join(dirname(target), '.backup-') : null;
  const work = await mkdtemp(beside ?? join(folder, '.backup-'));
  try {
    const part = join(work, 'archive');
    const output =
      typeof target === 'string'
        ? createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true })
        : target;
    const { readable, controller } = createTarPacker();
    const packing = pack(copies({ folder, work, now: Date.now() }), controller);
    // If it fails, so does the stream; if the latter fails, it may be about to copy a file.
    const isOver = packing.catch(() => {});
    try {
      await pipeline(Readable.from(readable), createGzip(), output);
    } finally {
      await isOver;
    }
    if (typeof target === 'string') {
      await rename(part, target);
      await settle(dirname(target));
    }
    return await packing;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** A file that goes into the archive. */
interface Copied {
  /** In the archive. */
  readonly name: string;
  /** On the disk. */
  readonly path: string;
}

/** @returns the number of mailboxes */
async function pack(files: AsyncIterable<Copied>, archive: TarPackController): Promise<number> {
  let mailboxes = 0;
  try {
    for await (const { name, path } of files) {
      const { size, mtime } = await stat(path);
      await feed(archive.add({ name, size, mtime, mode: 0o600 }), createReadStream(path));
      if (meterName.test(name)) mailboxes += 1;
    }
    archive.finalize();
    return mailboxes;
  } catch (error) {
    archive.error(error);
    throw error;
  }
}

interface Copying {
  readonly folder: string;
  /** Where copies lie until they are in the archive. */
  readonly work: string;
  readonly now: number;
}

async function* copies({ folder, work, now }: Copying): AsyncGenerator<Copied> {
  const [service, copy] = [join(work, 'service'), join(work, 'copy')];
  await copyDatabase(join(folder, 'service.sqlite'), service);
  const mailboxes = changed(service, (db) => {
    for (const sql of raisedVersions(tablesOf(db))) db.exec(sql);
    return new Set(
      db
        .prepare('SELECT id FROM mailboxes')
        .all()
        .map(({ id }) => `${id}.sqlite`),
    );
  });
  yield { name: 'service.sqlite', path: service };
  const copying = { folder, work, now, mailboxes };
  yield* copiedObjects(copying, 'meters', (db) => {
    // One that was opened and never used is empty.
    if (!tablesOf(db).includes('mailbox')) return;
    db.prepare('ATTACH ?1 AS d1').run(service);
    for (const sql of toldAgain(dayOf(now - day))) db.exec(sql);
  });
  yield* copiedObjects(copying, 'key-logs', () => {});
  // It may be replaced meanwhile.
  await copyFile(join(folder, 'secrets.json'), copy);
  yield { name: 'secrets.json', path: copy };
}

/** Copies the objects of one class, and an alarm for each. */
async function* copiedObjects(
  { folder, work, now, mailboxes }: Copying & { readonly mailboxes: ReadonlySet<string> },
  kind: 'meters' | 'key-logs',
  change: (db: DatabaseSync) => void,
): AsyncGenerator<Copied> {
  const [copy, alarmsFile] = [join(work, 'copy'), join(work, `${kind}-alarms.sqlite`)];
  const alarms = new Alarms(alarmsFile);
  try {
    // One of a mailbox that the copy of the database does not know is of no use.
    for (const name of (await namesIn(join(folder, kind))).filter((it) => mailboxes.has(it))) {
      await copyDatabase(join(folder, kind, name), copy);
      changed(copy, change);
      yield { name: `${kind}/${name}`, path: copy };
      // Once restored, all of them do what is due: meters tell the database what it lacks, logs delete what is old.
      alarms.set(name.replace('.sqlite', ''), now);
    }
  } finally {
    alarms.close();
  }
  yield { name: `${kind}/alarms.sqlite`, path: alarmsFile };
}

/**
 * Copies a database as it is between two transactions, without traces of what was deleted, into one file. A `VACUUM` of
 * the copy would need a temporary file, for which a read-only container has no folder.
 */
async function copyDatabase(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  const source = new DatabaseSync(from, { timeout: longestWait });
  try {
    source.prepare('VACUUM INTO ?1').run(to);
  } finally {
    source.close();
  }
}

/** Changes a copy. */
function changed<Result>(path: string, change: (db: DatabaseSync) => Result): Result {
  const db = new DatabaseSync(path);
  try {
    return change(db);
  } finally {
    db.close();
  }
}

function tablesOf(db: DatabaseSync): readonly string[] {
  const rows = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return rows.map(({ name }) => String(name));
}

/**
 * Restores a backup into a state folder that is empty or does not exist.
 * @param source a file or a stream
 * @returns the number of mailboxes
 * @throws Error with one line for the operator; the folder is then as empty as before
 */
export async function restoreBackup(source: string | Readable, folder: string): Promise<number> {
  // One that cannot be read leaves no trace.
  if (typeof source === 'string') await access(source);
  demandFolder(folder);
  const lock = lockOf(folder);
  const parts = join(folder, unfinishedRestore);
  // While some of it is in its place, the rest keeps servers away.
  let isApart = false;
  try {
    // Of one that was killed before it had put anything in its place.
    const names = await readdir(folder);
    if (!names.includes('service.sqlite')) await rm(parts, { recursive: true, force: true });
    const others = (await readdir(folder)).filter((name) => !name.startsWith('server.lock'));
    // The latter is at the top of a disk.
    if (others.some((name) => name !== 'lost+found')) {
      throw new Error(`${folder} is not empty: move its contents away, or set STATE_DIR.`);
    }
    isApart = true;
    for (const kind of ['meters', 'key-logs']) {
      await mkdir(join(parts, kind), { recursive: true, mode: 0o700 });
    }
    const input = typeof source === 'string' ? createReadStream(source) : source;
    const unpacked = await unpack(input, parts).catch((cause: Error) => {
      throw new Error(`This is not a whole backup: ${cause.message}`, { cause });
    });
    isApart = false;
    for (const name of ['service.sqlite', 'meters', 'key-logs', 'secrets.json']) {
      await rename(join(parts, name), join(folder, name));
    }
    await settle(folder);
    isApart = true;
    return unpacked.filter((name) => meterName.test(name)).length;
  } finally {
    if (isApart) await rm(parts, { recursive: true, force: true });
    lock.close();
  }
}

/** @returns the names of the files */
async function unpack(input: Readable, target: string): Promise<readonly string[]> {
  const names: string[] = [];
  const { readable, writable } = createTarDecoder({ strict: true });
  const reading = pipeline(input, createGunzip(), (bytes) => feed(writable, bytes));
  // Told by what reads from it.
  reading.catch(() => {});
  for await (const { header, body } of readable) {
    const { name, type } = header;
    if (type !== 'file' || !archivedName.test(name)) {
      throw new Error(`it holds ${JSON.stringify(name)}.`);
    }
    names.push(name);
    await pipeline(
      Readable.from(body),
      createWriteStream(join(target, name), { flags: 'wx', mode: 0o600, flush: true }),
    );
  }
  await reading;
  for (const name of ['service.sqlite', 'secrets.json']) {
    if (!names.includes(name)) throw new Error(`${name} is missing.`);
  }
  return names;
}

/** Writes all that comes from a source; if that fails, so does the stream. */
async function feed(
  stream: WritableStream<Uint8Array>,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const writer = stream.getWriter();
  try {
    for await (const chunk of source) await writer.write(chunk);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
    throw error;
  }
}

/** Forces the names in a folder onto the disk. */
async function settle(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return existsSync(folder) ? readdir(folder) : [];
}
