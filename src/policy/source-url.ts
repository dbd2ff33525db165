import ipaddr from 'ipaddr.js';

type Judgment =
  | { readonly kind: 'allowed'; readonly url: URL }
  | { readonly kind: 'malformed' }
  /** `because` completes a sentence whose subject is the URL, and does not quote the URL. */
  | { readonly kind: 'refused'; readonly because: string };

/**
 * Decides whether the service may fetch an image from a URL. Only the name of the host is checked: a Worker cannot see the
 * address that it resolves to, and Node checks it when it connects.
 * @param base the URL that redirected to this one; relative redirect targets are resolved against it
 */
export function judgeSource(text: string, rules: SourceRules, base?: URL): Judgment {
  const url = URL.parse(text, base);
  if (!url) return { kind: 'malformed' };
  const because = refusalReason(url, rules);
  return because === null ? { kind: 'allowed', url } : { kind: 'refused', because };
}

function refusalReason(
  url: URL,
  { allowHttp, privateSources, ownHosts }: SourceRules,
): string | null {
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

/**
 * Suffixes of private networks: RFC 6761 §6.3 (localhost), RFC 6762 §3 and appendix G (local, and the suffixes that
 * networks use in its place, except home), RFC 8375 (home.arpa), ICANN's reservation of 2024 (internal), and the suffix
 * of service names in orchestrators such as Kubernetes (svc).
 */
const privateSuffixes =
  /(^|\.)(localhost|local|internal|intranet|private|corp|lan|svc|home\.arpa)$/;

/**
 * A name without a dot is completed from the resolver's search list, so it never names a host on the public internet.
 */
function isPrivateName(name: string): boolean {
  return !/[.[]/.test(name) || privateSuffixes.test(name);
}

/**
 * Whether a host is an IP address outside the public internet. Any notation is covered, because the URL parser has
 * normalized decimal, hexadecimal, octal and short forms to four decimal parts (WHATWG URL §3.5).
 */
function isPrivateAddress(name: string): boolean {
  if (name.startsWith('[')) {
    const address = ipaddr.IPv6.parse(name.slice(1, -1));
    // IANA allocates global unicast addresses from 2000::/3 only; ranges that embed IPv4 addresses are outside it, or
    // ipaddr.js has a name for them.
    const isGlobal = ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
    return !isGlobal || address.range() !== 'unicast';
  }
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(name);
  return isAddress && ipaddr.IPv4.parse(name).range() !== 'unicast';
}

/** Whether an IP address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return !isPrivateAddress(address.includes(':') ? `[${address}]` : address);
}

/** What fetches an image, with the part of the interface of `fetch` that is used. */
export type SourceFetch = (
  url: URL,
  init: Pick<RequestInit, 'redirect' | 'cache' | 'headers' | 'signal'>,
) => Promise<Response>;

/** A deployment's rules for the URLs of images. */
export interface SourceRules {
  /** Whether plain http is allowed, too. */
  readonly allowHttp: boolean;
  /** Entries of the form `host:port`, which are exempt from the rules for hosts, addresses and ports. */
  readonly privateSources: ReadonlySet<string>;
  /** Host names of this service itself, as `sourceHost` returns them. */
  readonly ownHosts: ReadonlySet<string>;
  /** What fetches them; by default, the platform's own. */
  readonly fetch?: SourceFetch;
}

/** The settings from which the rules are derived; if `publicOrigin` is null, the origin of the request is used. */
export interface SourceSettings {
  readonly allowHttpSources: boolean;
  readonly privateSources: ReadonlySet<string>;
  readonly publicOrigin: string | null;
  readonly fetchSource?: SourceFetch;
}

/**
 * Derives the rules for one request.
 * @param requestUrl URL of the request to this service, whose host is the service's own
 */
export function sourceRules(
  { allowHttpSources, privateSources, publicOrigin, fetchSource }: SourceSettings,
  requestUrl: string,
): SourceRules {
  const own = [requestUrl, publicOrigin ?? requestUrl];
  return {
    allowHttp: allowHttpSources,
    privateSources,
    ownHosts: new Set(own.map((url) => sourceHost(new URL(url)).name)),
    ...(fetchSource && { fetch: fetchSource }),
  };
}

/** Parses a list of `host:port` entries separated by commas or spaces; returns null if an entry is malformed. */
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

/** The `host:port` entry that exempts a URL. */
export function privateSource(url: URL): string {
  const { name, port } = sourceHost(url);
  return `${name}:${port}`;
}

/** Host and port of a URL in normalized form: the name without a trailing dot, and the port always explicit. */
interface SourceHost {
  /** Lowercase ASCII; IPv6 addresses are in brackets. */
  readonly name: string;
  readonly port: number;
}

/** Host and port of an http or https URL. The URL parser has normalized case, IDN and addresses (WHATWG URL §3.5). */
function sourceHost({ hostname, port, protocol }: URL): SourceHost {
  return {
    name: hostname.replace(/\.+$/, ''),
    port: port === '' ? ({ 'http:': 80, 'https:': 443 }[protocol] ?? 0) : Number(port),
  };
}
