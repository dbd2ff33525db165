/**
 * `npm run rotate-keys [-- --remote | --node]`: seals every stored API key of the local service, of the deployment, or of
 * the service on Node under the newest of KEY_SECRETS, and reports whether the older secrets are still needed. It may be interrupted and run again.
 *
 * The local secrets come from `.dev.vars`, those on Node from `secrets.json` or the environment; those of a deployment, which cannot be read back, come from the environment
 * or standard input. A mistyped secret would make all keys unreadable for the service, so the newest has to open a key
 * that the service has sealed under it.
 */
import { readFileSync } from 'node:fs';
import { parseSecretVersions, type SecretVersions } from '../src/access/secrets.ts';
import { boundTransaction, type Transaction } from '../src/store/database.ts';
import {
  type CommandEnv,
  retryWhileLocked,
  withBindings,
  withNodeState,
} from './local/database.ts';
import { demandAllOptions } from './local/options.ts';
import { wranglerDatabase } from './local/remote-database.ts';
import { stateDirectory } from './local/root.ts';
import { type Rotation, rotateKeys } from './local/rotation.ts';
import { ensureDevVars } from './local/secrets.ts';

const [option, ...others] = process.argv.slice(2);
if ((option !== undefined && !/^--(remote|node)$/.test(option)) || others.length > 0) {
  console.error('Usage: npm run rotate-keys [-- --remote | --node]');
  process.exit(2);
}
const isRemote = option === '--remote';
const isNode = option === '--node';
try {
  demandAllOptions(['remote', 'node'], process.env);
  process.exitCode = report(
    await (isRemote ? rotateRemotely() : isNode ? rotateOnNode() : rotateLocally()),
  );
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

interface Outcome extends Rotation {
  readonly newest: string;
}

function rotateLocally(): Promise<Outcome> {
  ensureDevVars();
  return withBindings(stateDirectory(), ({ DB, KEY_SECRETS }) => {
    const run = boundTransaction(DB);
    // The service has the secrets of .dev.vars once it was restarted.
    const given = process.env.KEY_SECRETS;
    return rotate(
      (statements) => retryWhileLocked(() => run(statements)),
      given ?? KEY_SECRETS,
      given === undefined,
    );
  });
}

/** The service has the same secrets once it was restarted: it reads them from the same places. */
function rotateOnNode(): Promise<Outcome> {
  return withNodeState(({ DB, KEY_SECRETS }: CommandEnv) =>
    rotate(boundTransaction(DB), KEY_SECRETS ?? '', process.env.KEY_SECRETS === undefined),
  );
}

function rotateRemotely(): Promise<Outcome> {
  const { KEY_SECRETS } = process.env;
  if (KEY_SECRETS === undefined && process.stdin.isTTY) {
    throw new Error(
      'Give the KEY_SECRETS of the deployment, old and new, in the environment or on standard input.',
    );
  }
  return rotate(wranglerDatabase('--remote'), KEY_SECRETS ?? readFileSync(0, 'utf8'));
}

async function rotate(run: Transaction, text: string, areServices = false): Promise<Outcome> {
  const secrets: SecretVersions | null = parseSecretVersions(text.trim());
  if (!secrets) {
    throw new Error('KEY_SECRETS should be "version:base64" pairs of 32 bytes, newest first.');
  }
  const [newest = ''] = secrets.keys();
  return { newest, ...(await rotateKeys(run, secrets, areServices)) };
}

/**
 * Prints the outcome.
 * @returns the exit status: 0 if no older secret is needed any more
 */
function report({ newest, resealed, unreadable, byVersion }: Outcome): number {
  const older = [...byVersion.keys()].filter((version) => version !== newest);
  console.log(
    isRemote ? 'Of the deployment:' : `Of the ${isNode ? 'service on Node' : 'local service'}:`,
  );
  console.log(`Sealed anew under version ${newest}: ${resealed}.`);
  for (const [version, keys] of byVersion) console.log(`Under version ${version}: ${keys}.`);
  if (unreadable > 0) {
    console.log(
      `None of these secrets opens ${unreadable} of them; they were left as they are. Remove no secret before you know why.`,
    );
    return 1;
  }
  if (older.length > 0) {
    console.log('Keys were made under an older secret meanwhile: run this again.');
    return 1;
  }
  console.log(`All secrets but version ${newest} may be removed from KEY_SECRETS.`);
  return 0;
}
