import { sha256 } from '../../access/hashing.ts';
import { ApiError } from '../../errors.ts';
import { normalized } from './url-spelling.ts';

/** The longest query that goes to a source, in characters. */
const maxQueryLength = 2048;

/**
 * The URL of an image below the address of a site: the same one for all spellings that a signature is valid for, so that a
 * signed URL stands for one image.
 * @param source an https URL that ends in `/`
 * @param path as it is in the URL of the request, without its first `/`
 * @param search the query with its `?`, or nothing
 * @throws ApiError `invalid_request` if it could lead anywhere else
 */
export function imageUrl(source: string, path: string, search: string): URL {
  // Named, because it may be one of many.
  const refused = (because: string) =>
    new ApiError('invalid_request', `The path "${path}" cannot be used: ${because}.`);
  if (search.length > maxQueryLength) throw refused('the query is too long');
  const segments = path.split('/').map((segment) => segmentOf(segment, refused));
  const url = URL.parse(`${source}${segments.join('/')}${normalized(search)}`);
  if (!url?.href.startsWith(source) || url.hash !== '') throw refused('it leads elsewhere');
  return url;
}

/** Decodes a segment once, and encodes it again. */
function segmentOf(encoded: string, refused: (because: string) => ApiError): string {
  let segment: string;
  try {
    segment = decodeURIComponent(encoded);
  } catch {
    throw refused('it is not percent-encoded UTF-8');
  }
  if (segment === '' || segment === '.' || segment === '..') {
    throw refused('a segment is empty, "." or ".."');
  }
  // Some servers take these for slashes, or end a path at them.
  if (/[\\/\p{Cc}]/u.test(segment)) throw refused('a segment has a slash or a control character');
  return encodeURIComponent(segment);
}

/**
 * The name of an image within its site.
 * @param pathAndQuery what of `imageUrl` follows the source
 * @returns 128 bits of its SHA-256, in hexadecimal
 */
export async function pathHash(pathAndQuery: string): Promise<string> {
  return (await sha256(pathAndQuery)).slice(0, 32);
}
