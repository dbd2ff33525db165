/** The headers by which a browser says where a request comes from. */
interface Provenance {
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Whether a page of another site is behind a request. `Origin` decides where it
 * is sent, `null` (sandboxed frames, some redirects) being foreign; without it
 * `Sec-Fetch-Site` does. Programs send neither, and have no cookies that a page
 * could ride on.
 */
export function isCrossSite(
  { origin, fetchSite }: Provenance,
  ownOrigin: string,
  allowed: ReadonlySet<string>,
): boolean {
  if (origin === undefined) return fetchSite?.toLowerCase() === 'cross-site';
  return origin !== ownOrigin && !allowed.has(origin);
}
