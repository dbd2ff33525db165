import type { OpenAPIHono } from '@hono/zod-openapi';
import { type Context, Hono } from 'hono';
import {
  type BuiltDocsPage,
  builtName,
  type DocsPath,
  docsPages,
} from '../cabinet/pages/docs/contents.ts';
import type { ApiDocument } from '../cabinet/pages/docs/reference/api-document.ts';
import { operationPage } from '../cabinet/pages/docs/reference/operation-page.tsx';
import {
  referenceEntries,
  referencePage,
} from '../cabinet/pages/docs/reference/reference-page.tsx';
import { textPage } from '../cabinet/pages/docs/text-page.ts';
import type { AppEnv } from './http/context.ts';
import { apiDocument } from './openapi.ts';
import { pageSettings, revalidated, visitedSite } from './pages.ts';

/** Redirects of pages that have moved. */
const moved: Readonly<Record<string, DocsPath>> = {
  '/docs/': '/docs',
  '/docs/answers': '/docs/call',
};

/**
 * The documentation for people: `docs/*.md`, rendered by scripts/build-docs.ts into files next to those of the pages,
 * and the reference, rendered from the OpenAPI document.
 */
export function docs(api: OpenAPIHono<AppEnv>): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  let document: ApiDocument | undefined;
  // Serialized, so that it equals what programs get, without the library's types.
  const documentFor = (serviceName: string): ApiDocument => {
    document ??= JSON.parse(JSON.stringify(apiDocument(api, serviceName))) as ApiDocument;
    return document;
  };

  for (const [path, target] of Object.entries(moved)) {
    app.get(path, (c) => c.redirect(target, 301));
  }
  // For all methods, so that a nonexistent path is 404 for each of them.
  app.use('/docs/*', revalidated);

  for (const { path, file } of docsPages) {
    if (file === null) continue;
    app.get(path, async (c) => {
      const built = await builtFile<BuiltDocsPage>(c, builtName(file));
      const settings = { ...pageSettings(c), isOnNode: c.env.MACHINE !== undefined };
      return c.html(textPage(await visitedSite(c), path, built, settings));
    });
  }
  app.get('/docs/api', async (c) => {
    const site = await visitedSite(c);
    return c.html(referencePage(site, documentFor(site.serviceName)));
  });
  // For all methods: a nonexistent operation is 404, and has no methods to allow.
  app.all('/docs/api/:operation', async (c) => {
    const site = await visitedSite(c);
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
    const page = isRead
      ? operationPage(site, documentFor(site.serviceName), c.req.param('operation'))
      : null;
    return page === null ? c.notFound() : c.html(page);
  });
  app.get('/docs/search.json', async (c) => {
    const entries = await builtFile<object[]>(c, 'search.json');
    const apiReference = documentFor(c.var.config.serviceName);
    return c.json([...entries, ...referenceEntries(apiReference)]);
  });
  app.get('/docs/images/:file', async (c) => {
    const file = await c.env.ASSETS.fetch(c.req.raw);
    return file.status === 404 ? c.notFound() : new Response(file.body, file);
  });
  return app;
}

/**
 * Reads a file created by scripts/build-docs.ts.
 * @throws Error if the file does not exist
 */
async function builtFile<Content>(c: Context<AppEnv>, name: string): Promise<Content> {
  const file = await c.env.ASSETS.fetch(new URL(`/docs/${name}`, c.req.url));
  if (!file.ok) throw new Error(`dist/cabinet/docs/${name}: ${file.status}`);
  return file.json<Content>();
}
