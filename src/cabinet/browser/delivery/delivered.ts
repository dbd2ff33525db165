import { type Failure, failureOf, localFailure, ownFailure } from '../api/failure.ts';
import type { SiteRecord } from '../api/wire.ts';
import { canSign, imagePath } from './site-address.ts';

/** A kind of browser, by the `Accept` header with which it asks for images. */
export interface BrowserKind {
  readonly id: string;
  readonly name: string;
  readonly accept: string;
}

/** What most visitors have. */
export const chrome: BrowserKind = {
  id: 'chrome',
  name: 'Chrome, Edge',
  accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
};

/** Those that get different formats, or might. */
export const browserKinds: readonly BrowserKind[] = [
  chrome,
  {
    id: 'firefox',
    name: 'Firefox',
    accept: 'image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
  },
  {
    id: 'safari',
    name: 'Safari',
    accept:
      'image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
  },
  { id: 'others', name: 'Mail, old browsers', accept: '*/*' },
];

/** An image as the service delivers it. */
export interface DeliveredImage {
  readonly blob: Blob;
  /** Media type. */
  readonly type: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** SSIMULACRA2, with one decimal; null where it is not measured. */
  readonly score: string | null;
}

/** What a browser gets. */
export type Delivery =
  | { readonly kind: 'image'; readonly image: DeliveredImage }
  /** A redirect to the image below the source. */
  | { readonly kind: 'original' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** How long an image may take to be made, in milliseconds. */
const deliveryTimeout = 90_000;

/**
 * Asks for an image as a browser of this kind does. Past its own cache, which may have what has been purged.
 * @param options as they are written in URLs
 * @param path below the source
 */
export async function deliver(
  site: SiteRecord,
  options: string,
  path: string,
  { accept }: Pick<BrowserKind, 'accept'>,
): Promise<Delivery> {
  const url = await imagePath(site, options, path);
  if (url === null) return { kind: 'failed', failure: notAddressed(site) };
  try {
    const response = await fetch(url, {
      headers: { Accept: accept },
      credentials: 'omit',
      cache: 'no-store',
      // To another origin, which this page may not ask.
      redirect: 'manual',
      signal: AbortSignal.timeout(deliveryTimeout),
    });
    if (response.type === 'opaqueredirect') return { kind: 'original' };
    if (!response.ok) return { kind: 'failed', failure: await failureOf(response) };
    return { kind: 'image', image: await imageOf(response) };
  } catch (error) {
    const isSlow = error instanceof DOMException && error.name === 'TimeoutError';
    return { kind: 'failed', failure: localFailure(isSlow ? 'slow' : 'offline') };
  }
}

async function imageOf(response: Response): Promise<DeliveredImage> {
  const { headers } = response;
  return {
    blob: await response.blob(),
    type: headers.get('Content-Type') ?? '',
    width: Number(headers.get('Image-Width')),
    height: Number(headers.get('Image-Height')),
    score: headers.get('Image-Score'),
  };
}

function notAddressed({ signed }: SiteRecord): Failure {
  if (signed && !canSign()) {
    return ownFailure('unsigned', 'Browsers can sign only on pages that come by HTTPS.');
  }
  return ownFailure('no_path', 'This path or these options can’t stand in a URL.');
}

/** Why browsers are sent to the original, as far as the record of the site tells. */
export function originalReason({ status, monthly_limit, month_used }: SiteRecord): string {
  if (status === 'paused') return 'The site is paused, so browsers are sent to the original.';
  if (monthly_limit !== null && month_used >= monthly_limit) {
    return 'The site’s monthly limit is reached, so browsers are sent to the original.';
  }
  return 'Nothing smaller can be made of it now, so browsers are sent to the original. The options may not suit the image, it may be damaged, you may have no files left, or the service may be busy.';
}
