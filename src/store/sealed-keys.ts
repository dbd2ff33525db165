import { z } from 'zod';
import type { Transaction } from './database.ts';

/** An API key, encrypted so that it can be shown again: `version.iv.ciphertext`. */
interface SealedKey {
  readonly id: string;
  readonly secret: string;
}

const keyRows = z.array(z.object({ id: z.string(), secret: z.string() }));
const countRows = z.array(z.object({ version: z.string(), keys: z.number() }));

/** The next `limit` sealed keys after this id, in order of ids; active or not. */
export async function sealedKeysAfter(
  run: Transaction,
  id: string,
  limit: number,
): Promise<SealedKey[]> {
  const [rows] = await run([
    {
      sql: `SELECT id, secret FROM api_keys WHERE id > ?1 AND secret IS NOT NULL
            ORDER BY id LIMIT ?2`,
      values: [id, limit],
    },
  ]);
  return keyRows.parse(rows);
}

/** Up to `limit` keys that are sealed under this version of the secret. */
export async function someSealedUnder(
  run: Transaction,
  version: string,
  limit: number,
): Promise<SealedKey[]> {
  const [rows] = await run([
    {
      sql: `SELECT id, secret FROM api_keys WHERE substr(secret, 1, ?2) = ?1 LIMIT ?3`,
      values: [`${version}.`, version.length + 1, limit],
    },
  ]);
  return keyRows.parse(rows);
}

/**
 * Replaces sealed keys. A row that has changed since it was read, because its account was deleted or another command
 * ran, is left unchanged.
 * @returns how many were replaced
 */
export async function replaceSealedKeys(
  run: Transaction,
  changes: readonly (SealedKey & { readonly sealed: string })[],
): Promise<number> {
  if (changes.length === 0) return 0;
  const results = await run(
    changes.map(({ id, secret, sealed }) => ({
      sql: 'UPDATE api_keys SET secret = ?3 WHERE id = ?1 AND secret = ?2 RETURNING id',
      values: [id, secret, sealed],
    })),
  );
  return results.filter((rows) => rows.length > 0).length;
}

/** The number of keys sealed under each version of the secret. */
export async function keysByVersion(run: Transaction): Promise<ReadonlyMap<string, number>> {
  const [rows] = await run([
    {
      sql: `SELECT substr(secret, 1, instr(secret, '.') - 1) AS version, count(*) AS keys
            FROM api_keys WHERE secret IS NOT NULL GROUP BY 1 ORDER BY 1`,
      values: [],
    },
  ]);
  return new Map(countRows.parse(rows).map(({ version, keys }) => [version, keys]));
}
