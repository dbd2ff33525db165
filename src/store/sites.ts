import { z } from 'zod';
import type { D1Database } from '../platform.ts';
import { type MailboxReference, mailboxOfUser, mailboxReference } from './mailboxes.ts';
import { flagColumn, jsonColumn, siteRecord } from './site-record.ts';

/** Settings of a site that its owner chooses. */
interface SiteOptions {
  readonly name: string;
  /** An https URL that ends in `/`. */
  readonly source: string;
  readonly signed: boolean;
  /** Options in the grammar of URLs, by the name of the preset. */
  readonly presets: Readonly<Record<string, string>>;
  readonly presetsOnly: boolean;
  /** Results made per UTC month; null if there is no limit. */
  readonly monthlyLimit: number | null;
  readonly cacheSeconds: number;
  readonly onError: 'original' | 'error';
}

/** A site as shown to its owner. */
export interface StoredSite extends SiteOptions {
  readonly id: string;
  readonly slug: string;
  /** Sealed, newest first; `until`: milliseconds since 1970 at which one ends, null for the newest. */
  readonly secrets: readonly { readonly sealed: string; readonly until: number | null }[];
  readonly status: 'active' | 'paused';
  readonly createdAt: number;
  /** As last reported by the meter, if there is one: results. */
  readonly allTimeUsed: number;
  readonly lastUsedAt: number | null;
  /** The month of `monthUsed`, YYYY-MM: results made, as last reported by the meter. */
  readonly month: string;
  readonly monthUsed: number;
}

const siteColumns = `
  id, slug, name, source, signed, secrets, presets, presets_only, cache_seconds, on_error, status,
  monthly_limit, created_at, all_time_used, last_used_at, month, month_used`;

const siteRow = z
  .object({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    source: z.string(),
    signed: flagColumn,
    secrets: jsonColumn.pipe(siteRecord.shape.secrets),
    presets: jsonColumn.pipe(siteRecord.shape.presets),
    presets_only: flagColumn,
    cache_seconds: z.number(),
    on_error: siteRecord.shape.onError,
    status: z.enum(['active', 'paused']),
    monthly_limit: z.number().nullable(),
    created_at: z.number(),
    all_time_used: z.number(),
    last_used_at: z.number().nullable(),
    month: z.string(),
    month_used: z.number(),
  })
  .transform(
    (row): StoredSite => ({
      id: row.id,
      slug: row.slug,
      name: row.name,
      source: row.source,
      signed: row.signed,
      secrets: row.secrets,
      presets: row.presets,
      presetsOnly: row.presets_only,
      cacheSeconds: row.cache_seconds,
      onError: row.on_error,
      status: row.status,
      monthlyLimit: row.monthly_limit,
      createdAt: row.created_at,
      allTimeUsed: row.all_time_used,
      lastUsedAt: row.last_used_at,
      month: row.month,
      monthUsed: row.month_used,
    }),
  );

/** Sites of a user, with their mailbox; null if there is no such user. */
export interface StoredSites {
  readonly mailbox: MailboxReference | null;
  readonly sites: readonly StoredSite[];
}

/** A user's sites, newest first. */
export function listSites(db: D1Database, userId: string): Promise<StoredSites> {
  return selectSites(db, userId, '');
}

/** One site, as {@link listSites} has it; none if the user has no site with this id. */
export function findSite(db: D1Database, { userId, id }: SiteOfUser): Promise<StoredSites> {
  return selectSites(db, userId, 'AND s.id = ?2', id);
}

async function selectSites(
  db: D1Database,
  userId: string,
  condition: string,
  ...values: string[]
): Promise<StoredSites> {
  const [mailbox, sites] = await db.batch([
    mailboxOfUser(db, userId),
    db
      .prepare(
        `SELECT ${siteColumns.replace(/\w+/g, 's.$&')}
         FROM sites s JOIN users u ON u.id = s.user_id
         WHERE u.id = ?1 AND u.email IS NOT NULL AND s.status <> 'deleted' ${condition}
         ORDER BY s.created_at DESC, s.rowid DESC`,
      )
      .bind(userId, ...values),
  ]);
  const [found] = mailbox?.results ?? [];
  return {
    mailbox: found === undefined ? null : mailboxReference(found),
    sites: z.array(siteRow).parse(sites?.results),
  };
}

/** A site that belongs to a user. */
export interface SiteOfUser {
  readonly userId: string;
  readonly id: string;
}

