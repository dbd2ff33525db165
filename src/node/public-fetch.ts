import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';
import { isPublicAddress, privateSource, type SourceFetch } from '../policy/source-url.ts';

interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * Fetches images of other servers. Names are resolved here, and the connection goes to an address that was checked: a
 * name that resolves differently a moment later changes nothing. Every connection is new, so every request is checked.
 * @param privateSources entries `host:port` that may have any address, resolved as the machine resolves names
 * @param nameServers addresses of name servers; those of the machine by default
 */
export function publicFetch(
  privateSources: ReadonlySet<string>,
  nameServers?: readonly string[],
): SourceFetch {
  const common = { pipelining: 0, allowH2: false, connectTimeout: 10_000 };
  const anywhere = new Agent({ ...common, connect: { timeout: 10_000 } });
  const publicly = new Agent({
    ...common,
    connect: { timeout: 10_000, lookup: checkedLookup(nameServers) },
  });
  return async (url, init) => {
    const dispatcher = privateSources.has(privateSource(url)) ? anywhere : publicly;
    const response = await undiciFetch(url.href, { ...init, dispatcher } as never);
    return response as unknown as Response;
  };
}

/** Resolves names for sockets, and fails if one of the addresses of a name is not on the public internet. */
function checkedLookup(nameServers?: readonly string[]): LookupFunction {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  if (nameServers) resolver.setServers(nameServers);
  return (name, options, done) => {
    addressesOf(resolver, name).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) done(new Error('The name has no address.'), []);
        else if (!addresses.every(({ address }) => isPublicAddress(address)))
          done(new Error('The name has an address that is not public.'), []);
        else if (options.all) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, []),
    );
  };
}

/** @throws Error if neither kind of address can be found */
async function addressesOf(resolver: Resolver, name: string): Promise<readonly Address[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
  const of = (found: PromiseSettledResult<string[]>, family: 4 | 6) =>
    found.status === 'fulfilled' ? found.value.map((address) => ({ address, family })) : [];
  return [...of(four, 4), ...of(six, 6)];
}
