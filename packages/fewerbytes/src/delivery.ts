import type { GivenOptions } from '../../../src/image/engine.ts';
import {
  normalized,
  signatureLength,
  writtenPath,
} from '../../../src/routes/delivery/url-spelling.ts';

// URLs of images that a site of the service answers: in Node, Workers and pages, without the engine.

/** Those of the options that URLs have, too. */
type SharedOptions = Pick<
  GivenOptions,
  | 'width'
  | 'height'
  | 'fit'
  | 'position'
  | 'quality'
  | 'target'
  | 'maxBytes'
  | 'background'
  | 'animation'
>;

/** What a URL asks for. What is left out has the default. */
export interface UrlOptions extends SharedOptions {
  /** `auto`, the default: what takes the fewest bytes of all that the browser shows. */
  readonly format?: GivenOptions['format'];
  /** Multiplies `width` and `height`; 1 to 4. */
  readonly dpr?: number | undefined;
  /** The name of a preset of the site, which the other options override. */
  readonly preset?: string | undefined;
  /** When the URL expires. Only signed URLs do. */
  readonly expires?: Date | undefined;
}

/** What the URLs of a set ask for. */
export interface SrcSetOptions extends Omit<UrlOptions, 'width' | 'height' | 'dpr'> {
  /** Width to height, such as `16:9`; without `fit`, images are cropped to it. */
  readonly ratio?: string | undefined;
}

/** The names of options in URLs. */
const names = {
  width: 'w',
  height: 'h',
  dpr: 'dpr',
  fit: 'fit',
  position: 'pos',
  format: 'f',
  quality: 'q',
  target: 't',
  maxBytes: 'm',
  background: 'b',
  animation: 'a',
  preset: 'p',
  expires: 'exp',
} as const satisfies Readonly<Record<keyof UrlOptions, string>>;

/**
 * The URL of an image of a site. Whether the site has the image, and whether the options fit together, only its answer
 * says.
 *
 * ```js
 * imageUrl('https://images.example/i/shop', 'cups/blue.jpg', { width: 800 });
 * // https://images.example/i/shop/w_800/cups/blue.jpg
 * ```
 * @param site the address below which its images are: that of the service, `/i/`, and the slug
 * @param path the path of the image below the `source` of the site, encoded as in a URL or not, and its query
 * @throws RangeError if the path leads elsewhere, or something is no option or no value of one
 */
export function imageUrl(site: string, path: string, options: UrlOptions = {}): string {
  const { segments, path: written, query } = writtenPath(path);
  if (segments.some((segment) => /^\.{0,2}$|[\\/]/.test(segment))) {
    throw new RangeError('A path has no segment that is empty, "." or "..", or has a slash in it.');
  }
  return `${site.replace(/\/$/, '')}/${segmentOf(options)}/${written}${query}`;
}

/**
 * The `srcset` of an `<img>`: an image of a site in several widths.
 * @param widths in pixels; an image that has fewer is not enlarged
 * @throws RangeError as `imageUrl`
 */
export function srcSet(
  site: string,
  path: string,
  widths: readonly number[],
  { ratio, ...options }: SrcSetOptions = {},
): string {
  const candidates = widths.map((width) => {
    const height =
      ratio === undefined ? undefined : Math.max(1, Math.round(width / quotient(ratio)));
    return `${imageUrl(site, path, { ...options, width, height })} ${width}w`;
  });
  return candidates.join(', ');
}

/**
 * Signs the URL of an image, for sites that answer no other ones. Secrets belong on servers, so this does, too.
 * @param url as `imageUrl` makes it; the signature of a signed URL is replaced
 * @param secret of the site: 43 characters
 * @throws RangeError if this is no URL of an image, or there is no secret
 */
export async function signUrl(url: string, secret: string): Promise<string> {
  if (!secret) throw new RangeError('There is no secret to sign with.');
  const { origin, pathname, search } = new URL(url, unnamed);
  const [, site, path] = /^(.*?\/i\/[^/]+)(?:\/~[^/]*)?\/([^/~][^/]*\/.+)$/.exec(pathname) ?? [];
  if (site === undefined) throw new RangeError('This is no URL of an image.');
  const signed = `${path}${search}`;
  const host = origin === unnamed ? '' : origin;
  return `${host}${site}/~${await signatureOf(signed, secret)}/${signed}`;
}

/**
 * Signs all URLs of a `srcset`.
 * @param set as `srcSet` makes it
 * @throws RangeError as `signUrl`
 */
export async function signSrcSet(set: string, secret: string): Promise<string> {
  const candidates = set.split(/,\s+/).map(async (candidate) => {
    const [url = '', ...descriptors] = candidate.trim().split(/\s+/);
    return [await signUrl(url, secret), ...descriptors].join(' ');
  });
  return (await Promise.all(candidates)).join(', ');
}

/** Stands for the host of URLs without one. */
const unnamed = 'https://host.invalid';

/** The segment of a URL that has the options. */
function segmentOf(options: UrlOptions): string {
  const pairs = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (!Object.hasOwn(names, name)) throw new RangeError(`"${name}" is not an option of URLs.`);
    return [`${names[name as keyof typeof names]}_${writtenValue(name, value)}`];
  });
  return pairs.join(',') || '_';
}

/** A value in the grammar of URLs: a comma would begin another option, a slash the path. */
function writtenValue(name: string, value: unknown): string {
  const plain = value instanceof Date ? Math.floor(Number(value) / 1000) : value;
  const isPlain = typeof plain === 'string' || Number.isFinite(plain);
  const text = String(plain).replace(/^#/, '').replace(',', 'x');
  if (isPlain && /^[\w.-]+$/.test(text)) return text;
  throw new RangeError(`"${name}" has a value that URLs cannot have.`);
}

function quotient(ratio: string): number {
  const [, across, down] = /^(\d{1,5}(?:\.\d+)?):(\d{1,5}(?:\.\d+)?)$/.exec(ratio) ?? [];
  const value = Number(across) / Number(down);
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new RangeError('"ratio" should look like 16:9.');
}

async function signatureOf(signed: string, secret: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const { subtle } = crypto;
  const key = await subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const hash = await subtle.sign('HMAC', key, encoder.encode(normalized(signed)));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(hash)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').slice(0, signatureLength);
}
