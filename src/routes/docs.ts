import type { OpenAPIHono } from '@hono/zod-openapi';
import { Hono, type MiddlewareHandler } from 'hono';
import { etag } from 'hono/etag';
import { sessionLife } from '../access/session.ts';
import { codeLife } from '../access/sign-in-code.ts';
import { answersPage } from '../cabinet/pages/docs/answers.tsx';
import { errorsPage } from '../cabinet/pages/docs/errors.tsx';
import { fidelityPage } from '../cabinet/pages/docs/fidelity.tsx';
import { type Limits, limitsPage } from '../cabinet/pages/docs/limits.tsx';
import { optionsPage } from '../cabinet/pages/docs/options.tsx';
import { quickStartPage } from '../cabinet/pages/docs/quick-start.tsx';
import type { ApiDocument } from '../cabinet/pages/docs/reference/api-document.ts';
import { referencePage } from '../cabinet/pages/docs/reference/reference-page.tsx';
import { selfHostingPage } from '../cabinet/pages/docs/self-hosting.tsx';
import type { AppEnv, Config } from '../context.ts';
import { type ErrorCode, errorTable } from '../errors.ts';
import { apiKeyLimits } from '../policy/api-keys.ts';
import { unpaidCheckouts } from '../policy/checkouts.ts';
import { codePolicy } from '../policy/throttle.ts';
import { apiDocument } from './openapi/document.ts';
import { fileLimit } from './optimize/held-bytes.ts';
import { siteOf } from './pages.ts';

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
  // pages are rendered for each request, and sent only where they have changed
  for (const path of ['/docs', '/docs/*']) app.get(path, etag(), revalidated);

  app.get('/docs', (c) => c.html(quickStartPage(siteOf(c), c.var.config.freeFilesPerMonth)));
  app.get('/docs/options', (c) => c.html(optionsPage(siteOf(c))));
  app.get('/docs/answers', (c) => {
    const site = siteOf(c);
    return c.html(answersPage(site, describedBy(site.serviceName)));
  });
  app.get('/docs/errors', (c) => c.html(errorsPage(siteOf(c), errors)));
  app.get('/docs/limits', (c) => c.html(limitsPage(siteOf(c), limitsOf(c.var.config))));
  app.get('/docs/fidelity', (c) => c.html(fidelityPage(siteOf(c))));
  app.get('/docs/self-hosting', (c) => c.html(selfHostingPage(siteOf(c))));
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

const errors = Object.entries(errorTable).map(([code, entry]) => ({
  code: code as ErrorCode,
  ...entry,
}));

function limitsOf(config: Config): Limits {
  const { requests, live, wrong } = codePolicy;
  return {
    fileMebibytes: fileLimit / 2 ** 20,
    freeFilesPerMonth: config.freeFilesPerMonth,
    unchargedPerDay: config.unchargedPerDay,
    activeKeys: apiKeyLimits.active,
    keyRecords: apiKeyLimits.records,
    codeMinutes: codeLife / 60,
    codePauseSeconds: requests.perAddress.window / 1000,
    codesPerHour: requests.perAddressHourly.events,
    codesPerHourHere: requests.perAddressAndNetwork.events,
    mailsPerHour: requests.perNetwork.events,
    liveCodes: live,
    codeTries: wrong.perChallenge,
    wrongCodesPerHour: wrong.perNetwork.events,
    sessionDays: sessionLife / (24 * 60 * 60),
    checkoutsPerDay: unpaidCheckouts.events,
    fetchesHttp: config.allowHttpSources,
  };
}

const revalidated: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  if (c.res.ok || c.res.status === 304) c.header('Cache-Control', 'no-cache');
};
