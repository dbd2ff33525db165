import { distinctRemoteAddr, expandIPv6 } from 'hono/utils/ipaddr';
import { pseudonym } from './hashing.ts';
import type { Secret } from './secrets.ts';

/** The origin network of a request, as rate limits count it. */
export interface ClientNetwork {
  /** An IPv4 address, or the /64 of an IPv6 address, because a household or a server usually has a whole /64. */
  readonly network: string;
  /** The /48 of an IPv6 address: the site (RFC 6177), which may use all of its 65,536 networks. Null for IPv4. */
  readonly site: string | null;
}

export function clientNetwork(request: {
  header(name: string): string | undefined;
}): ClientNetwork {
  const address = request.header('CF-Connecting-IP') ?? '';
  switch (distinctRemoteAddr(address)) {
    case 'IPv4':
      return { network: address, site: null };
    case 'IPv6':
      return ofIPv6(expandIPv6(address).toLowerCase());
    case undefined:
      return { network: 'unknown', site: null };
  }
}

/** Replaces the network and site by their pseudonyms, as stored in the database. */
export async function pseudonymous(
  { network, site }: ClientNetwork,
  secret: Secret,
): Promise<ClientNetwork> {
  const [networkName, siteName] = await Promise.all([
    pseudonym('network', network, secret),
    site === null ? null : pseudonym('site', site, secret),
  ]);
  return { network: networkName, site: siteName };
}

/** An IPv4 address that is mapped into IPv6 (RFC 4291 §2.5.5.2) counts as IPv4. */
const mapped = /^(?:0000:){5}ffff:(..)(..):(..)(..)$/;

function ofIPv6(expanded: string): ClientNetwork {
  const octets = mapped.exec(expanded);
  if (octets) {
    const parts = octets.slice(1).map((hex) => Number.parseInt(hex, 16));
    return { network: parts.join('.'), site: null };
  }
  const groups = expanded.split(':');
  const prefix = (length: number) => `${groups.slice(0, length / 16).join(':')}::/${length}`;
  return { network: prefix(64), site: prefix(48) };
}
