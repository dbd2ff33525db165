/** `npm run grant -- you@gmail.com 1000`: adds paid files to that user of the local service. */
import { normalizeEmailAddress } from '../src/access/email-address.ts';
import { ensureUser, grantPaidFiles } from '../src/store/users.ts';
import { withBindings } from './local/bindings.ts';
import { ensureDevVars } from './local/dev-vars.ts';
import { stateDirectory } from './local/root.ts';

const [address = '', count = ''] = process.argv.slice(2);
const email = normalizeEmailAddress(address);
if (email === null || !/^[1-9]\d{0,8}$/.test(count)) {
  console.error('Usage: npm run grant -- you@gmail.com 1000');
  process.exit(2);
}
ensureDevVars();
const left = await withBindings(stateDirectory(), async ({ DB }) => {
  const userId = await ensureUser(DB, email, Date.now());
  return grantPaidFiles(DB, userId, Number(count));
});
console.log(`${email} has ${left} paid files.`);
