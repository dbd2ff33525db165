import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { sealApiKey } from '../access/api-key.ts';
import { makeSiteSecret } from '../access/site-secret.ts';
import { ApiError } from '../errors.ts';
import { maxOverlapHours, siteLimits, slugsFreeSince } from '../policy/limits.ts';
import { sourceRules } from '../policy/source-url.ts';
import { newId } from '../store/database.ts';
import { sweepPaths, sweepSite } from '../store/site-upkeep.ts';
import {
  changeSite,
  countCheck,
  deleteSite,
  insertSite,
  listSites,
  purgePaths,
  purgeSite,
  rotateSiteSecret,
} from '../store/sites.ts';
import { imageUrl, pathHash } from './delivery/source-path.ts';
import type { SignedInEnv } from './http/context.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { authRequired } from './http/credentials.ts';
import { withMeter } from './http/meter.ts';
import { id, jsonRequest, jsonResponse, success, wholeNumber } from './http/openapi-parts.ts';
import { tooManyRequests } from './http/rate-limit.ts';
import { nameField } from './keys/key-fields.ts';
import { checkImage, checkRecord } from './sites/check.ts';
import {
  demandSite,
  describeSite,
  noSuchSite,
  siteRecord,
  withUsage,
} from './sites/described-site.ts';
import { publishChange, sweepLater } from './sites/publish-change.ts';
import {
  cacheSecondsField,
  defaultCacheSeconds,
  monthlyLimitField,
  onErrorField,
  pathField,
  presetsField,
  presetsOnlyField,
  purgedPaths,
  signedField,
  slugField,
  sourceField,
  sourceOf,
  statusField,
} from './sites/site-fields.ts';

const tags = ['Sites'];
const params = z.object({ id: id('site').openapi({ description: 'The `id` of the site.' }) });
const changing = { tags, credential: 'session' } as const;

/** Purged paths that a site remembers one by one, at most. */
const maxPathPurges = 1000;

const list = defineRoute({
  method: 'get',
  path: '/v1/sites',
  operationId: 'listSites',
  tags,
  summary: 'List your sites, newest first',
  credential: 'session',
  responses: { 200: jsonResponse('All your sites.', z.object({ items: z.array(siteRecord) })) },
});

const create = defineRoute({
  ...changing,
  method: 'post',
  path: '/v1/sites',
  operationId: 'createSite',
  summary: 'Create a site, whose images are answered by URL',
  description: `Images below \`source\` are answered at \`/i/{slug}/{options}/{path}\`, made smaller. Up to ${siteLimits.perAccount} sites.`,
  request: {
    body: jsonRequest(
      z.object({
        name: nameField,
        slug: slugField,
        source: sourceField,
        signed: signedField.default(false),
        presets: presetsField.default({}),
        presets_only: presetsOnlyField.default(false),
        monthly_limit: monthlyLimitField.optional(),
        cache_seconds: cacheSecondsField.default(defaultCacheSeconds),
        on_error: onErrorField.optional(),
      }),
      { name: 'Shop', slug: 'my-shop', source: 'https://images.example/' },
    ),
  },
  problems: ['source_not_allowed', 'slug_taken', 'site_limit_reached'],
  responses: { 201: jsonResponse('The new site.', siteRecord) },
});

const change = defineRoute({
  ...changing,
  method: 'patch',
  path: '/v1/sites/{id}',
  operationId: 'updateSite',
  summary: 'Change a site',
  description: 'Takes effect at once here, and everywhere within a minute. The slug stays.',
  request: {
    params,
    body: jsonRequest(
      z
        .object({
          name: nameField.optional(),
          source: sourceField.optional(),
          signed: signedField.optional(),
          presets: presetsField.optional(),
          presets_only: presetsOnlyField.optional(),
          monthly_limit: monthlyLimitField.optional(),
          cache_seconds: cacheSecondsField.optional(),
          on_error: onErrorField.optional(),
          status: statusField.optional(),
        })
        .refine(
          (changes) => Object.values(changes).some((value) => value !== undefined),
          'should have at least one field that can be changed',
        )
        .openapi({ minProperties: 1 }),
      { status: 'paused' },
    ),
  },
  problems: ['source_not_allowed', 'site_not_found'],
  responses: { 200: jsonResponse('The changed site.', siteRecord) },
});

