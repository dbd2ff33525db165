import { z } from 'zod';
import type { D1Database, Platform } from '../platform.ts';
import { retryOutages, type Transaction } from './database.ts';
import { flagColumn, jsonColumn, type SiteRecord, siteRecord } from './site-record.ts';

/** Where records of sites are looked up. */
export type SiteStores = Pick<Platform, 'DB' | 'KV'>;

/** How long KV keeps a record, in seconds: a site that nobody changes is then read from D1. */
const keptInKv = 24 * 60 * 60;

/**
 * How long a location may answer with a record that it has read, in seconds: KV's minimum. With the memory of an isolate,
 * a change arrives everywhere within a minute.
 */
const cachedInKv = 30;

/** Writes of a record, at most, while others keep changing it; the hourly clearing writes what is left. */
const maxWrites = 5;

function nameOf(slug: string): string {
  return `site:${slug}`;
}

/** A row of `recordSql`. */
const recordRow = z
  .object({
    id: z.string(),
    user_id: z.string(),
    mailbox_id: z.string(),
    slug: z.string(),
    status: siteRecord.shape.status,
    source: z.string(),
    signed: flagColumn,
    secrets: jsonColumn.pipe(siteRecord.shape.secrets),
    presets: jsonColumn.pipe(siteRecord.shape.presets),
    presets_only: flagColumn,
    cache_seconds: z.number(),
    on_error: siteRecord.shape.onError,
    purges: z.number(),
    path_purges: jsonColumn.pipe(siteRecord.shape.pathPurges),
    revision: z.number(),
  })
  .transform(
    (row): SiteRecord => ({
      id: row.id,
      userId: row.user_id,
      mailboxId: row.mailbox_id,
      slug: row.slug,
      status: row.status,
      source: row.source,
      signed: row.signed,
      secrets: row.secrets,
      presets: row.presets,
      presetsOnly: row.presets_only,
      cacheSeconds: row.cache_seconds,
      onError: row.on_error,
      purges: row.purges,
      pathPurges: row.path_purges,
      revision: row.revision,
    }),
  );

const recordSql = `
  SELECT s.id, s.user_id, u.mailbox_id, s.slug, s.status, s.source, s.signed, s.secrets, s.presets,
         s.presets_only, s.cache_seconds, s.on_error, s.purges, s.path_purges, s.revision
  FROM sites s JOIN users u ON u.id = s.user_id`;

/**
 * The record of a site by its slug; null if there is none. It may be half a minute old, and has the status `deleted` if
 * the slug is only reserved.
 * @throws Error if D1 fails, and KV does not have the record
 */
export async function findSiteRecord(
  { DB, KV }: SiteStores,
  slug: string,
): Promise<SiteRecord | null> {
  const options = { type: 'json', cacheTtl: cachedInKv } as const;
  const kept = await KV.get(nameOf(slug), options).catch(() => null);
  const record = siteRecord.safeParse(kept);
  if (record.success) return record.data;
  // Not written to KV: it would race with changes, and only those have the last word.
  const row = await DB.prepare(`${recordSql} WHERE s.slug = ?1`).bind(slug).first();
  return row === null ? null : recordRow.parse(row);
}

/**
 * Brings a site's record in KV up to date, after each change in D1. Of changes in parallel the last one stays, because D1
 * is read again after each write.
 * @param tally counts the writes, each of which takes two statements
 * @throws Error if D1 or KV fails for too long; the hourly clearing repeats it
 */
export async function publishSite(
  { DB, KV }: SiteStores,
  id: string,
  tally = { writes: 0 },
): Promise<void> {
  for (let writes = 0; writes < maxWrites; writes += 1) {
    tally.writes += 1;
    const row = await DB.prepare(`${recordSql} WHERE s.id = ?1`).bind(id).first();
    if (row === null) return;
    const record = recordRow.parse(row);
    const text = JSON.stringify(record);
    await retryOutages(() => KV.put(nameOf(record.slug), text, { expirationTtl: keptInKv }));
    const isLatest = await DB.prepare(
      'UPDATE sites SET published = ?2 WHERE id = ?1 AND revision = ?2 RETURNING id',
    )
      .bind(id, record.revision)
      .first();
    if (isLatest !== null) return;
  }
}

/** How many records in KV may hold secrets of sites as they were sealed before the last change. */
export async function outdatedSecrets(run: Transaction): Promise<number> {
  const [rows] = await run([
    {
      sql: "SELECT count(*) AS sites FROM sites WHERE published <> revision AND secrets <> '[]'",
      values: [],
    },
  ]);
  return z.tuple([z.object({ sites: z.number() })]).parse(rows)[0].sites;
}

/** The ids of sites whose last change is not in KV, up to `limit`. */
export async function unpublishedSites(db: D1Database, limit: number): Promise<string[]> {
  const { results } = await db
    .prepare('SELECT id FROM sites WHERE published <> revision LIMIT ?1')
    .bind(limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}
