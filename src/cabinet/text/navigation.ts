/** The parts of the cabinet, in the order of the menu. */
export const sections = [
  { path: '/cabinet', name: 'Profile' },
  { path: '/cabinet/keys', name: 'Keys' },
  { path: '/cabinet/statistics', name: 'Statistics' },
  { path: '/cabinet/payment', name: 'Payment' },
  { path: '/cabinet/try', name: 'Try it' },
] as const;

const home = '/cabinet';

/** Begins with one slash: `//host` and `/\host` lead elsewhere. */
const ownPath = /^\/(?![/\\])/;

/**
 * Where to go after signing in: what `next` in the query names, if that is a
 * path on this origin, else the cabinet. Looked at once more as browsers read
 * it: they drop tabs and line ends, and `/..//host` becomes `//host`.
 */
export function destination(search: string, origin: string): string {
  const next = new URLSearchParams(search).get('next') ?? '';
  if (!ownPath.test(next)) return home;
  const url = URL.parse(next, origin);
  if (url === null) return home;
  const { origin: where, pathname, search: query, hash } = url;
  return where === origin && ownPath.test(pathname) ? pathname + query + hash : home;
}