// ?2 is the user in every statement that uses these fragments. Requests of an account may still be running when it is
// deleted; they no longer change anything.
const userExists = 'EXISTS (SELECT 1 FROM users WHERE id = ?2 AND email IS NOT NULL)';
const ofUser = `id = ?1 AND user_id = ?2 AND status <> 'deleted' AND ${userExists}`;

/** A site to be created. */
export interface NewSite extends SiteOptions, SiteOfUser {
  readonly slug: string;
  readonly sealedSecret: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What bounds sites: how many a user may have, and from when on the slug of a deleted one is free again. */
export interface SiteBounds {
  readonly perAccount: number;
  /** With deleted ones whose slugs are not free yet. */
  readonly records: number;
  /** Slugs of sites that were deleted at this time or before are free, in milliseconds since 1970. */
  readonly slugsFreeSince: number;
}

/** Why a site was not created. */
type Refusal = 'slug_taken' | 'site_limit_reached' | 'no_such_user';

/** Inserts a site, or says why not: the insert itself counts the user's sites, and finds the slug free. */
export async function insertSite(
  db: D1Database,
  site: NewSite,
  { perAccount, records, slugsFreeSince }: SiteBounds,
): Promise<StoredSite | Refusal> {
  const { id, userId, slug, name, source, signed, sealedSecret, presets, presetsOnly, now } = site;
  const { cacheSeconds, onError, monthlyLimit } = site;
  const [, inserted, refused] = await db.batch([
    db
      .prepare(`DELETE FROM sites WHERE slug = ?1 AND status = 'deleted' AND deleted_at <= ?2`)
      .bind(slug, slugsFreeSince),
    db
      .prepare(
        `INSERT INTO sites (id, user_id, slug, name, source, signed, secrets, presets, presets_only,
                            cache_seconds, on_error, monthly_limit, created_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
         WHERE ${userExists}
           AND (SELECT count(*) FROM sites WHERE user_id = ?2 AND status <> 'deleted') < ?14
           AND (SELECT count(*) FROM sites
                WHERE user_id = ?2 AND (status <> 'deleted' OR deleted_at > ?15)) < ?16
         ON CONFLICT (slug) DO NOTHING
         RETURNING ${siteColumns}`,
      )
      .bind(
        ...[id, userId, slug, name, source, signed ? 1 : 0],
        ...[JSON.stringify([{ sealed: sealedSecret, until: null }]), JSON.stringify(presets)],
        ...[presetsOnly ? 1 : 0, cacheSeconds, onError, monthlyLimit, now, perAccount],
        ...[slugsFreeSince, records],
      ),
    db
      .prepare(
        `SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM users WHERE id = ?1 AND email IS NOT NULL)
                       THEN 'no_such_user'
                     WHEN EXISTS (SELECT 1 FROM sites WHERE slug = ?2) THEN 'slug_taken'
                     ELSE 'site_limit_reached' END AS refusal`,
      )
      .bind(userId, slug),
  ]);
  const [row] = inserted?.results ?? [];
  if (row !== undefined) return siteRow.parse(row);
  return refusalRow.parse(refused?.results[0]).refusal;
}

const refusalRow = z.object({
  refusal: z.enum(['slug_taken', 'site_limit_reached', 'no_such_user']),
});

/** Changes to a site; what is undefined stays as it is. */
export type SiteChanges = {
  readonly [Name in keyof SiteOptions]: SiteOptions[Name] | undefined;
} & { readonly status: StoredSite['status'] | undefined };

/** Changes a site. Another source purges it. Returns whether the user has such a site. */
export async function changeSite(
  db: D1Database,
  { userId, id }: SiteOfUser,
  changes: SiteChanges,
  now: number,
): Promise<boolean> {
  const { name, source, signed, presets, presetsOnly, monthlyLimit } = changes;
  const { cacheSeconds, onError, status } = changes;
  const isMoved = 'coalesce(?4 <> source, false)';
  const row = await db
    .prepare(
      `UPDATE sites SET name = coalesce(?3, name), source = coalesce(?4, source),
                        signed = coalesce(?5, signed), presets = coalesce(?6, presets),
                        presets_only = coalesce(?7, presets_only),
                        monthly_limit = iif(?8, ?9, monthly_limit),
                        cache_seconds = coalesce(?10, cache_seconds),
                        on_error = coalesce(?11, on_error), status = coalesce(?12, status),
                        purges = purges + ${isMoved},
                        path_purges = iif(${isMoved}, '{}', path_purges),
                        unswept_since = iif(${isMoved}, ?13, unswept_since),
                        revision = revision + 1
       WHERE ${ofUser} RETURNING id`,
    )
    .bind(
      ...[id, userId, name ?? null, source ?? null, numberOf(signed)],
      ...[presets === undefined ? null : JSON.stringify(presets), numberOf(presetsOnly)],
      ...[monthlyLimit === undefined ? 0 : 1, monthlyLimit ?? null],
      ...[cacheSeconds ?? null, onError ?? null, status ?? null, now],
    )
    .first();
  return row !== null;
}

function numberOf(flag: boolean | undefined): number | null {
  return flag === undefined ? null : Number(flag);
}

/**
 * SQL: what remains of a deleted site, so that nobody else gets its slug.
 * @param now SQL of the time
 */
export function deletedSite(now: string): string {
  return `
    status = 'deleted', deleted_at = ${now}, unswept_since = ${now}, revision = revision + 1,
    name = '', source = '', secrets = '[]', presets = '{}', path_purges = '{}'`;
}

/** Deletes a site. Returns whether the user had it. */
export async function deleteSite(
  db: D1Database,
  { userId, id }: SiteOfUser,
  now: number,
): Promise<boolean> {
  const row = await db
    .prepare(`UPDATE sites SET ${deletedSite('?3')} WHERE ${ofUser} RETURNING id`)
    .bind(id, userId, now)
    .first();
  return row !== null;
}

/**
 * Puts a new secret before the present one, which remains until its overlap has ended; an older one ends at once.
 * @param until milliseconds since 1970; `now`: the present one ends at once
 * @returns whether the user has such a site
 */
export async function rotateSiteSecret(
  db: D1Database,
  { userId, id }: SiteOfUser,
  { sealed, now, until }: { readonly sealed: string; readonly now: number; readonly until: number },
): Promise<boolean> {
  const added = `json_object('sealed', ?3, 'until', NULL)`;
  const former = `json_object('sealed', json_extract(secrets, '$[0].sealed'), 'until', ?4)`;
  const row = await db
    .prepare(
      `UPDATE sites SET secrets = iif(?5, json_array(${added}, ${former}), json_array(${added})),
                        revision = revision + 1
       WHERE ${ofUser} RETURNING id`,
    )
    .bind(id, userId, sealed, until, until > now ? 1 : 0)
    .first();
  return row !== null;
}

/** Makes all results of a site from before obsolete. Returns whether the user has such a site. */
export async function purgeSite(
  db: D1Database,
  { userId, id }: SiteOfUser,
  now: number,
): Promise<boolean> {
  const row = await db
    .prepare(
      `UPDATE sites SET purges = purges + 1, path_purges = '{}', unswept_since = ?3,
                        revision = revision + 1
       WHERE ${ofUser} RETURNING id`,
    )
    .bind(id, userId, now)
    .first();
  return row !== null;
}

/**
 * The same for single images. A site that has purged too many of them is purged as a whole instead.
 * @param hashes of paths, as `pathHash` makes them
 * @param maxPaths how many of them a site keeps
 */
export async function purgePaths(
  db: D1Database,
  { userId, id }: SiteOfUser,
  hashes: readonly string[],
  { maxPaths, now }: { readonly maxPaths: number; readonly now: number },
): Promise<boolean> {
  // The revision rises, so no number of a path ever comes again.
  const row = await db
    .prepare(
      `UPDATE sites SET purges = purges + (merged.paths > ?4),
                        path_purges = iif(merged.paths > ?4, '{}', merged.map),
                        unswept_since = iif(merged.paths > ?4, ?5, unswept_since),
                        revision = revision + 1
       FROM (
         SELECT patched AS map, (SELECT count(*) FROM json_each(patched)) AS paths FROM (
           SELECT json_patch(path_purges, (
                    SELECT json_group_object(value, revision + 1) FROM json_each(?3))) AS patched
           FROM sites WHERE id = ?1)) AS merged
       WHERE ${ofUser} RETURNING id`,
    )
    .bind(id, userId, JSON.stringify(hashes), maxPaths, now)
    .first();
  return row !== null;
}

/** Counts one check of an image. Returns whether there was one left in this hour. */
export async function countCheck(
  db: D1Database,
  { userId, id }: SiteOfUser,
  { perHour, now }: { readonly perHour: number; readonly now: number },
): Promise<boolean> {
  const row = await db
    .prepare(
      `UPDATE sites SET checks = iif(checks_hour = ?3, checks + 1, 1), checks_hour = ?3
       WHERE ${ofUser} AND (checks_hour <> ?3 OR checks < ?4) RETURNING id`,
    )
    .bind(id, userId, Math.floor(now / 3_600_000), perHour)
    .first();
  return row !== null;
}
