/**
 * `npm run grant -- you@gmail.com 1000 [--remote | --node]`: adds paid files to a user of the local service, of the
 * deployment, or of the service on Node; the user is created if new.
 */
import { normalizeEmailAddress } from '../src/access/email-address.ts';
import { mailboxName, newMailboxId } from '../src/access/mailbox.ts';
import { readConfig } from '../src/config.ts';
import { grantPaidFiles } from '../src/store/accounts.ts';
import { boundTransaction } from '../src/store/database.ts';
import { type CommandEnv, withBindings, withNodeState } from './local/database.ts';
import { demandAllOptions } from './local/options.ts';
import { wranglerDatabase } from './local/remote-database.ts';
import { stateDirectory } from './local/root.ts';
import { ensureDevVars } from './local/secrets.ts';

type Grant = Parameters<typeof grantPaidFiles>[1];

const isRemote = process.argv.includes('--remote');
const isNode = process.argv.includes('--node');
const options = ['--remote', '--node'];
const [address = '', count = ''] = process.argv.slice(2).filter((text) => !options.includes(text));
const email = normalizeEmailAddress(address);
if (email === null || !/^[1-9]\d{0,8}$/.test(count)) {
  console.error('Usage: npm run grant -- you@gmail.com 1000 [--remote | --node]');
  process.exit(2);
}
try {
  demandAllOptions(['remote', 'node'], process.env);
  const person = { email, mailboxId: newMailboxId(), now: Date.now() };
  // The secret of a deployment is not known here.
  const grant = { ...person, mailboxName: null, files: Number(count) };
  if (isRemote) await grantRemotely(grant);
  else await (isNode ? grantOnNode : grantLocally)(grant);
  const elsewhere = isNode ? 'the service on Node' : 'the local service';
  const place = isRemote ? 'the deployment' : elsewhere;
  // Only the meter knows the resulting balance.
  console.log(`${email} was given ${count} files at ${place}.`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

function grantLocally(grant: Grant): Promise<number> {
  ensureDevVars();
  return withBindings(stateDirectory(), (env) => grantIn(env, grant));
}

function grantOnNode(grant: Grant): Promise<number> {
  return withNodeState((env) => grantIn(env, grant));
}

async function grantIn(env: CommandEnv, grant: Grant): Promise<number> {
  const name = await mailboxName(grant.email, readConfig(env).codeSecret);
  return grantPaidFiles(boundTransaction(env.DB), { ...grant, mailboxName: name });
}

function grantRemotely(grant: Grant): Promise<number> {
  return grantPaidFiles(wranglerDatabase('--remote'), grant);
}
