import { distinctRemoteAddr, expandIPv6 } from 'hono/utils/ipaddr';

/**
 * The network that a request is counted by: an IPv4 address, or the /64 of an
 * IPv6 address, since one household or one server has all of it.
 */
export function networkOf(request: { header(name: string): string | undefined }): string {
  const address = request.header('CF-Connecting-IP') ?? '';
  switch (distinctRemoteAddr(address)) {
    case 'IPv4':
      return address;
    case 'IPv6':
      return ipv6Network(expandIPv6(address));
    case undefined:
      return 'unknown';
  }
}

/** An IPv4 address that is mapped into IPv6 (RFC 4291 §2.5.5.2) is counted as IPv4. */
const mapped = /^(?:0000:){5}ffff:(..)(..):(..)(..)$/i;

function ipv6Network(expanded: string): string {
  const octets = mapped.exec(expanded);
  if (!octets) return `${expanded.toLowerCase().split(':').slice(0, 4).join(':')}::/64`;
  return octets
    .slice(1)
    .map((hex) => Number.parseInt(hex, 16))
    .join('.');
}
