import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { Visit } from '../support/visit.ts';

const texts = [
  '<script>document.title="owned"</script>',
  '"><img src=x onerror=document.title="owned">',
  '{{constructor.constructor("alert(1)")()}} javascript:alert(1)',
  '👩🏽‍🚀🇺🇦 e\u0301 ﷽ Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢',
  'مفتاح المتجر (خادم)',
  'מפתח <b>שרת</b>',
  `${'w'.repeat(99)}!`,
  '&lt;b&gt; &amp; &#39;',
];

describe.skipIf(!hasBrowser)('text of every kind', () => {
  let service: TestService;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startTestService(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  it('in names and comments of keys is shown as it was written', async () => {
    for (const width of [1280, 390]) {
      const visit = await Visit.start(browser, service.url, { colorScheme: 'light', width });
      const { page } = visit;
      const client = await visit.signIn(service, `hostile-${width}@example.com`);
      for (const text of texts) {
        const made = await client.post('/v1/keys', { name: text, comment: `${text} (comment)` });
        expect(made.status, text).toBe(201);
      }
      await page.goto('/cabinet/keys');
      for (const text of texts) {
        await page.getByText(text, { exact: true }).first().waitFor();
        await page.getByText(`${text} (comment)`, { exact: true }).first().waitFor();
      }
      await visit.expectNoSidewaysScroll();
      await visit.screenshot('hostile-keys');
      await page.goto('/cabinet/statistics');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await visit.expectNoSidewaysScroll();
      expect(await page.title()).not.toContain('owned');
      visit.expectNoComplaint();
      await visit.end();
    }
  });
});
