/**
 * `npm run grant -- you@gmail.com 1000 [--remote]`: adds paid files to that user,
 * who is created if new, of the local service or of the deployment.
 */
import { execFileSync } from 'node:child_process';
import { z } from 'zod';
import { normalizeEmailAddress } from '../src/access/email-address.ts';
import { newId } from '../src/store/id.ts';
import { ensureUser, grantPaidFiles } from '../src/store/users.ts';
import { withBindings } from './local/bindings.ts';
import { ensureDevVars } from './local/dev-vars.ts';
import { root, stateDirectory, wranglerScript } from './local/root.ts';

const isRemote = process.argv.includes('--remote');
const [address = '', count = ''] = process.argv.slice(2).filter((text) => text !== '--remote');
const email = normalizeEmailAddress(address);
if (email === null || !/^[1-9]\d{0,8}$/.test(count)) {
  console.error('Usage: npm run grant -- you@gmail.com 1000 [--remote]');
  process.exit(2);
}
const left = isRemote ? grantRemotely(email, count) : await grantLocally(email, Number(count));
console.log(`${email} has ${left} paid files.`);

async function grantLocally(email: string, files: number): Promise<number> {
  ensureDevVars();
  return withBindings(stateDirectory(), async ({ DB }) => {
    const userId = await ensureUser(DB, email, Date.now());
    return grantPaidFiles(DB, userId, files);
  });
}

/** Through wrangler, which is signed in to the account. It takes no parameters beside the SQL. */
function grantRemotely(email: string, files: string): number {
  const quoted = `'${email.replaceAll("'", "''")}'`;
  const sql = `
    INSERT INTO users (id, email, created_at) VALUES ('${newId('usr')}', ${quoted}, ${Date.now()})
      ON CONFLICT (email) DO NOTHING;
    UPDATE users SET paid_files = paid_files + ${files} WHERE email = ${quoted} RETURNING paid_files;`;
  const output = execFileSync(
    process.execPath,
    [wranglerScript, 'd1', 'execute', 'DB', '--remote', '--yes', '--json', '--command', sql],
    { cwd: root, encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] },
  );
  const answer = z.array(z.object({ results: z.array(z.looseObject({})) }));
  const [row] = answer.parse(JSON.parse(output)).at(-1)?.results ?? [];
  return z.object({ paid_files: z.number() }).parse(row).paid_files;
}
