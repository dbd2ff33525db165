import type { Context } from 'hono';
import { openApiKey } from '../../access/api-key.ts';
import type { Secret, SecretVersions } from '../../access/secrets.ts';
import { ApiError } from '../../errors.ts';
import type { SiteRecord } from '../../store/site-record.ts';
import { type AppEnv, note } from '../http/context.ts';
import { loopName } from './making.ts';
import { rememberedSite } from './site-memory.ts';
import { imageUrl } from './source-path.ts';
import { readUrlOptions, type UrlOptions } from './url-options.ts';
import { isSigned } from './url-signature.ts';

/** A request that may have an image. */
export interface Admitted {
  readonly site: SiteRecord;
  /** The URL of the image below the site's source. */
  readonly image: URL;
  readonly options: UrlOptions;
}

/** The parts of the URL of an image, still encoded. */
interface UrlParts {
  readonly slug: string;
  /** Without its `~`; null if there is none. */
  readonly signature: string | null;
  /** What is signed. */
  readonly signed: string;
  readonly options: string;
  readonly path: string;
}

/**
 * Decides whether the URL of an image is one that its site answers. Developers see what is wrong with it, whatever the site
 * says of errors.
 * @throws ApiError `delivery_loop`, `site_not_found`, `invalid_url_signature`, `invalid_request`, `invalid_options`,
 *   `preset_required`, `url_expired`
 */
export async function admit<RouteEnv extends AppEnv>(c: Context<RouteEnv>): Promise<Admitted> {
  if (namesUs(c.req.header('CDN-Loop'))) throw new ApiError('delivery_loop');
  const url = new URL(c.req.url);
  const parts = partsOf(url);
  const site = await rememberedSite(c.env, parts.slug, Date.now());
  if (site === null || site.status === 'deleted') throw new ApiError('site_not_found');
  note(c, { key_id: site.id });
  await demandSignature(site, parts, c.var.config.keySecrets);
  const image = imageUrl(site.source, parts.path, url.search);
  const options = readUrlOptions(decoded(parts.options), site.presets, site.presetsOnly);
  const { expiresAt } = options;
  if (expiresAt !== null && parts.signature === null) {
    throw new ApiError('invalid_options', '"exp" is for signed URLs: others could be changed.');
  }
  if (expiresAt !== null && Date.now() >= 1000 * expiresAt) throw new ApiError('url_expired');
  return { site, image, options };
}

/** Whether a list of CDNs that have passed a request on has this service (RFC 8586 §2); parameters say nothing. */
export function namesUs(loop: string | undefined): boolean {
  const names = (loop ?? '').split(',').map((entry) => entry.split(';', 1)[0]?.trim());
  return names.includes(loopName);
}

/** Reads the path as it was sent: the router's is decoded. */
export function partsOf({ pathname, search }: Pick<URL, 'pathname' | 'search'>): UrlParts {
  const pattern = /^\/i\/([a-z0-9-]{3,40})\/(?:~([^/]*)\/)?(([^/]*)\/(.*))$/s;
  const [, slug, signature, rest, options = '', path = ''] = pattern.exec(pathname) ?? [];
  if (slug === undefined || rest === undefined) {
    throw new ApiError(
      'invalid_request',
      'The path of an image by URL is /i/, the slug of a site, options or _, and a path below its source.',
    );
  }
  return { slug, signature: signature ?? null, signed: `${rest}${search}`, options, path };
}

function decoded(options: string): string {
  try {
    return decodeURIComponent(options);
  } catch {
    throw new ApiError('invalid_options', 'The options should be percent-encoded UTF-8.');
  }
}

/** A signature is checked wherever there is one; only signed sites demand it. */
async function demandSignature(
  site: SiteRecord,
  { signature, signed }: UrlParts,
  keySecrets: SecretVersions,
): Promise<void> {
  if (signature === null && !site.signed) return;
  const now = Date.now();
  const secrets = (await secretsOf(site, keySecrets))
    .filter(({ until }) => until === null || now < until)
    .map(({ secret }) => secret);
  if (signature === null || !(await isSigned(signature, signed, secrets))) {
    throw new ApiError('invalid_url_signature');
  }
}

interface SiteSecret {
  readonly secret: Secret;
  /** In milliseconds since 1970; null if it does not end. */
  readonly until: number | null;
}

/** The secrets of sites that this isolate remembers, opened once. */
const opened = new WeakMap<SiteRecord, Promise<readonly SiteSecret[]>>();

function secretsOf(site: SiteRecord, keySecrets: SecretVersions): Promise<readonly SiteSecret[]> {
  const known = opened.get(site);
  if (known) return known;
  const secrets = openSecrets(site, keySecrets);
  opened.set(site, secrets);
  return secrets;
}

async function openSecrets(
  { id, secrets }: SiteRecord,
  keySecrets: SecretVersions,
): Promise<readonly SiteSecret[]> {
  const all = await Promise.all(
    secrets.map(async ({ sealed, until }) => {
      const text = await openApiKey(sealed, id, keySecrets);
      // The bytes of the text itself, which every language has at hand.
      return text === null
        ? []
        : [{ secret: Uint8Array.from(new TextEncoder().encode(text)), until }];
    }),
  );
  return all.flat();
}
