import type { OpenAPIHono } from '@hono/zod-openapi';
import { Hono } from 'hono';
import { answersPage } from '../cabinet/pages/docs/answers.tsx';
import { errorsPage } from '../cabinet/pages/docs/errors.tsx';
import { fidelityPage } from '../cabinet/pages/docs/fidelity.tsx';
import { limitsPage } from '../cabinet/pages/docs/limits.tsx';
import { optionsPage } from '../cabinet/pages/docs/options.tsx';
import { quickStartPage } from '../cabinet/pages/docs/quick-start.tsx';
import type { ApiDocument } from '../cabinet/pages/docs/reference/api-document.ts';
import { referencePage } from '../cabinet/pages/docs/reference/reference-page.tsx';
import { selfHostingPage } from '../cabinet/pages/docs/self-hosting.tsx';
import { longestSide } from '../image/formats/facts.ts';
import { autoQuality } from '../image/pipeline/quality.ts';
import { limitsOf } from './docs/deployment-limits.ts';
import { exampleError, listedErrors } from './docs/listed-errors.ts';
import type { AppEnv } from './http/context.ts';
import { apiDocument } from './openapi.ts';
import { revalidated, siteOf } from './pages.ts';

/** What describes the API to people. */
export function docs(api: OpenAPIHono<AppEnv>): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  let document: ApiDocument | undefined;
  let reference = { origin: '', page: '' };
  // as programs get it, whatever its makers' types
  const describedBy = (serviceName: string): ApiDocument => {
    document ??= JSON.parse(JSON.stringify(apiDocument(api, serviceName))) as ApiDocument;
    return document;
  };

  app.get('/docs/', (c) => c.redirect('/docs', 301));
  // for every method, so that a path which does not exist is 404 for each
  app.use('/docs/*', revalidated);

  app.get('/docs', (c) => {
    const { sizes, quota } = limitsOf(c.var.config);
    return c.html(quickStartPage(siteOf(c), { ...sizes, ...quota }));
  });
  app.get('/docs/options', (c) => {
    const { fileMebibytes } = limitsOf(c.var.config).sizes;
    return c.html(optionsPage(siteOf(c), { fileMebibytes, autoQuality, longestSide }));
  });
  app.get('/docs/answers', (c) => {
    const site = siteOf(c);
    return c.html(answersPage(site, describedBy(site.serviceName)));
  });
  app.get('/docs/errors', (c) => {
    const site = siteOf(c);
    return c.html(errorsPage(site, listedErrors, exampleError(site.origin)));
  });
  app.get('/docs/limits', (c) => c.html(limitsPage(siteOf(c), limitsOf(c.var.config))));
  app.get('/docs/fidelity', (c) => {
    const { metadataKibibytes } = limitsOf(c.var.config).sizes;
    return c.html(fidelityPage(siteOf(c), metadataKibibytes));
  });
  app.get('/docs/self-hosting', (c) => {
    return c.html(selfHostingPage(siteOf(c), limitsOf(c.var.config).signIn));
  });
  app.get('/docs/api', (c) => {
    const site = siteOf(c);
    // the longest page by far, and the same until the next deploy
    if (reference.origin !== site.origin) {
      const page = referencePage(site, describedBy(site.serviceName));
      reference = { origin: site.origin, page };
    }
    return c.html(reference.page);
  });
  return app;
}
