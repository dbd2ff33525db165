import ipaddr from 'ipaddr.js';

/** Whose `X-Forwarded-For` and `X-Forwarded-Proto` count. */
export type TrustedProxies = readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[];

/** Parses addresses and CIDR ranges separated by commas or spaces; returns null if one of them is malformed. */
export function parseProxies(text: string): TrustedProxies | null {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  if (!entries.every((entry) => isAddress(entry.replace(/\/\d+$/, '')))) return null;
  try {
    return entries.map((entry) => {
      if (entry.includes('/')) return ipaddr.parseCIDR(entry);
      const address = ipaddr.parse(entry);
      return [address, address.kind() === 'ipv4' ? 32 : 128] as const;
    });
  } catch {
    return null;
  }
}

/** Whether an address, as a socket or a header states it, is that of a trusted proxy. */
export function isTrusted(address: string, proxies: TrustedProxies): boolean {
  if (!ipaddr.isValid(address)) return false;
  const known = ipaddr.process(address);
  return proxies.some(
    ([range, bits]) => range.kind() === known.kind() && known.match([range, bits] as never),
  );
}

/**
 * The address of the client: the first from the right that is not a trusted proxy's. What stands left of it, anyone may
 * have written.
 * @param socketAddress of whoever has connected
 * @param forwarded `X-Forwarded-For`
 * @returns IPv4 addresses in four parts also if they were mapped into IPv6; empty if the connection is gone
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwarded: string | undefined,
  proxies: TrustedProxies,
): string {
  let client = normalized(socketAddress ?? '');
  if (client === null) return '';
  const others = (forwarded ?? '').split(',');
  while (isTrusted(client, proxies)) {
    const further = normalized(others.pop() ?? '');
    if (further === null) return client;
    client = further;
  }
  return client;
}

/** An address without the port that some proxies add, and without a zone; null if it is none. */
function normalized(text: string): string | null {
  const [, bracketed, withPort] = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text.trim()) ?? [];
  const address = (bracketed ?? withPort ?? text.trim()).replace(/%.*$/, '');
  return isAddress(address) ? ipaddr.process(address).toString() : null;
}

/** Whether a text is an address as it is usually written: `10` is one, too, that nobody means. */
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}
