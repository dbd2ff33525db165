import { z } from 'zod';

/** Files answered and their sizes in bytes. */
export interface Figures {
  readonly files: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Bytes saved, counting only answers that were smaller. */
  readonly bytesSaved: number;
}

/** Days YYYY-MM-DD, both included; of one key, or of all and the cabinet's own uploads (null). */
export interface UsageQuery {
  readonly userId: string;
  readonly from: string;
  readonly to: string;
  readonly keyId: string | null;
}

export interface Usage {
  /** Only days on which there was something. */
  readonly days: readonly (Figures & { readonly date: string })[];
  /** Only keys that were used, the most used first; the cabinet has no id. */
  readonly keys: readonly (Figures & {
    readonly id: string | null;
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
const keyRow = z.object({
  key_id: z.string(),
  name: z.string().nullable(),
  prefix: z.string().nullable(),
  ...sums,
});

/** A user's statistics over a range of days, by day and by key. */
export async function findUsage(
  db: D1Database,
  { userId, from, to, keyId }: UsageQuery,
): Promise<Usage> {
  const columns = `sum(d.files) AS files, sum(d.bytes_in) AS bytes_in,
                   sum(d.bytes_out) AS bytes_out, sum(d.bytes_saved) AS bytes_saved`;
  const range = 'd.user_id = ?1 AND d.day BETWEEN ?2 AND ?3 AND (?4 IS NULL OR d.key_id = ?4)';
  const [days, keys] = await db.batch([
    db
      .prepare(
        `SELECT d.day, ${columns} FROM usage_days d WHERE ${range} GROUP BY d.day ORDER BY d.day`,
      )
      .bind(userId, from, to, keyId),
    db
      .prepare(
        `SELECT d.key_id, k.name, k.prefix, ${columns}
         FROM usage_days d LEFT JOIN api_keys k ON k.id = d.key_id
         WHERE ${range} GROUP BY d.key_id ORDER BY files DESC, d.key_id`,
      )
      .bind(userId, from, to, keyId),
  ]);
  return {
    days: z
      .array(dayRow)
      .parse(days?.results)
      .map((row) => ({ date: row.day, ...figures(row) })),
    keys: z
      .array(keyRow)
      .parse(keys?.results)
      .map((row) => ({
        id: row.key_id === '' ? null : row.key_id,
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
