import type { Platform, R2Bucket } from '../platform.ts';
import { publishSite, unpublishedSites } from './site-records.ts';

/** Where the results of sites are kept, if a bucket is bound. */
export type SweptEnv = Pick<Platform, 'DB' | 'KV' | 'RESULTS'>;

/** Sites that a run of the cron job publishes and sweeps, and pages of objects that are looked at for one site. */
const perRun = { sites: 50, pages: 20 } as const;

/** R2 deletes up to 1,000 objects in one call, and lists as many. */
const pageSize = 1000;

/** Completes what broke off after changes of sites: their records in KV, and the deletion of results. */
export async function completeSites(env: SweptEnv): Promise<void> {
  try {
    for (const id of await unpublishedSites(env.DB, perRun.sites)) await publishSite(env, id);
  } finally {
    // On a full disk, this makes room.
    await sweepSites(env);
  }
}

async function sweepSites(env: SweptEnv): Promise<void> {
  const { results } = await env.DB.prepare(
    'SELECT id FROM sites WHERE unswept_since IS NOT NULL ORDER BY unswept_since LIMIT ?1',
  )
    .bind(perRun.sites)
    .all<{ id: string }>();
  for (const { id } of results) await sweepSite(env, id);
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
