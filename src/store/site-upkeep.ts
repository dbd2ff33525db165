import type { Platform, R2Bucket } from '../platform.ts';
import { publishSite, unpublishedSites } from './site-records.ts';

/** Where the results of sites are kept, if a bucket is bound. */
export type SweptEnv = Pick<Platform, 'DB' | 'KV' | 'RESULTS'>;

/**
 * Sites that a run of the cron job publishes and sweeps, two statements for each, and pages of objects that are looked at for
 * one site. The clearing leaves room for these statements (`maxStatements` in `expired.ts`).
 */
export const perRun = { published: 200, swept: 50, pages: 20 } as const;

/** Sites that are worked on at the same time: while KV is out, each takes seconds, and a cron job has fifteen minutes. */
const atOnce = 5;

/** R2 deletes up to 1,000 objects in one call, and lists as many. */
const pageSize = 1000;

/**
 * Completes what broke off after changes of sites: their records in KV, and the deletion of results. A site for which that
 * fails keeps no other waiting.
 * @throws the first error, once everything has been tried
 */
export async function completeSites(env: SweptEnv): Promise<void> {
  const [published] = await Promise.allSettled([publishSites(env)]);
  // Also if the first failed: on a full disk, this makes room.
  const [swept] = await Promise.allSettled([sweepSites(env)]);
  for (const end of [published, swept]) if (end.status === 'rejected') throw end.reason;
}

async function publishSites(env: SweptEnv): Promise<void> {
  const ids = await unpublishedSites(env.DB, perRun.published);
  // One that is changed meanwhile is written again, and counts as another one.
  const tally = { writes: 0 };
  await forEachSite(ids, async (id) => {
    if (tally.writes < perRun.published) await publishSite(env, id, tally);
  });
}

async function sweepSites(env: SweptEnv): Promise<void> {
  const { results } = await env.DB.prepare(
    'SELECT id FROM sites WHERE unswept_since IS NOT NULL ORDER BY unswept_since LIMIT ?1',
  )
    .bind(perRun.swept)
    .all<{ id: string }>();
  await forEachSite(
    results.map(({ id }) => id),
    (id) => sweepSite(env, id),
  );
}

/** @throws the first error, once all sites have been tried */
async function forEachSite(
  ids: readonly string[],
  act: (id: string) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (let at = 0; at < ids.length; at += atOnce) {
    const ends = await Promise.allSettled(ids.slice(at, at + atOnce).map(act));
    for (const end of ends) if (end.status === 'rejected') failures.push(end.reason);
  }
  if (failures.length > 0) throw failures[0];
}

/** How long results of a deleted site may still come, in milliseconds: requests in flight, and records of it elsewhere. */
const lastResults = 10 * 60 * 1000;

/** Deletes what is kept of a deleted site, or of one that was purged: results of before. The cron job goes on. */
export async function sweepSite({ DB, RESULTS }: SweptEnv, id: string): Promise<void> {
  const site = await DB.prepare(
    'SELECT status, unswept_since FROM sites WHERE id = ?1 AND unswept_since IS NOT NULL',
  )
    .bind(id)
    .first<{ status: string; unswept_since: number }>();
  if (site === null) return;
  const { unswept_since: since, status } = site;
  const isDeleted = status === 'deleted';
  const before = isDeleted ? Number.POSITIVE_INFINITY : since;
  if (RESULTS && !(await deleteObjects(RESULTS, `${id}/`, before))) return;
  if (isDeleted && Date.now() < since + lastResults) return;
  await DB.prepare('UPDATE sites SET unswept_since = NULL WHERE id = ?1 AND unswept_since = ?2')
    .bind(id, since)
    .run();
}

/** Deletes what is kept of single images. What this does not reach is not served, and goes when nobody reads it. */
export async function sweepPaths(
  { RESULTS }: SweptEnv,
  id: string,
  hashes: readonly string[],
): Promise<void> {
  if (!RESULTS) return;
  const now = Date.now();
  for (const hash of hashes) await deleteObjects(RESULTS, `${id}/${hash}/`, now);
}

/** @returns whether none is left that is older */
async function deleteObjects(bucket: R2Bucket, prefix: string, before: number): Promise<boolean> {
  let cursor: string | undefined;
  for (let pages = 0; pages < perRun.pages; pages += 1) {
    const page = await bucket.list({ prefix, limit: pageSize, ...(cursor && { cursor }) });
    const old = page.objects.filter(({ uploaded }) => uploaded.getTime() <= before);
    if (old.length > 0) await bucket.delete(old.map(({ key }) => key));
    if (!page.truncated) return true;
    cursor = page.cursor;
  }
  return false;
}
