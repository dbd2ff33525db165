import { z } from 'zod';

/** A column of 0 or 1. */
export const flagColumn = z.number().transform((value) => value === 1);

/** A column of JSON. */
export const jsonColumn = z.string().transform((text): unknown => JSON.parse(text));

/** What serving needs to know of a site: in KV by its slug, and in D1. */
export const siteRecord = z.object({
  id: z.string(),
  userId: z.string(),
  mailboxId: z.string(),
  slug: z.string(),
  status: z.enum(['active', 'paused', 'deleted']),
  /** An https URL that ends in `/`. */
  source: z.string(),
  signed: z.boolean(),
  /** Sealed as API keys are, newest first; those but the first are accepted until `until`, in milliseconds since 1970. */
  secrets: z.array(z.object({ sealed: z.string(), until: z.number().nullable() })),
  /** Options in the grammar of URLs, by the name of the preset. */
  presets: z.record(z.string(), z.string()),
  presetsOnly: z.boolean(),
  /** How long a result is fresh, in seconds. */
  cacheSeconds: z.number(),
  onError: z.enum(['original', 'error']),
  /** Raised by each purge of the whole site, and by each change of its source: results of before are not served. */
  purges: z.number(),
  /** The same of single images, by the hash of their path and query (`pathHash`). */
  pathPurges: z.record(z.string(), z.number()),
  /** Rises with every change of the site. */
  revision: z.number(),
});

/** Whether something that counts as a key, by its id, is a site. */
export function isSite(id: string): boolean {
  return id.startsWith('site_');
}

export type SiteRecord = z.infer<typeof siteRecord>;
