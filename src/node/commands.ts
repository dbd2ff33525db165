import { join, resolve } from 'node:path';
import { normalizeEmailAddress } from '../access/email-address.ts';
import type { Platform } from '../platform.ts';
import { boundTransaction } from '../store/database.ts';
import { type CommandEnv, grantFiles, makeKey } from './accounts.ts';
import { reportRotation, rotateUnder } from './rotation.ts';
import { commonVariables, type Environment, stateFolder } from './settings.ts';
import { restoreBackup, writeBackup } from './storage/backup.ts';
import { demandData, openRecords, type StatePlace } from './storage/state-folder.ts';

const usage = `Usage: node server.js                            serves
       node server.js key <address>              prints a new API key of a user
       node server.js grant <address> <files>    adds paid files to a user
       node server.js rotate-keys                seals all keys under the newest of KEY_SECRETS
       node server.js backup <file>              writes a backup of STATE_DIR
       node server.js restore <file>             restores it into STATE_DIR, which must be empty
All but restore work while the server runs. Users are created if new. A file named - is the standard output or input.`;

/** Prints how commands are used. @returns the status of wrong arguments */
function refuse(): number {
  console.error(usage);
  return 2;
}

/**
 * Runs a command with the arguments behind its name.
 * @returns the status that the process ends with
 * @throws Error with one line for the operator
 */
type Command = (args: readonly string[], place: StatePlace) => Promise<number>;

const commands: Readonly<Record<string, Command>> = {
  async key([address = '', ...others], place) {
    const email = normalizeEmailAddress(address);
    if (email === null || others.length > 0) return refuse();
    console.log(await withRecords(place, (env) => makeKey(env, email)));
    return 0;
  },

  async grant([address = '', count = '', ...others], place) {
    const email = normalizeEmailAddress(address);
    if (email === null || !/^[1-9]\d{0,8}$/.test(count) || others.length > 0) return refuse();
    await withRecords(place, (env) => grantFiles(env, email, Number(count)));
    // Only the meter knows the resulting balance.
    console.log(`${email} was given ${count} files.`);
    return 0;
  },

  async 'rotate-keys'(args, place) {
    if (args.length > 0) return refuse();
    // The service has the same secrets once it was restarted: it reads them from the same places.
    const areServices = place.environment.KEY_SECRETS === undefined;
    return withRecords(place, async ({ DB, KV, KEY_SECRETS = '' }) => {
      const service = { areServices, stores: { DB, KV } };
      return reportRotation(await rotateUnder(boundTransaction(DB), KEY_SECRETS, service));
    });
  },

  async backup([name = '', ...others], { folder }) {
    if (!isFile(name) || others.length > 0) return refuse();
    const mailboxes = await writeBackup(folder, name === '-' ? process.stdout : resolve(name));
    console.error(`Backed up ${folder}, mailboxes: ${mailboxes}.`);
    return 0;
  },

  async restore([name = '', ...others], { folder }) {
    if (!isFile(name) || others.length > 0) return refuse();
    const mailboxes = await restoreBackup(name === '-' ? process.stdin : resolve(name), folder);
    console.error(`Restored ${folder}, mailboxes: ${mailboxes}.`);
    return 0;
  },
};

/** The name of a file, or `-`; no option. */
function isFile(name: string): boolean {
  return name !== '' && !/^-./.test(name);
}

/** Opens the database and the settings of the service, also while it runs. */
async function withRecords<Result>(
  place: StatePlace,
  work: (env: CommandEnv & Pick<Platform, 'KV'>) => Promise<Result>,
): Promise<Result> {
  demandData(place.folder);
  const { DB, KV, texts, close } = await openRecords(place);
  try {
    return await work({ ...commonVariables(place.environment), ...texts, DB, KV });
  } finally {
    close();
  }
}

/**
 * Runs a command beside the server, or before it.
 * @param args its name and its arguments
 * @param migrations folder of the migrations of this version
 * @returns the status that the process ends with
 */
export async function runCommand(
  [name = '', ...args]: readonly string[],
  environment: Environment,
  migrations = join(import.meta.dirname, 'migrations'),
): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return refuse();
  try {
    return await command(args, { folder: stateFolder(environment), migrations, environment });
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}