const remove = defineRoute({
  ...changing,
  method: 'delete',
  path: '/v1/sites/{id}',
  operationId: 'deleteSite',
  summary: 'Delete a site, with everything that is kept of it',
  description: `Its URLs answer 404, at once here, and everywhere within a minute. Nobody gets its slug for ${siteLimits.reservedDays} days. This cannot be undone.`,
  request: { params },
  problems: ['site_not_found'],
  responses: { 200: jsonResponse('The site is deleted.', success) },
});

const rotate = defineRoute({
  ...changing,
  method: 'post',
  path: '/v1/sites/{id}/rotate-secret',
  operationId: 'rotateSiteSecret',
  summary: 'Replace the secret of a site, immediately or with an overlap',
  description:
    'Without `overlap_hours`, signatures of the old secret are refused, at once here, and everywhere within a minute. With it, those of both are accepted during the overlap; a secret that was being replaced before ends at once.',
  request: {
    params,
    body: {
      ...jsonRequest(
        z.object({
          overlap_hours: wholeNumber(0, maxOverlapHours)
            .default(0)
            .openapi({ description: 'How many hours the old secret keeps working.', example: 24 }),
        }),
        { overlap_hours: 24 },
      ),
      required: false,
    },
  },
  problems: ['site_not_found'],
  responses: { 200: jsonResponse('The site, with its new secret first.', siteRecord) },
});

const purge = defineRoute({
  ...changing,
  method: 'post',
  path: '/v1/sites/{id}/purge',
  operationId: 'purgeSite',
  summary: 'Stop serving the results of a site, or of some of its images',
  description:
    'Results made before are not served again, at once here, and everywhere within a minute; browsers keep what they have for as long as they were told. Without `paths`, this is for all images of the site.',
  request: {
    params,
    body: {
      ...jsonRequest(
        z.object({
          paths: z
            .array(pathField)
            .min(1, 'should not be empty')
            .max(purgedPaths.count, `should be at most ${purgedPaths.count} paths`)
            .optional(),
        }),
        { paths: ['photos/cat.jpg'] },
      ),
      required: false,
    },
  },
  problems: ['site_not_found'],
  responses: { 200: jsonResponse('They are not served again.', success) },
});

const check = defineRoute({
  ...changing,
  method: 'post',
  path: '/v1/sites/{id}/check',
  operationId: 'checkSite',
  summary: 'Fetch an image of a site, and plan what can be made of it',
  description: `Nothing is made, and nothing is charged. ${siteLimits.checksPerHour} images per site and hour.`,
  request: { params, body: jsonRequest(z.object({ path: pathField }), { path: 'photos/cat.jpg' }) },
  problems: [
    'site_not_found',
    'source_not_allowed',
    'source_fetch_failed',
    'body_too_large',
    'unsupported_media_type',
    'invalid_image',
  ],
  responses: { 200: jsonResponse('The image, and the plan for each format.', checkRecord) },
});

type SignedIn = Context<SignedInEnv>;

/** The sites of the signed-in user. */
export const sites = createRouter();

sites.openapi(list, async (c) => {
  const stored = await withUsage(c, await listSites(c.env.DB, c.var.session.userId));
  const { keySecrets } = c.var.config;
  const items = await Promise.all(stored.map((site) => describeSite(site, keySecrets)));
  return c.json({ items }, 200);
});

sites.openapi(create, async (c) => {
  const { config, session } = c.var;
  const { name, slug, signed, presets, presets_only, cache_seconds, ...given } =
    c.req.valid('json');
  const isOpen = !signed && !presets_only;
  const usualLimit = signed ? null : siteLimits.unsignedResultsPerMonth;
  const id = newId('site');
  const now = Date.now();
  const site = {
    ...{ id, userId: session.userId, slug, name, signed, presets, now },
    source: sourceOf(given.source, sourceRules(config, c.req.url)),
    presetsOnly: presets_only,
    monthlyLimit: given.monthly_limit === undefined ? usualLimit : given.monthly_limit,
    cacheSeconds: cache_seconds,
    onError: given.on_error ?? (isOpen ? ('original' as const) : ('error' as const)),
    sealedSecret: await sealApiKey(makeSiteSecret(), id, config.keySecrets),
  };
  const { perAccount, records } = siteLimits;
  const bounds = { perAccount, records, slugsFreeSince: slugsFreeSince(now) };
  const created = await insertSite(c.env.DB, site, bounds);
  if (created === 'no_such_user') throw authRequired();
  if (typeof created === 'string') throw new ApiError(created);
  await publishChange(c, created);
  return c.json(await describeSite(created, config.keySecrets), 201);
});

