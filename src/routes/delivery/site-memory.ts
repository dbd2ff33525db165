import type { Platform } from '../../platform.ts';
import type { SiteRecord } from '../../store/site-record.ts';
import { findSiteRecord } from '../../store/site-records.ts';

/** How long an isolate uses a record, in milliseconds; KV's cache adds as much again, and both together are a minute. */
const memoryTime = 30_000;

/** The same of slugs without a site: floods of made-up ones do not reach the database, and new sites soon answer. */
const absenceTime = 10_000;

/** Of sites, and of slugs without a site. */
const maxSlugs = 1000;

interface Remembered {
  /** Null if there is no such site. */
  readonly record: SiteRecord | null;
  readonly until: number;
}

// By slug, in the order in which they were looked up. Made-up slugs have a memory of their own, so that many of them do
// not displace sites.
const sites = new Map<string, Remembered>();
const absences = new Map<string, Remembered>();

/** Raised by each change: what was being read meanwhile is not remembered. */
let changes = 0;

/**
 * The record of a site by its slug, as this isolate remembers it, or as KV or D1 have it; null if there is none. It may be
 * a minute old, and has the status `deleted` if the slug is only reserved.
 * @param now milliseconds since 1970
 */
export async function rememberedSite(
  env: Pick<Platform, 'DB' | 'KV'>,
  slug: string,
  now: number,
): Promise<SiteRecord | null> {
  const known = sites.get(slug) ?? absences.get(slug);
  if (known && now < known.until) return known.record;
  const changesBefore = changes;
  const record = await findSiteRecord(env, slug);
  if (changes !== changesBefore) return record;
  forget(slug);
  if (record === null) remember(absences, slug, { record, until: now + absenceTime });
  else remember(sites, slug, { record, until: now + memoryTime });
  return record;
}

/** Has this isolate read a site anew: it has changed. */
export function forgetSite(slug: string): void {
  changes += 1;
  forget(slug);
}

function remember(memory: Map<string, Remembered>, slug: string, remembered: Remembered): void {
  memory.set(slug, remembered);
  const [oldest] = memory.keys();
  if (memory.size > maxSlugs && oldest !== undefined) memory.delete(oldest);
}

function forget(slug: string): void {
  sites.delete(slug);
  absences.delete(slug);
}
