export interface SetCookie {
  readonly name: string;
  readonly value: string;
  /** Names in lower case; an attribute without a value has an empty one. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** The one cookie of this name that a response sets. */
export function cookieSetBy(response: Response, name: string): SetCookie {
  const cookies = response.headers.getSetCookie().map(parseSetCookie);
  const [found, ...more] = cookies.filter((cookie) => cookie.name === name);
  if (!found || more.length > 0) throw new Error(`not one cookie "${name}" but ${cookies.length}`);
  return found;
}

interface Kept {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** Cookies of one origin, kept and sent as a browser does (RFC 6265, section 5). */
export class CookieJar {
  #kept: readonly Kept[];

  constructor(kept: readonly Kept[] = []) {
    this.#kept = kept;
  }

  copy(): CookieJar {
    return new CookieJar(this.#kept);
  }

  value(name: string): string | undefined {
    return this.#kept.find((cookie) => cookie.name === name)?.value;
  }

  /** Puts a cookie for all paths into the jar. */
  set(name: string, value: string): void {
    this.remove(name);
    this.#kept = [...this.#kept, { name, value, path: '/' }];
  }

  remove(name: string): void {
    this.#kept = this.#kept.filter((cookie) => cookie.name !== name);
  }

  /** The header for a request to `path`; null when nothing goes there. */
  header(path: string): string | null {
    const sent = this.#kept.filter((cookie) => isWithin(path, cookie.path));
    return sent.length === 0 ? null : sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  /** Keeps what the answer to a request to `requestPath` sets. */
  receive(response: Response, requestPath: string): void {
    for (const line of response.headers.getSetCookie()) {
      const { name, value, attributes } = parseSetCookie(line);
      const { path = defaultPath(requestPath), expires = '', 'max-age': maxAge } = attributes;
      const hasEnded = maxAge === undefined ? Date.parse(expires) <= Date.now() : +maxAge <= 0;
      // a cookie of the same name for another path is another cookie
      const others = this.#kept.filter((cookie) => cookie.name !== name || cookie.path !== path);
      this.#kept = hasEnded ? others : [...others, { name, value, path }];
    }
  }
}

function parseSetCookie(line: string): SetCookie {
  const [[name = '', value = ''] = [], ...rest] = line.split(/;\s*/).map(splitAtEquals);
  const attributes = rest.map(([key = '', text = '']) => [key.toLowerCase(), text]);
  return { name, value, attributes: Object.fromEntries(attributes) };
}

function splitAtEquals(text: string): string[] {
  const at = text.indexOf('=');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function defaultPath(requestPath: string): string {
  return requestPath.slice(0, Math.max(1, requestPath.lastIndexOf('/')));
}

function isWithin(path: string, cookiePath: string): boolean {
  return path === cookiePath || path.startsWith(cookiePath.replace(/\/?$/, '/'));
}
