/**
 * Whether a browser may be sent to an address to pay: over https, or, where the
 * service itself is local, to this machine.
 */
export function isCheckoutAddress(address: string, ownOrigin: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol !== 'http:') return false;
  return url.origin === ownOrigin || (isLocal(url) && isLocal(new URL(ownOrigin)));
}

function isLocal({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}
