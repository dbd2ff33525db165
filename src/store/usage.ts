import { z } from 'zod';
import type { D1Database } from '../platform.ts';

/** Numbers of processed files, and their sizes in bytes. */
export interface Figures {
  readonly files: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Bytes by which results were smaller, without those that were larger. */
  readonly bytesSaved: number;
}

/** A range of days YYYY-MM-DD, inclusive, for one key or site, or for all of them (null). */
export interface UsageQuery {
  readonly userId: string;
  readonly from: string;
  readonly to: string;
  readonly keyId: string | null;
  /** Days before this one, YYYY-MM-01, are reported as months, whether or not they have been rolled up yet. */
  readonly firstDayKept: string;
}

export interface Usage {
  /** Only days with usage. */
  readonly days: readonly (Figures & { readonly date: string })[];
  /** YYYY-MM; whole months with usage, even if only some of their days are in the range. */
  readonly months: readonly (Figures & { readonly month: string })[];
  /** Only keys and sites that were used, most used first. */
  readonly keys: readonly (Figures & {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
  })[];
}

const sums = {
  files: z.number(),
  bytes_in: z.number(),
  bytes_out: z.number(),
  bytes_saved: z.number(),
};

const dayRow = z.object({ day: z.string(), ...sums });
const monthRow = z.object({ month: z.string(), ...sums });
const keyRow = z.object({
  key_id: z.string(),
  name: z.string().nullable(),
  prefix: z.string().nullable(),
  ...sums,
});

// ?1 user, ?2 first day, ?3 last day, ?4 key or null, ?5 first day that is kept. An old day counts toward its month
// before and after it is rolled up, so the rollup changes no result.
const used = `
  WITH used AS (
    SELECT day, NULL AS month, key_id, files, bytes_in, bytes_out, bytes_saved FROM usage_days
    WHERE user_id = ?1 AND day BETWEEN max(?2, ?5) AND ?3 AND (?4 IS NULL OR key_id = ?4)
    UNION ALL
    SELECT NULL, substr(day, 1, 7), key_id, files, bytes_in, bytes_out, bytes_saved FROM usage_days
    WHERE user_id = ?1 AND day >= substr(?2, 1, 7) AND day < min(?5, substr(?3, 1, 7) || '-32')
    AND (?4 IS NULL OR key_id = ?4)
    UNION ALL
    SELECT NULL, month, key_id, files, bytes_in, bytes_out, bytes_saved FROM usage_months
    WHERE user_id = ?1 AND month BETWEEN substr(?2, 1, 7) AND substr(?3, 1, 7)
    AND (?4 IS NULL OR key_id = ?4))`;

const columns = `sum(files) AS files, sum(bytes_in) AS bytes_in,
                 sum(bytes_out) AS bytes_out, sum(bytes_saved) AS bytes_saved`;

/** A user's statistics over a range of days: by day, by month for older days, and by key. */
export async function findUsage(
  db: D1Database,
  { userId, from, to, keyId, firstDayKept }: UsageQuery,
): Promise<Usage> {
  const [days, months, keys] = await db.batch(
    [
      `${used} SELECT day, ${columns} FROM used WHERE day IS NOT NULL GROUP BY day ORDER BY day`,
      `${used} SELECT month, ${columns} FROM used WHERE month IS NOT NULL GROUP BY month ORDER BY month`,
      `${used}, by_key AS (SELECT key_id, ${columns} FROM used GROUP BY key_id)
       SELECT key_id, coalesce(k.name, s.name) AS name, prefix, files, bytes_in, bytes_out, bytes_saved
       FROM by_key LEFT JOIN api_keys k ON k.id = key_id LEFT JOIN sites s ON s.id = key_id
       ORDER BY files DESC, key_id`,
    ].map((sql) => db.prepare(sql).bind(userId, from, to, keyId, firstDayKept)),
  );
  return {
    days: z
      .array(dayRow)
      .parse(days?.results)
      .map((row) => ({ date: row.day, ...figures(row) })),
    months: z
      .array(monthRow)
      .parse(months?.results)
      .map((row) => ({ month: row.month, ...figures(row) })),
    keys: z
      .array(keyRow)
      .parse(keys?.results)
      .map((row) => ({
        id: row.key_id,
        name: row.name ?? '',
        prefix: row.prefix ?? '',
        ...figures(row),
      })),
  };
}

function figures(row: z.infer<z.ZodObject<typeof sums>>): Figures {
  return {
    files: row.files,
    bytesIn: row.bytes_in,
    bytesOut: row.bytes_out,
    bytesSaved: row.bytes_saved,
  };
}

const filesRow = z.object({ key_id: z.string(), day: z.string(), files: z.number() });

/** Files of each key of a user by day, YYYY-MM-DD, both ends inclusive; only days with files. */
export async function findFilesByKey(
  db: D1Database,
  { userId, from, to }: { userId: string; from: string; to: string },
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const { results } = await db
    .prepare(
      `SELECT key_id, day, files FROM usage_days
       WHERE user_id = ?1 AND day BETWEEN ?2 AND ?3`,
    )
    .bind(userId, from, to)
    .all();
  const found = new Map<string, Map<string, number>>();
  for (const { key_id, day, files } of z.array(filesRow).parse(results)) {
    const days = found.get(key_id) ?? new Map<string, number>();
    found.set(key_id, days.set(day, files));
  }
  return found;
}
