import ipaddr from 'ipaddr.js';

type Judgement =
  | { readonly kind: 'allowed'; readonly url: URL }
  | { readonly kind: 'malformed' }
  /** `because` continues a sentence whose subject is the URL, without quoting it. */
  | { readonly kind: 'refused'; readonly because: string };

/**
 * Judges whether the service fetches an image from a URL. A host is judged by its
 * name alone: a Worker does not see what it resolves to.
 * @param base the URL that redirected there, against which relative targets are resolved
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

/**
 * Domains of private networks: RFC 6761 §6.3 (localhost), RFC 6762 §3 and appendix G (local, and what networks use in
 * its place, but for home), RFC 8375 (home.arpa), ICANN's reservation of 2024 (internal), and what orchestrators such
 * as Kubernetes call their services (svc).
 */
const privateSuffixes =
  /(^|\.)(localhost|local|internal|intranet|private|corp|lan|svc|home\.arpa)$/;

/** A name without a dot is completed by the resolver's own search list, and so never one of the public internet. */
function isPrivateName(name: string): boolean {
  return !/[.[]/.test(name) || privateSuffixes.test(name);
}

/**
 * Whether a host is an IP address outside of the public internet, in whatever form
 * it was written: the URL parser has normalized decimal, hexadecimal, octal and
 * short forms to four decimal parts (WHATWG URL §3.5).
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

/** The rules of a deployment for the URLs of images. */
export interface SourceRules {
  /** Whether plain http is fetched, too. */
  readonly allowHttp: boolean;
  /** Each `host:port`; exempt from the rules for hosts, addresses and ports. */
  readonly privateSources: ReadonlySet<string>;
  /** Names of this service itself, as `sourceHost` returns them. */
  readonly ownHosts: ReadonlySet<string>;
}

/** The settings of a deployment that the rules are made from; `publicOrigin` is null for that of the request. */
export interface SourceSettings {
  readonly allowHttpSources: boolean;
  readonly privateSources: ReadonlySet<string>;
  readonly publicOrigin: string | null;
}

/** @param requestUrl URL of the request to this service, whose host is the service's own */
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

/** Host and port of a URL in the form that is compared: the name without a trailing dot, the port always explicit. */
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
