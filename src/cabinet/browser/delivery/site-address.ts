import { signUrl } from 'fewerbytes/delivery';
import { writtenPath } from '../../../routes/delivery/url-spelling.ts';
import type { SiteRecord } from '../api/wire.ts';

/** The page that lists the sites. */
export const listAddress = '/cabinet/delivery';

/** The value of `site` in the page's URL for a site that does not exist yet; ids begin with `site_`. */
export const newSite = 'new';

/** The URL of the page of a site, or of a new one. */
export function siteAddress(id: string): string {
  return `${listAddress}?site=${encodeURIComponent(id)}`;
}

/** Where images are, from what someone has typed. */
export interface TypedAddress {
  /** A URL that ends in `/`. */
  readonly source: string;
  /** The path of the image that was typed, below the source, with the query; empty if none was. */
  readonly path: string;
}

/** Names of files, such as `cat.jpg`. */
const fileName = /\.[a-z0-9]{2,5}$/i;

/**
 * Reads the address below which images are, or that of one of them, for which the source is all of its server. Without a
 * scheme, it is https, and http for this machine and for IP addresses. Null if it is no address.
 */
export function readAddress(typed: string): TypedAddress | null {
  const text = typed.trim();
  const url = parsed(
    /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${usualScheme(text)}://${text}`,
  );
  if (text === '' || !url || !/^https?:$/.test(url.protocol) || url.username !== '') return null;
  const { origin, pathname, search } = url;
  if (search !== '' || fileName.test(pathname)) {
    return { source: `${origin}/`, path: pathname.slice(1) + search };
  }
  return { source: `${origin}${pathname.replace(/\/?$/, '/')}`, path: '' };
}

/** What a server at this address usually speaks: few have certificates for other addresses than public names. */
function usualScheme(address: string): 'http' | 'https' {
  const host = parsed(`http://${address}`)?.hostname ?? '';
  return /^(?:(?:.+\.)?localhost|[\d.]+|\[.*\])$/.test(host) ? 'http' : 'https';
}

function parsed(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** The service's rule for slugs. */
const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const slugLengths = { min: 3, max: 40 } as const;

export function isSlug(text: string): boolean {
  const { length } = text;
  return slugPattern.test(text) && length >= slugLengths.min && length <= slugLengths.max;
}

/** A slug made of the host of a source, such as `example-com`; empty if there is nothing to make one of. */
export function slugFor({ source }: TypedAddress): string {
  const host = new URL(source).hostname.replace(/^www\./, '');
  const slug = host
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugLengths.max)
    .replace(/^-+|-+$/g, '');
  return isSlug(slug) ? slug : '';
}

/**
 * The path of an image below the source, with its query, as URLs have it; empty if there is none.
 * @param typed the same, encoded or not, or the whole address of the image
 */
export function pathBelow(source: string, typed: string): string {
  const text = typed.trim();
  const below = text.startsWith(source) ? text.slice(source.length) : text;
  const { path, query } = writtenPath(below.replace(/^\/+/, ''));
  return path === '' ? '' : path + query;
}

/** Of the characters that separate options, none needs to be encoded in a path. */
const separators: Readonly<Record<string, string>> = {
  '%2C': ',',
  '%3A': ':',
  '%3D': '=',
  '%26': '&',
};

/**
 * The path of an image by URL on this origin, signed if the site demands it; null if these options or this path
 * cannot stand in one, or this page cannot sign.
 * @param options as they are written in URLs, not encoded
 * @param path as `pathBelow` returns it
 */
export async function imagePath(
  { slug, signed, secrets }: Pick<SiteRecord, 'slug' | 'signed' | 'secrets'>,
  options: string,
  path: string,
): Promise<string | null> {
  const written = encodeURIComponent(options.replace(/\p{Surrogate}/gu, '\u{FFFD}')).replace(
    /%2C|%3A|%3D|%26/g,
    (one) => separators[one] ?? one,
  );
  const url = parsed(`https://site.invalid/${written}/${path}`);
  // What begins with `~` would be a signature.
  if (written.startsWith('~') || !url?.pathname.startsWith(`/${written}/`)) return null;
  const unsigned = `/i/${slug}${url.pathname}${url.search}`;
  if (!signed) return unsigned;
  const secret = secrets[0]?.secret;
  if (secret === undefined || !canSign()) return null;
  return signUrl(unsigned, secret);
}

/** Whether this page can sign: browsers let only those do so that came by HTTPS, or from this machine. */
export function canSign(): boolean {
  return 'subtle' in crypto;
}
