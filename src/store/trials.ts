import { z } from 'zod';
import type { TrialTerms } from '../policy/limits.ts';
import { newId } from './database.ts';

/** The visitor, by pseudonyms. */
interface TrialVisitor {
  readonly network: string;
  /** The /48 of an IPv6 address; null if there is none. */
  readonly site: string | null;
}

export type TrialResult =
  /** `left`: number of images that may still be tried from this network today. */
  | { readonly kind: 'taken'; readonly id: string; readonly left: number }
  /** `ofAll`: whether it is the limit of all visitors together that is reached. */
  | { readonly kind: 'none-left'; readonly ofAll: boolean };

const takenRow = z.object({
  taken: z.number(),
  by_network: z.number(),
  by_site: z.number(),
  by_all: z.number(),
});

/**
 * Takes one of the images that may be tried today, in one transaction. The insert itself enforces the limits by
 * counting, so parallel requests cannot exceed them.
 */
export async function takeTrial(
  db: D1Database,
  { network, site }: TrialVisitor,
  { day, perNetwork, perSite, forAll }: TrialTerms,
): Promise<TrialResult> {
  const id = newId('try');
  // ?1 is the day, ?2 the network, ?3 the site.
  const byNetwork = '(SELECT count(*) FROM trials WHERE day = ?1 AND network = ?2)';
  const bySite = '(SELECT count(*) FROM trials WHERE day = ?1 AND site = ?3)';
  const byAll = 'coalesce((SELECT files FROM trial_days WHERE day = ?1), 0)';
  const [, , counted] = await db.batch([
    db
      .prepare(
        `INSERT INTO trials (id, day, network, site)
         SELECT ?4, ?1, ?2, ?3 WHERE ${byNetwork} < ?5 AND ${bySite} < ?6 AND ${byAll} < ?7`,
      )
      .bind(day, network, site, id, perNetwork, perSite, forAll),
    db
      .prepare(
        `INSERT INTO trial_days (day, files)
         SELECT ?1, 1 WHERE EXISTS (SELECT 1 FROM trials WHERE id = ?2)
         ON CONFLICT (day) DO UPDATE SET files = files + 1`,
      )
      .bind(day, id),
    db
      .prepare(
        `SELECT EXISTS (SELECT 1 FROM trials WHERE id = ?4) AS taken,
                ${byNetwork} AS by_network, ${bySite} AS by_site, ${byAll} AS by_all`,
      )
      .bind(day, network, site, id),
  ]);
  const row = takenRow.parse(counted?.results[0]);
  const left = Math.max(0, Math.min(perNetwork - row.by_network, perSite - row.by_site));
  if (row.taken === 0) return { kind: 'none-left', ofAll: left > 0 };
  return { kind: 'taken', id, left: Math.min(left, Math.max(0, forAll - row.by_all)) };
}

/** Gives back an image that was not processed. Repeating it changes nothing. */
export async function returnTrial(db: D1Database, id: string): Promise<void> {
  await db.batch([
    db
      .prepare(
        `UPDATE trial_days SET files = files - 1
         WHERE day = (SELECT day FROM trials WHERE id = ?1)`,
      )
      .bind(id),
    db.prepare('DELETE FROM trials WHERE id = ?1').bind(id),
  ]);
}
