/**
 * `npm run grant -- you@gmail.com 1000 [--remote]`: adds paid files to that user,
 * who is created if new, of the local service or of the deployment.
 */
import { z } from 'zod';
import { normalizeEmailAddress } from '../src/access/email-address.ts';
import { newId } from '../src/store/id.ts';
import { ensureUser, grantPaidFiles } from '../src/store/users.ts';
import { withBindings } from './local/bindings.ts';
import { ensureDevVars } from './local/dev-vars.ts';
import { stateDirectory } from './local/root.ts';
import { wranglerDatabase } from './local/wrangler-database.ts';

const isRemote = process.argv.includes('--remote');
const [address = '', count = ''] = process.argv.slice(2).filter((text) => text !== '--remote');
const email = normalizeEmailAddress(address);
if (email === null || !/^[1-9]\d{0,8}$/.test(count)) {
  console.error('Usage: npm run grant -- you@gmail.com 1000 [--remote]');
  process.exit(2);
}
try {
  const left = await (isRemote ? grantRemotely : grantLocally)(email, Number(count));
  console.log(`${email} has ${left} paid files.`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function grantLocally(email: string, files: number): Promise<number> {
  ensureDevVars();
  return withBindings(stateDirectory(), async ({ DB }) => {
    const userId = await ensureUser(DB, email, Date.now());
    return grantPaidFiles(DB, userId, files);
  });
}

async function grantRemotely(email: string, files: number): Promise<number> {
  const [, granted] = await wranglerDatabase('--remote')([
    {
      sql: 'INSERT INTO users (id, email, created_at) VALUES (?1, ?2, ?3) ON CONFLICT (email) DO NOTHING',
      values: [newId('usr'), email, Date.now()],
    },
    {
      sql: 'UPDATE users SET paid_files = paid_files + ?2 WHERE email = ?1 RETURNING paid_files',
      values: [email, files],
    },
  ]);
  return z.object({ paid_files: z.number() }).parse(granted?.[0]).paid_files;
}
