import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { hasBrowser, launchBrowser } from './browser.ts';
import { startTestService, type TestService } from './service.ts';
import { type Look, Visit } from './visit.ts';

/** What tests in a browser play on: a service of their own, and visits to it. */
export interface Stage {
  readonly service: TestService;
  /** A new person's browser. */
  visit(look?: Look): Promise<Visit>;
}

/** Tests in a browser; skipped where there is none. */
export function describeInBrowser(name: string, tests: (stage: Stage) => void): void {
  describe.skipIf(!hasBrowser)(name, () => {
    let service: TestService;
    let browser: Browser;
    beforeAll(async () => {
      [service, browser] = await Promise.all([startTestService(), launchBrowser()]);
    });
    afterAll(async () => {
      await browser?.close();
      await service?.close();
    });
    tests({
      get service() {
        return service;
      },
      visit: (look) => Visit.start(browser, service.url, look),
    });
  });
}
