import { z } from 'zod';
import type { Transaction } from './database.ts';

/** An API key or a secret of a site, encrypted so that it can be shown again: `version.iv.ciphertext`. */
interface SealedKey {
  /** Of the key or the site. */
  readonly id: string;
  readonly secret: string;
  /** Orders all of them: a site has up to two secrets. */
  readonly place: string;
}

const keyRows = z.array(z.object({ id: z.string(), secret: z.string(), place: z.string() }));
const countRows = z.array(z.object({ version: z.string(), keys: z.number() }));

const allSealed = `(
  SELECT id, secret, id AS place FROM api_keys WHERE secret IS NOT NULL
  UNION ALL
  SELECT sites.id, json_extract(one.value, '$.sealed'), sites.id || ':' || one.key
  FROM sites, json_each(sites.secrets) AS one)`;

/** The next `limit` sealed keys after this place, active or not; the first ones after an empty text. */
export async function sealedKeysAfter(
  run: Transaction,
  place: string,
  limit: number,
): Promise<SealedKey[]> {
  const [rows] = await run([
    {
      sql: `SELECT id, secret, place FROM ${allSealed} WHERE place > ?1 ORDER BY place LIMIT ?2`,
      values: [place, limit],
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
      sql: `SELECT id, secret, place FROM ${allSealed} WHERE substr(secret, 1, ?2) = ?1 LIMIT ?3`,
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
      // As text: the secret of a site may have moved meanwhile, and nothing in it is escaped in JSON.
      sql: id.startsWith('site_')
        ? `UPDATE sites SET secrets = replace(secrets, ?2, ?3), revision = revision + 1
           WHERE id = ?1 AND instr(secrets, ?2) > 0 RETURNING id`
        : 'UPDATE api_keys SET secret = ?3 WHERE id = ?1 AND secret = ?2 RETURNING id',
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
            FROM ${allSealed} GROUP BY 1 ORDER BY 1`,
      values: [],
    },
  ]);
  return new Map(countRows.parse(rows).map(({ version, keys }) => [version, keys]));
}
