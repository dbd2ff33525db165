import ipaddr from 'ipaddr.js';

type Judgement =
  | { readonly kind: 'allowed'; readonly url: URL }
  | { readonly kind: 'malformed' }
  /** The rest of a sentence that begins with the URL, without a word of it. */
  | { readonly kind: 'refused'; readonly because: string };

/**
 * Whether the service fetches an image from there. A name is judged by what it
 * is called; what it resolves to is the network's business.
 * @param base where a redirect comes from; its target may be relative
 */
export function judgeSource(text: string, rules: SourceRules, base?: URL): Judgement {
  const url = URL.parse(text, base);
  if (!url) return { kind: 'malformed' };
  const because = complaint(url, rules);
  return because === null ? { kind: 'allowed', url } : { kind: 'refused', because };
}

function complaint(url: URL, { allowHttp, privateSources, ownHosts }: SourceRules): string | null {
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
    return allowHttp
      ? 'begins with neither https:// nor http://'
      : 'does not begin with https://, the only scheme that is fetched';
  }
  if (url.username !== '' || url.password !== '') return 'has a user name or a password in it';
  if (privateSources.has(privateSource(url))) return null;

  const { name, port } = sourceHost(url);
  if (isPrivateName(name)) return 'names a host of a private network';
  if (isPrivateAddress(name)) return 'has an address that is private, local or reserved';
  if (ownHosts.has(name)) return 'points at this service itself';
  if (port !== 443 && port !== 80) return 'names a port other than 443 and 80';
  return null;
}

/** RFC 6761 §6.3 (localhost), RFC 6762 §3 (local), and ICANN's reservation of 2024 (internal). */
function isPrivateName(name: string): boolean {
  return /(^|\.)(localhost|local|internal)$/.test(name);
}

/**
 * Whether it is an address, and not one of the public internet, in whatever form
 * it was written: the URL parser has turned decimal, hexadecimal, octal and short
 * ones into four decimal parts (WHATWG URL §3.5).
 */
function isPrivateAddress(name: string): boolean {
  if (name.startsWith('[')) {
    const address = ipaddr.IPv6.parse(name.slice(1, -1));
    // Global unicast is given out of 2000::/3 only (IANA); what carries an IPv4 address is outside of it, or has a range of its own.
    const isGlobal = ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
    return !isGlobal || address.range() !== 'unicast';
  }
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(name);
  return isAddress && ipaddr.IPv4.parse(name).range() !== 'unicast';
}

/** What a deployment lets its customers name as the place of an image. */
export interface SourceRules {
  /** Plain http besides https. */
  readonly allowHttp: boolean;
  /** Each `host:port`; exempt from the rules for hosts, addresses and ports. */
  readonly privateSources: ReadonlySet<string>;
  /** Names that this service answers under itself, as `sourceHost` gives them. */
  readonly ownHosts: ReadonlySet<string>;
}

/** The settings of a deployment that the rules are made from; `publicOrigin` is null for that of the request. */
export interface SourceSettings {
  readonly allowHttpSources: boolean;
  readonly privateSources: ReadonlySet<string>;
  readonly publicOrigin: string | null;
}

/** @param requestUrl of the request that asks for the image; its host is one of ours */
export function sourceRules(
  { allowHttpSources, privateSources, publicOrigin }: SourceSettings,
  requestUrl: string,
): SourceRules {
  const own = [requestUrl, publicOrigin ?? requestUrl];
  return {
    allowHttp: allowHttpSources,
    privateSources,
    ownHosts: new Set(own.map((url) => sourceHost(new URL(url)).name)),
  };
}

/** Reads a list of `host:port`, separated by commas or spaces; null when an entry is something else. */
export function parsePrivateSources(text: string): ReadonlySet<string> | null {
  const sources = new Set<string>();
  for (const entry of text.split(/[\s,]+/)) {
    if (entry === '') continue;
    const url = /^[^/?#@\\*]+:\d{1,5}$/.test(entry) ? URL.parse(`http://${entry}`) : null;
    if (!url) return null;
    sources.add(privateSource(url));
  }
  return sources;
}

/** The entry that a URL would need in that list. */
export function privateSource(url: URL): string {
  const { name, port } = sourceHost(url);
  return `${name}:${port}`;
}

/** Where a URL points, as it is compared: the name without the dot that may end it, the port always named. */
interface SourceHost {
  /** In lower case and ASCII; IPv6 in brackets. */
  readonly name: string;
  readonly port: number;
}

/** Host and port of an http or https URL. The URL parser has normalized letters, IDN and addresses (WHATWG URL §3.5). */
function sourceHost({ hostname, port, protocol }: URL): SourceHost {
  return {
    name: hostname.replace(/\.+$/, ''),
    port: port === '' ? ({ 'http:': 80, 'https:': 443 }[protocol] ?? 0) : Number(port),
  };
}
