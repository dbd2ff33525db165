import { makeLocalKey } from '../../../scripts/local/database.ts';
import { hashApiKey } from '../../../src/access/api-key.ts';
import type { MeterCalls, MeterPlatform } from '../../../src/meter/meter.ts';
import type { D1Database, SendEmail } from '../../../src/platform.ts';
import { quotaTerms } from '../../../src/policy/quota.ts';
import { settings } from '../../../src/settings.ts';
import { secretText, tokenSecrets } from '../tokens.ts';

/** What meters need beside a database. */
export function meterPlatform(DB: D1Database): MeterPlatform {
  const defaults = Object.entries(settings).map(([name, it]) => [name, it.default ?? '']);
  const EMAIL: SendEmail = { send: async () => ({}) };
  return {
    ...Object.fromEntries(defaults),
    CODE_SECRET: Buffer.alloc(32, 7).toString('base64'),
    KEY_SECRETS: secretText(['1', 7]),
    TOKEN_SECRETS: tokenSecrets,
    ...{ DB, EMAIL },
  };
}

/** The mailbox and the hash of a new key of a user. */
export async function newKey(DB: D1Database, email: string) {
  const keyHash = await hashApiKey(await makeLocalKey(meterPlatform(DB), email));
  const row = await DB.prepare('SELECT mailbox_id FROM users WHERE email = ?1')
    .bind(email)
    .first<{ mailbox_id: string }>();
  return { mailboxId: row?.mailbox_id ?? '', keyHash };
}

const allowances = {
  ...{ freeFilesPerMonth: 1e6, maxFilesPerMinute: 1e6 },
  ...{ unchargedPerDay: 1e6, unchargedCpuMsPerDay: 1e9 },
};

/** Reserves a file and charges it. */
export async function useFile(meter: MeterCalls, keyHash: string): Promise<void> {
  const terms = quotaTerms(Date.now(), allowances);
  const reservationId = `res_${crypto.randomUUID()}`;
  const { kind } = await meter.reserve(reservationId, keyHash, terms);
  if (kind !== 'reserved') throw new Error(kind);
  await meter.settle({
    ...{ reservationId, terms, charged: true, file: null, cpuMs: 1, origin: 'http://localhost' },
    answered: { bytesIn: 2, bytesOut: 1 },
  });
}

/** The free files that a mailbox has used, as the database knows them. */
export async function usedIn(DB: D1Database, mailboxId: string): Promise<number> {
  const row = await DB.prepare('SELECT free_used FROM mailboxes WHERE id = ?1')
    .bind(mailboxId)
    .first<{ free_used: number }>();
  return row?.free_used ?? 0;
}
