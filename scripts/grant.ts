/**
 * `npm run grant -- you@gmail.com 1000 [--remote | --node]`: adds paid files to a user of the local service, of the
 * deployment, or of the service on Node; the user is created if new.
 */
import { normalizeEmailAddress } from '../src/access/email-address.ts';
import { newMailboxId } from '../src/access/mailbox.ts';
import { grantFiles } from '../src/node/accounts.ts';
import { grantPaidFiles } from '../src/store/accounts.ts';
import { withBindings } from './local/database.ts';
import { runOnNode } from './local/on-node.ts';
import { demandAllOptions } from './local/options.ts';
import { wranglerDatabase } from './local/remote-database.ts';
import { stateDirectory } from './local/root.ts';
import { ensureDevVars } from './local/secrets.ts';

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
  if (isNode) process.exitCode = await runOnNode('grant', email, count);
  else {
    const files = Number(count);
    await (isRemote ? grantRemotely(email, files) : grantLocally(email, files));
    const place = isRemote ? 'the deployment' : 'the local service';
    // Only the meter knows the resulting balance.
    console.log(`${email} was given ${count} files at ${place}.`);
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

function grantLocally(user: string, files: number): Promise<void> {
  ensureDevVars();
  return withBindings(stateDirectory(), (env) => grantFiles(env, user, files));
}

/** The secret of a deployment, from which the name of a mailbox follows, is not known here. */
async function grantRemotely(user: string, files: number): Promise<void> {
  const person = { email: user, mailboxId: newMailboxId(), mailboxName: null, now: Date.now() };
  await grantPaidFiles(wranglerDatabase('--remote'), { ...person, files });
}
