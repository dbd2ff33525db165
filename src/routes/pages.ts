import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { etag } from 'hono/etag';
import { trimTrailingSlash } from 'hono/trailing-slash';
import type { Session } from '../access/session.ts';
import { readUnsubscribeToken } from '../access/unsubscribing.ts';
import { cabinetPage, signInPage, unsubscribePage } from '../cabinet/pages/app-pages.tsx';
import type { Site } from '../cabinet/pages/frame.tsx';
import { landingPage } from '../cabinet/pages/landing/landing-page.tsx';
import { cabinetPages, destination } from '../cabinet/text/interface.ts';
import type { RetentionSettings } from '../cabinet/text/retention.ts';
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { isLinkUnused, stopQuotaMails } from '../store/quota-mails.ts';
import { type AppEnv, linkOrigin } from './http/context.ts';
import { currentSession, presentedSession } from './http/credentials.ts';
import { problemBody } from './http/problems.ts';

const tagged = etag();

/** For pages that are rendered for each request: adds an ETag, so that they are sent only if they have changed. */
export const revalidated: MiddlewareHandler<AppEnv> = async function revalidated(c, next) {
  await tagged(c, next);
  if (c.res.ok || c.res.status === 304) c.header('Cache-Control', 'no-cache');
};

/** Pages for people, and the files that they load. */
export const pages = new Hono<AppEnv>();

pages.get('/', revalidated, async (c) => {
  const site = await visitedSite(c);
  // Without an id of its own, so that the page is sent again only if it has changed.
  const wrongKey = problemBody(new ApiError('invalid_api_key'), { ...site, requestId: '…' });
  return c.html(landingPage(site, pageSettings(c), wrongKey));
});

pages.get('/sign-in', async (c) => {
  const { search, origin } = new URL(c.req.url);
  if (await currentSession(c)) return c.redirect(destination(search, origin), 303);
  return c.html(signInPage(siteOf(c), c.var.config));
});

for (const { path } of cabinetPages) {
  pages.get(path, async (c) => {
    const session = await currentSession(c);
    if (session) return c.html(cabinetOf(c, session));
    const { pathname, search } = new URL(c.req.url);
    return c.redirect(`/sign-in?next=${encodeURIComponent(pathname + search)}`, 303);
  });
}

// A section that does not exist: the cabinet shows an error. For all methods, because there is none to allow.
pages.all('/cabinet/:section', async (c) => {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  const session = isRead ? await currentSession(c) : null;
  if (session === null) return c.notFound();
  return c.html(cabinetOf(c, session), 404);
});

for (const path of ['/sign-in', ...cabinetPages.map((page) => page.path)]) {
  pages.get(`${path}/`, trimTrailingSlash({ alwaysRedirect: true }));
}

/**
 * The link in quota mails. It works once, without a session: the token identifies whose mails to stop. Mail programs
 * post to it without showing it (RFC 8058).
 */
pages.get('/unsubscribe', async (c) => {
  const link = await readLink(c);
  const isUnused = link !== null && (await isLinkUnused(c.env.DB, link));
  return renderUnsubscribe(c, isUnused ? 'unused' : 'invalid');
});

pages.post('/unsubscribe', async (c) => {
  const link = await readLink(c);
  const isDone = link !== null && (await stopQuotaMails(c.env.DB, link));
  return renderUnsubscribe(c, isDone ? 'done' : 'invalid');
});

function readLink(c: Context<AppEnv>) {
  return readUnsubscribeToken(c.req.query('token') ?? '', c.var.config.tokenSecrets);
}

function renderUnsubscribe(c: Context<AppEnv>, state: 'unused' | 'done' | 'invalid') {
  // The address of this page grants the same access as the link.
  c.header('Referrer-Policy', 'no-referrer');
  return c.html(unsubscribePage(siteOf(c), state), state === 'invalid' ? 410 : 200);
}

/** The names of these files contain a hash of their content. */
pages.get('/assets/:file', async (c) => {
  const file = await c.env.ASSETS.fetch(c.req.raw);
  if (file.status === 404) return c.notFound();
  return withCaching(file, 'public, max-age=31536000, immutable');
});

/**
 * The package for Node and browsers (scripts/build-tarball.ts), for npm and npx; `/docs/cli` has its name, which contains
 * a hash of its content.
 */
pages.get('/packages/:file', async (c) => {
  const file = await c.env.ASSETS.fetch(c.req.raw);
  if (file.status === 404) return c.notFound();
  const response = withCaching(file, 'public, max-age=31536000, immutable');
  response.headers.set('Content-Type', 'application/gzip');
  return response;
});

for (const path of [
  '/favicon.svg',
  '/apple-touch-icon.png',
  '/robots.txt',
  '/license.txt',
  '/before.jpg',
  '/after.jpg',
  '/preview.jpg',
]) {
  pages.get(path, async (c) => {
    const file = await c.env.ASSETS.fetch(c.req.raw);
    return withCaching(file, 'public, max-age=3600');
  });
}

// What browsers ask for that read no page, such as those that show an image by its URL.
pages.get('/favicon.ico', (c) => {
  c.header('Cache-Control', 'public, max-age=86400');
  return c.redirect('/favicon.svg', 301);
});

/** What pages state about this deployment. */
export function siteOf(c: Context<AppEnv>): Site {
  const { serviceName, links } = c.var.config;
  return { serviceName, links, origin: linkOrigin(c) };
}

/** The same, and whether the visitor is signed in, on which links to the dashboard depend. */
export async function visitedSite(c: Context<AppEnv>): Promise<Site> {
  // Only the MAC of the cookie is checked: a link is not worth a database query.
  return { ...siteOf(c), isSignedIn: (await presentedSession(c)) !== null };
}

/** The settings that pages state, and whether images by URL are kept, which depends on a binding. */
export function pageSettings(c: Context<AppEnv>): Config & RetentionSettings {
  return { ...c.var.config, keepsResults: c.env.RESULTS !== undefined };
}

function cabinetOf(c: Context<AppEnv>, { email }: Session): string {
  const { stripe, packs } = c.var.config;
  const isSelling = stripe !== null && packs.length > 0;
  return cabinetPage(siteOf(c), { path: c.req.path, email, isSelling });
}

/** Lets caches keep only the file itself, not a failure. */
function withCaching(file: Response, cacheControl: string): Response {
  const response = new Response(file.body, file);
  const isFile = file.ok || file.status === 304;
  response.headers.set('Cache-Control', isFile ? cacheControl : 'no-store');
  return response;
}
