import { sha256 } from '../../access/hashing.ts';
import type { Optimized, Work } from '../../image/engine.ts';
import { formatFacts, type OutputType } from '../../image/formats/facts.ts';
import { deliveryLimits } from '../../policy/limits.ts';
import type { PurgeNumbers, ResultHead } from '../../store/results.ts';
import { disposition, pictureHeaders } from '../optimize/picture-headers.ts';
import { type SourceVersion, sourceName } from '../optimize/remote/fetch-image.ts';
import { type ErrorRules, openHeaders } from './failure.ts';
import { isNegotiated } from './negotiation.ts';
import { pathHash } from './source-path.ts';
import type { UrlOptions } from './url-options.ts';

// A result: what it is made of, its names, how long it is fresh, and the headers that it has.

/** What the gate has found out about a request. With the URL, it is the key of the cache in front of `Delivery`. */
export interface DeliveryProps extends ErrorRules {
  readonly siteId: string;
  readonly mailboxId: string;
  /** The prefix of the site's images. */
  readonly source: string;
  readonly purges: PurgeNumbers;
  /** How long a result is fresh. */
  readonly cacheSeconds: number;
  /** As `reducedAccept` returns it; empty where it makes no difference. */
  readonly accept: readonly OutputType[];
  readonly options: UrlOptions['options'];
  /** The options in their canonical form. */
  readonly canonical: string;
}

/** The names of a result: of its image within all sites, and its own one, which begins with that. */
export interface ResultNames {
  readonly path: string;
  readonly key: string;
}

export async function namesOf({
  siteId,
  source,
  image,
  canonical,
  accept,
}: DeliveryProps): Promise<ResultNames> {
  const path = `${siteId}/${await pathHash(image.slice(source.length))}`;
  const variant = await sha256(`${canonical} ${accept.join()}`);
  return { path, key: `${path}/${variant.slice(0, 32)}` };
}

/**
 * Whether a result is fresh, or may be served while it is compared with its source (`stale`), or only if the source has
 * not changed (`expired`).
 */
export function freshnessOf(
  { checkedAt }: Pick<ResultHead, 'checkedAt'>,
  { cacheSeconds }: Pick<DeliveryProps, 'cacheSeconds'>,
  now: number,
): 'fresh' | 'stale' | 'expired' {
  const beyond = now - checkedAt - 1000 * cacheSeconds;
  if (beyond < 0) return 'fresh';
  return beyond < deliveryLimits.staleTime ? 'stale' : 'expired';
}

/** What is kept beside a new result. */
export async function headOf(
  work: Pick<Work, 'inputType' | 'inputBytes' | 'cpuMs'>,
  picture: Optimized,
  { purges }: Pick<DeliveryProps, 'purges'>,
  { etag, modified, checkedAt }: SourceVersion & Pick<ResultHead, 'checkedAt'>,
): Promise<ResultHead> {
  const {
    'Content-Length': _,
    'Content-Disposition': _name,
    'Cache-Control': _cache,
    ...headers
  } = pictureHeaders(work, picture, null);
  return {
    purges,
    ...{ checkedAt, madeAt: Date.now() },
    ...{ sourceEtag: etag, sourceModified: modified },
    etag: `"${(await sha256(picture.bytes)).slice(0, 32)}"`,
    cpuMs: work.cpuMs,
    headers,
  };
}

/** How long a result may be stored that has just been found stale, in seconds: its successor is being made. */
const staleAge = 60;

const staleWhileRevalidate = `stale-while-revalidate=${deliveryLimits.staleTime / 1000}`;

/** The headers of an image. */
export function imageHeaders(
  { checkedAt, madeAt, etag, headers }: ResultHead,
  length: number,
  props: DeliveryProps,
): Record<string, string> {
  const { cacheSeconds, image, options } = props;
  const now = Date.now();
  const isFresh = freshnessOf({ checkedAt }, props, now) === 'fresh';
  const age = Math.floor((now - checkedAt) / 1000);
  return {
    ...openHeaders,
    ...headers,
    'Content-Length': String(length),
    'Content-Disposition': disposition('inline', sourceName(image), extensionOf(headers)),
    'Cache-Control': `public, max-age=${isFresh ? cacheSeconds : staleAge}, ${staleWhileRevalidate}`,
    // Others count from when it was compared with its source, and not from when it was asked for.
    ...(isFresh && age > 0 && { Age: String(age) }),
    ETag: etag,
    'Last-Modified': new Date(madeAt).toUTCString(),
    ...(isNegotiated(options) && { Vary: 'Accept' }),
  };
}

function extensionOf({ 'Content-Type': type }: Readonly<Record<string, string>>): string {
  return formatFacts.find(({ mediaType }) => mediaType === type)?.extensions[0] ?? 'bin';
}
