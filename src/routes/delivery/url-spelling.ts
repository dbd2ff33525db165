// How URLs of images are written, and which spellings are the same. The service, its pages and the package share this, so
// it needs nothing of a platform.

/** The number of characters of a signature: 144 bits (RFC 2104 §5 asks for at least half of the hash). */
export const signatureLength = 24;

/**
 * Percent-encoding that has the same meaning gets the same form: hexadecimal digits in upper case, and no unreserved
 * character encoded (RFC 3986 §6.2.2.1 and §6.2.2.2).
 */
export function normalized(text: string): string {
  // Of a percent sign that encodes nothing, what follows it could make an escape that was not signed.
  if (/%(?![0-9a-f]{2})/i.test(text)) return text;
  return text.replace(/%([0-9a-f]{2})/gi, (encoded, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
  });
}

/** What follows the options in the URL of an image. */
export interface WrittenPath {
  /** The segments of the path as people read them: decoded. */
  readonly segments: readonly string[];
  /** The path as it stands in URLs, without a slash before it. */
  readonly path: string;
  /** With its `?`, or nothing. */
  readonly query: string;
}

/**
 * Writes a path as URLs have it.
 * @param text the path of an image below the source of its site, encoded or not, with or without a slash before it, and
 * its query; what looks like an escape is one, so a file called `50%25.jpg` is `50%2525.jpg`
 */
export function writtenPath(text: string): WrittenPath {
  const [, path = '', query = ''] = /^\/?([^?]*)(.*)$/s.exec(wellFormed(text)) ?? [];
  const segments = path.split('/').map(decoded);
  return { segments, path: segments.map(encodeURIComponent).join('/'), query: writtenQuery(query) };
}

/** A name that is not percent-encoded, such as `100%.jpg`, is taken as it is. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function writtenQuery(query: string): string {
  // Servers do not get to see fragments, so this is a part of the query.
  const { search } = new URL(`https://host.invalid/${query.replaceAll('#', '%23')}`);
  // At the end of a URL in `srcset`, a comma would end the candidate.
  return search.replace(/,$/, '%2C');
}

/** Half of a surrogate pair has no encoding. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\u{FFFD}');
}
