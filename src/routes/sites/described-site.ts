import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { openApiKey } from '../../access/api-key.ts';
import type { SecretVersions } from '../../access/secrets.ts';
import { ApiError } from '../../errors.ts';
import { monthOf } from '../../policy/quota.ts';
import { findSite, type StoredSite, type StoredSites } from '../../store/sites.ts';
import type { SignedInEnv } from '../http/context.ts';
import { usageOfKeys } from '../http/meter.ts';
import { count, id, isoOrNull, timestamp } from '../http/openapi-parts.ts';
import { waitForBookings } from '../optimize/bookkeeping.ts';

const secretRecord = z.object({
  secret: z.string().openapi({
    description: 'The key of HMAC-SHA-256 is this text, in UTF-8.',
    pattern: '^[0-9A-Za-z_-]{43}$',
    example: 'bJ5t1vXw3m0cQh7yEoK2sRzN8aUdLgPfTiBqVxYe4W0',
  }),
  until: timestamp.nullable().openapi({
    description: 'When it stops being accepted. Null: it is the current one.',
  }),
});

export const siteRecord = z
  .object({
    id: id('site'),
    slug: z.string().openapi({ example: 'my-shop' }),
    name: z.string().openapi({ example: 'Shop' }),
    source: z.url().openapi({ example: 'https://images.example/' }),
    signed: z.boolean().openapi({ description: 'Whether only signed URLs are answered.' }),
    secrets: z.array(secretRecord).openapi({
      description: 'The secrets that sign URLs, the current one first; two during a rotation.',
    }),
    presets: z.record(z.string(), z.string()).openapi({
      description: 'Options by the name of a preset.',
      example: { card: 'w_400,h_300,f_auto' },
    }),
    presets_only: z.boolean().openapi({ description: 'Whether only presets are answered.' }),
    monthly_limit: z.int().min(1).nullable().openapi({
      description: 'How many results are made per UTC month. Null: no limit of its own.',
      example: 5000,
    }),
    cache_seconds: z.int().min(60).openapi({
      description: 'How long a result is fresh, in seconds.',
      example: 86_400,
    }),
    on_error: z.enum(['original', 'error']).openapi({
      description: 'What a browser gets where no result can be made.',
    }),
    status: z.enum(['active', 'paused']),
    month_used: count.openapi({
      description: 'Results made in this UTC month; `monthly_limit` caps this figure.',
    }),
    all_time_used: count.openapi({ description: 'Results made in total.' }),
    created_at: timestamp.openapi({ example: '2026-11-20T16:31:00.000Z' }),
    last_used_at: timestamp.nullable().openapi({
      description: 'When the latest result was made. Null: none was.',
    }),
  })
  .openapi('Site', { description: 'A site, and what has been made for it.' });

/** The record of a site, with those of its secrets that are accepted and can be decrypted. */
export async function describeSite(
  site: StoredSite,
  keySecrets: SecretVersions,
): Promise<z.infer<typeof siteRecord>> {
  const { id, slug, name, source, signed, status } = site;
  const now = Date.now();
  const accepted = site.secrets.filter(({ until }) => until === null || until > now);
  const secrets = await Promise.all(
    accepted.map(async ({ sealed, until }) => ({
      secret: await openApiKey(sealed, id, keySecrets),
      until: isoOrNull(until),
    })),
  );
  return {
    ...{ id, slug, name, source, signed },
    secrets: secrets.flatMap(({ secret, until }) => (secret === null ? [] : [{ secret, until }])),
    presets: site.presets,
    presets_only: site.presetsOnly,
    monthly_limit: site.monthlyLimit,
    cache_seconds: site.cacheSeconds,
    on_error: site.onError,
    status,
    month_used: site.month === monthOf(now) ? site.monthUsed : 0,
    all_time_used: site.allTimeUsed,
    created_at: new Date(site.createdAt).toISOString(),
    last_used_at: isoOrNull(site.lastUsedAt),
  };
}

type SignedIn = Context<SignedInEnv>;

/** Sites with their current figures, which come from the meter if there is one. */
export async function withUsage(
  c: SignedIn,
  { mailbox, sites }: StoredSites,
): Promise<readonly StoredSite[]> {
  const { userId, mailboxId } = c.var.session;
  await waitForBookings(mailboxId);
  const uses = await usageOfKeys(c, mailbox, userId);
  return sites.map((site) => {
    const use = uses.get(site.id);
    if (!use) return site;
    const { allTime: allTimeUsed, lastUsedAt, month, monthUsed } = use;
    return { ...site, allTimeUsed, lastUsedAt, month, monthUsed };
  });
}

/**
 * The site as it appears in the user's list.
 * @throws ApiError `site_not_found`, also for sites of other users
 */
export async function demandSite(c: SignedIn, id: string): Promise<StoredSite> {
  const { userId } = c.var.session;
  const [site] = await withUsage(c, await findSite(c.env.DB, { userId, id }));
  if (site) return site;
  throw noSuchSite();
}

export function noSuchSite(): ApiError {
  return new ApiError(
    'site_not_found',
    'You have no site with this id; GET /v1/sites lists yours.',
  );
}
