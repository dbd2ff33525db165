/**
 * `npm run rotate-keys [-- --remote | --node]`: seals every stored API key of the local service, of the deployment, or of
 * the service on Node under the newest of KEY_SECRETS, and reports whether the older secrets are still needed. It may be interrupted and run again.
 * Sites are served from copies in KV, which it replaces, too; those of a deployment it leaves to the cron job, and waits for it.
 *
 * The local secrets come from `.dev.vars`, those on Node from `secrets.json` or the environment; those of a deployment, which cannot be read back, come from the environment
 * or standard input. A mistyped secret would make all keys unreadable for the service, so the newest has to open a key
 * that the service has sealed under it.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Outcome, reportRotation, rotateUnder } from '../src/node/rotation.ts';
import { boundTransaction, type Transaction } from '../src/store/database.ts';
import { outdatedSecrets } from '../src/store/site-records.ts';
import { retryWhileLocked, withBindings } from './local/database.ts';
import { runOnNode } from './local/on-node.ts';
import { demandAllOptions } from './local/options.ts';
import { wranglerDatabase } from './local/remote-database.ts';
import { stateDirectory } from './local/root.ts';
import { ensureDevVars } from './local/secrets.ts';

const [option, ...others] = process.argv.slice(2);
if ((option !== undefined && !/^--(remote|node)$/.test(option)) || others.length > 0) {
  console.error('Usage: npm run rotate-keys [-- --remote | --node]');
  process.exit(2);
}
const isRemote = option === '--remote';
try {
  demandAllOptions(['remote', 'node'], process.env);
  if (option === '--node') process.exitCode = await runOnNode('rotate-keys');
  else {
    const outcome = await (isRemote ? rotateRemotely() : rotateLocally());
    console.log(isRemote ? 'Of the deployment:' : 'Of the local service:');
    process.exitCode = reportRotation(outcome);
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

function rotateLocally(): Promise<Outcome> {
  ensureDevVars();
  return withBindings(stateDirectory(), ({ DB, KV, KEY_SECRETS }) => {
    const run = boundTransaction(DB);
    // The service has the secrets of .dev.vars once it was restarted.
    const given = process.env.KEY_SECRETS;
    return rotateUnder(
      (statements) => retryWhileLocked(() => run(statements)),
      given ?? KEY_SECRETS,
      { areServices: given === undefined, stores: { DB, KV } },
    );
  });
}

async function rotateRemotely(): Promise<Outcome> {
  const { KEY_SECRETS } = process.env;
  if (KEY_SECRETS === undefined && process.stdin.isTTY) {
    throw new Error(
      'Give the KEY_SECRETS of the deployment, old and new, in the environment or on standard input.',
    );
  }
  const run = wranglerDatabase('--remote');
  const outcome = await rotateUnder(run, KEY_SECRETS ?? readFileSync(0, 'utf8'));
  // Where keys keep the older secrets needed anyway, that is told at once.
  if (outcome.unreadable > 0 || outcome.byVersion.size > 1) return outcome;
  await waitForSites(run, outcome.outdated);
  return { ...outcome, outdated: 0 };
}

/** Waits until the cron job has published the sites, and all locations have what it published. */
async function waitForSites(run: Transaction, atFirst: number): Promise<void> {
  for (let left = atFirst; left > 0; left = await outdatedSecrets(run)) {
    console.error(`Waiting for the cron job, which is hourly. Sites to be published: ${left}.`);
    await pause(5 * 60_000);
  }
  // It may have published the last of them just now.
  await pause(60_000);
}
