/** The sections of the cabinet, in the order of its tabs. */
export const sections = [
  { path: '/cabinet', name: 'Overview' },
  { path: '/cabinet/keys', name: 'Keys' },
  { path: '/cabinet/delivery', name: 'Delivery' },
  { path: '/cabinet/statistics', name: 'Statistics' },
  { path: '/cabinet/payment', name: 'Payment' },
  { path: '/cabinet/try', name: 'Try it' },
] as const;

/** The sections that have a tab. Payment has none if nothing is sold, though its path still works. */
export function tabsOf(isSelling: boolean): readonly (typeof sections)[number][] {
  return sections.filter(({ path }) => isSelling || path !== '/cabinet/payment');
}

/** The page behind the avatar. */
export const accountPage = { path: '/cabinet/account', name: 'Account' } as const;

/** All pages of the cabinet. */
export const cabinetPages = [...sections, accountPage] as const;

/** The link for visitors who want an API key: they sign in, and continue to their keys. */
export const keySignUp = '/sign-in?next=/cabinet/keys';

/** Where those go whose account has been deleted, and is told so. */
export const afterDeletion = '/sign-in?deleted';

/** The page on which signed-in users optimize images, and the text of links to it on the front page. */
export const workbench = '/cabinet/try';
export const workbenchInvitation = 'Optimize images in your dashboard';

/** Label of the slider between two versions of an image. */
export const comparisonLabel = 'Share of the original shown, in percent';

const home = '/cabinet';

/** Matches paths with a single leading slash: `//host` and `/\host` lead to other hosts. */
const ownPath = /^\/(?![/\\])/;

/**
 * The path to go to after signing in: the `next` parameter of the query if it is a path on this origin, otherwise the
 * cabinet. It is checked again after parsing, because URL parsing drops tabs and line breaks and turns `/..//host` into
 * `//host`.
 */
export function destination(search: string, origin: string): string {
  const next = new URLSearchParams(search).get('next') ?? '';
  if (!ownPath.test(next)) return home;
  const url = URL.parse(next, origin);
  if (url === null) return home;
  const { origin: targetOrigin, pathname, search: query, hash } = url;
  return targetOrigin === origin && ownPath.test(pathname) ? pathname + query + hash : home;
}
