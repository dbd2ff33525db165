import { type Context, Hono } from 'hono';
import { etag } from 'hono/etag';
import { cabinetPage, signInPage } from '../cabinet/pages/app-pages.tsx';
import type { Site } from '../cabinet/pages/frame.tsx';
import { landingPage } from '../cabinet/pages/landing.tsx';
import { type AppEnv, linkOrigin } from '../context.ts';
import { currentSession } from './gates/session.ts';

/** Pages for people, and the files that they load. */
export const pages = new Hono<AppEnv>();

// pages are rendered for each request, and sent only where they have changed
pages.get('/', etag(), revalidated, (c) => {
  return c.html(landingPage(siteOf(c), c.var.config));
});

pages.get('/sign-in', async (c) => {
  if (await currentSession(c)) return c.redirect('/cabinet', 303);
  return notCached(c, signInPage(siteOf(c)));
});

for (const path of ['/cabinet', '/cabinet/:section']) {
  pages.get(path, async (c) => {
    if (await currentSession(c)) return notCached(c, cabinetPage(siteOf(c)));
    const { pathname, search } = new URL(c.req.url);
    return c.redirect(`/sign-in?next=${encodeURIComponent(pathname + search)}`, 303);
  });
}

/** Their names have a hash of their content. */
pages.get('/assets/:file', async (c) => {
  const file = await c.env.ASSETS.fetch(c.req.raw);
  if (file.status === 404) return c.notFound();
  return withCaching(file, 'public, max-age=31536000, immutable');
});

for (const path of ['/favicon.svg', '/robots.txt', '/before.jpg', '/after.jpg']) {
  pages.get(path, async (c) => {
    const file = await c.env.ASSETS.fetch(c.req.raw);
    return withCaching(file, 'public, max-age=3600');
  });
}

/** What a page says about this deployment. */
export function siteOf(c: Context<AppEnv>): Site {
  return { serviceName: c.var.config.serviceName, origin: linkOrigin(c) };
}

async function revalidated(c: Context<AppEnv>, next: () => Promise<void>): Promise<void> {
  await next();
  c.header('Cache-Control', 'no-cache');
}

function notCached(c: Context<AppEnv>, page: string): Response | Promise<Response> {
  c.header('Cache-Control', 'no-store');
  return c.html(page);
}

function withCaching(file: Response, cacheControl: string): Response {
  const response = new Response(file.body, file);
  response.headers.set('Cache-Control', cacheControl);
  return response;
}
