/**
 * `npm run -s key -- you@gmail.com [--node]`: prints a new API key of a user of the local service, or of the service on
 * Node, and nothing else, on standard output.
 */
import { normalizeEmailAddress } from '../src/access/email-address.ts';
import { makeLocalKey, withBindings } from './local/database.ts';
import { runOnNode } from './local/on-node.ts';
import { demandAllOptions } from './local/options.ts';
import { stateDirectory } from './local/root.ts';
import { ensureDevVars } from './local/secrets.ts';

const isNode = process.argv.includes('--node');
const [address] = process.argv.slice(2).filter((text) => text !== '--node');
const email = normalizeEmailAddress(address ?? '');
if (email === null) {
  console.error('Usage: npm run -s key -- you@gmail.com [--node]');
  process.exit(2);
}
try {
  demandAllOptions(['node'], process.env);
  if (isNode) process.exitCode = await runOnNode('key', email);
  else console.log(await keyOfLocal(email));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

function keyOfLocal(user: string): Promise<string> {
  ensureDevVars();
  return withBindings(stateDirectory(), (env) => makeLocalKey(env, user));
}
