import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { etag } from 'hono/etag';
import { trimTrailingSlash } from 'hono/trailing-slash';
import { readUnsubscribeToken } from '../access/unsubscribing.ts';
import { cabinetPage, signInPage, unsubscribePage } from '../cabinet/pages/app-pages.tsx';
import type { Site } from '../cabinet/pages/frame.tsx';
import { landingPage } from '../cabinet/pages/landing/landing-page.tsx';
import { destination, sections } from '../cabinet/text/interface.ts';
import { trialLimits } from '../policy/limits.ts';
import { isLinkUnused, stopQuotaMails } from '../store/quota-mails.ts';
import { type AppEnv, linkOrigin } from './http/context.ts';
import { currentSession } from './http/credentials.ts';

const tagged = etag();

/** Pages that are rendered for each request, and sent only where they have changed. */
export const revalidated: MiddlewareHandler<AppEnv> = async function revalidated(c, next) {
  await tagged(c, next);
  if (c.res.ok || c.res.status === 304) c.header('Cache-Control', 'no-cache');
};

/** Pages for people, and the files that they load. */
export const pages = new Hono<AppEnv>();

pages.get('/', revalidated, (c) => {
  const { config } = c.var;
  const { perNetwork: images, maxFileBytes } = trialLimits;
  const isOpen = config.trialFilesPerDay > 0;
  const trial = isOpen ? { images, maxMiB: maxFileBytes / 2 ** 20 } : null;
  return c.html(landingPage(siteOf(c), { ...config, trial }));
});

pages.get('/sign-in', async (c) => {
  const { search, origin } = new URL(c.req.url);
  if (await currentSession(c)) return c.redirect(destination(search, origin), 303);
  return c.html(signInPage(siteOf(c), c.var.config.turnstile));
});

for (const { path } of sections) {
  pages.get(path, async (c) => {
    if (await currentSession(c)) return c.html(cabinetOf(c));
    const { pathname, search } = new URL(c.req.url);
    return c.redirect(`/sign-in?next=${encodeURIComponent(pathname + search)}`, 303);
  });
}

// A section that does not exist: the cabinet says so. For every method, since there is none to allow.
pages.all('/cabinet/:section', async (c) => {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  if (!isRead || !(await currentSession(c))) return c.notFound();
  return c.html(cabinetOf(c), 404);
});

for (const path of ['/sign-in', ...sections.map((section) => section.path)]) {
  pages.get(`${path}/`, trimTrailingSlash({ alwaysRedirect: true }));
}

/**
 * The link in mails about quota. It works once, without a session: the token says whose mails end. Mail programs post to it
 * without showing it (RFC 8058).
 */
pages.get('/unsubscribe', async (c) => {
  const link = await linkOf(c);
  const isUnused = link !== null && (await isLinkUnused(c.env.DB, link));
  return unsubscribed(c, isUnused ? 'unused' : 'invalid');
});

pages.post('/unsubscribe', async (c) => {
  const link = await linkOf(c);
  const isDone = link !== null && (await stopQuotaMails(c.env.DB, link));
  return unsubscribed(c, isDone ? 'done' : 'invalid');
});

function linkOf(c: Context<AppEnv>) {
  return readUnsubscribeToken(c.req.query('token') ?? '', c.var.config.tokenSecrets);
}

function unsubscribed(c: Context<AppEnv>, state: 'unused' | 'done' | 'invalid') {
  // the address of this page is as good as the link
  c.header('Referrer-Policy', 'no-referrer');
  return c.html(unsubscribePage(siteOf(c), state), state === 'invalid' ? 410 : 200);
}

/** Their names have a hash of their content. */
pages.get('/assets/:file', async (c) => {
  const file = await c.env.ASSETS.fetch(c.req.raw);
  if (file.status === 404) return c.notFound();
  return withCaching(file, 'public, max-age=31536000, immutable');
});

for (const path of ['/favicon.svg', '/robots.txt', '/before.jpg', '/after.jpg', '/preview.jpg']) {
  pages.get(path, async (c) => {
    const file = await c.env.ASSETS.fetch(c.req.raw);
    return withCaching(file, 'public, max-age=3600');
  });
}

/** What a page says about this deployment. */
export function siteOf(c: Context<AppEnv>): Site {
  const { serviceName, links } = c.var.config;
  return { serviceName, links, origin: linkOrigin(c) };
}

function cabinetOf(c: Context<AppEnv>): string {
  return cabinetPage(siteOf(c), c.var.config.stripe !== null);
}

/** Only what is the file may be kept; a failure passes. */
function withCaching(file: Response, cacheControl: string): Response {
  const response = new Response(file.body, file);
  const isFile = file.ok || file.status === 304;
  response.headers.set('Cache-Control', isFile ? cacheControl : 'no-store');
  return response;
}