sites.openapi(change, async (c) => {
  const { userId } = c.var.session;
  const { id } = c.req.valid('param');
  const { presets_only, monthly_limit, cache_seconds, on_error, ...given } = c.req.valid('json');
  const changes = {
    ...{ name: given.name, signed: given.signed, presets: given.presets, status: given.status },
    source: given.source && sourceOf(given.source, sourceRules(c.var.config, c.req.url)),
    presetsOnly: presets_only,
    monthlyLimit: monthly_limit,
    cacheSeconds: cache_seconds,
    onError: on_error,
  };
  await demandSite(c, id);
  const write = () => changeSite(c.env.DB, { userId, id }, changes, Date.now());
  const isForMeter = monthly_limit !== undefined;
  if (!(await (isForMeter ? withMeter(c, id, write) : write()))) throw noSuchSite();
  return c.json(await changed(c, id), 200);
});

sites.openapi(remove, async (c) => {
  const { userId } = c.var.session;
  const { id } = c.req.valid('param');
  const { slug } = await demandSite(c, id);
  const isDone = await withMeter(c, id, () => deleteSite(c.env.DB, { userId, id }, Date.now()));
  if (!isDone) throw noSuchSite();
  await publishChange(c, { id, slug });
  sweepLater(c, () => sweepSite(c.env, id));
  return c.json({ success: true as const }, 200);
});

sites.openapi(rotate, async (c) => {
  const { userId } = c.var.session;
  const { id } = c.req.valid('param');
  // The body may be absent.
  const { overlap_hours: overlapHours = 0 } = c.req.valid('json') ?? {};
  await demandSite(c, id);
  const now = Date.now();
  const sealed = await sealApiKey(makeSiteSecret(), id, c.var.config.keySecrets);
  const secret = { sealed, now, until: now + overlapHours * 3_600_000 };
  if (!(await rotateSiteSecret(c.env.DB, { userId, id }, secret))) throw noSuchSite();
  return c.json(await changed(c, id), 200);
});

sites.openapi(purge, async (c) => {
  const { userId } = c.var.session;
  const { id } = c.req.valid('param');
  const { paths } = c.req.valid('json') ?? {};
  const { source, slug } = await demandSite(c, id);
  const now = Date.now();
  const hashes = paths && (await Promise.all(paths.map((path) => hashOf(source, path))));
  const isDone = hashes
    ? await purgePaths(c.env.DB, { userId, id }, hashes, { maxPaths: maxPathPurges, now })
    : await purgeSite(c.env.DB, { userId, id }, now);
  if (!isDone) throw noSuchSite();
  await publishChange(c, { id, slug });
  sweepLater(c, async () => {
    if (hashes) await sweepPaths(c.env, id, hashes);
    // Too many single images are all of them.
    await sweepSite(c.env, id);
  });
  return c.json({ success: true as const }, 200);
});

sites.openapi(check, async (c) => {
  const { userId } = c.var.session;
  const { id } = c.req.valid('param');
  const { source } = await demandSite(c, id);
  const url = urlOf(source, c.req.valid('json').path);
  const now = Date.now();
  const limit = { perHour: siteLimits.checksPerHour, now };
  const isCounted = await countCheck(c.env.DB, { userId, id }, limit);
  if (!isCounted) throw tooManyRequests(3600 - ((now / 1000) % 3600));
  return c.json(await checkImage(c, url), 200);
});

/** The record of a site that has been changed, once others can read it. */
async function changed(c: SignedIn, id: string): Promise<z.infer<typeof siteRecord>> {
  const site = await demandSite(c, id);
  await publishChange(c, site);
  return describeSite(site, c.var.config.keySecrets);
}

/**
 * The URL of an image.
 * @param path as in the URL of a site, with the query; a slash before it is ignored
 */
function urlOf(source: string, path: string): URL {
  const [, pathname = '', search = ''] = /^\/?([^?]*)(\?.*)?$/s.exec(path) ?? [];
  return imageUrl(source, pathname, search);
}

function hashOf(source: string, path: string): Promise<string> {
  return pathHash(urlOf(source, path).href.slice(source.length));
}
