/**
 * `npm run -s key -- you@gmail.com`: prints a new API key of a user of the local service, and nothing else, on standard
 * output.
 */
import { normalizeEmailAddress } from '../src/access/email-address.ts';
import { makeLocalKey, withBindings } from './local/database.ts';
import { stateDirectory } from './local/root.ts';
import { ensureDevVars } from './local/secrets.ts';

const [address] = process.argv.slice(2);
const email = normalizeEmailAddress(address ?? '');
if (email === null) {
  console.error('Usage: npm run -s key -- you@gmail.com');
  process.exit(2);
}
ensureDevVars();
const key = await withBindings(stateDirectory(), (env) => makeLocalKey(env, email));
console.log(key);
