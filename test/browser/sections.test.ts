import type { Page, Route } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeInBrowser, type Visit } from '../support/browser.ts';

describeInBrowser('going from section to section', (stage) => {
  let visit: Visit;
  let page: Page;
  let people = 0;
  beforeEach(async () => {
    people += 1;
    visit = await stage.visit({ colorScheme: 'light', width: 390 });
    page = visit.page;
    await visit.openCabinet(stage.service, `sections-${people}@example.com`);
  });
  afterEach(async () => {
    visit.expectNoComplaint();
    await visit.end();
  });

  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  const go = (name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

  it('says that a slow one is on its way, and does not show the old one under its name', {
    tags: 'slow',
  }, async () => {
    const held: Route[] = [];
    await page.route('**/assets/statistics-page-*.js', (route) => void held.push(route));
    await go('Statistics');
    await page.getByRole('status').getByText('Loading…').waitFor();
    expect(await heading('Overview').isVisible()).toBe(false);
    const main = page.getByRole('main');
    expect(await main.getAttribute('aria-busy')).toBe('true');
    expect(await page.title()).toMatch(/^Statistics – /);
    await expect.poll(() => held.length).toBe(1);
    await held[0]?.continue();
    await heading('Statistics').waitFor();
    expect(await main.getAttribute('aria-busy')).toBe('false');
    expect(await page.getByRole('status').getByText('Loading…').count()).toBe(0);
    // Existing content is shown immediately.
    await go('Overview');
    await heading('Overview').waitFor();
    await go('Statistics');
    await heading('Statistics').waitFor();
  });

  it('another one can be gone to before a slow one has come', { tags: 'slow' }, async () => {
    const held: Route[] = [];
    await page.route('**/assets/statistics-page-*.js', (route) => void held.push(route));
    await go('Statistics');
    await expect.poll(() => held.length).toBe(1);
    await go('Keys');
    await heading('Keys').waitFor();
    const loaded = page.waitForResponse('**/assets/statistics-page-*.js');
    await held[0]?.continue();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('typed');
    await (await loaded).finished();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('typed');
    expect(await heading('Statistics').count()).toBe(0);
    expect(await page.getByRole('main').getAttribute('aria-busy')).toBe('false');
  });

  it('begins at the top', { tags: 'slow' }, async () => {
    const link = page.getByRole('link', { name: 'Try an image first' });
    await link.waitFor();
    await page.setViewportSize({ width: 390, height: 400 });
    await page.evaluate('scrollTo(0, 200)');
    expect(await page.evaluate('scrollY')).toBe(200);
    await link.evaluate((element) => element.click());
    await heading('Try it').waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
  });

  it('within one, another choice does not scroll', { tags: 'slow' }, async () => {
    await page.goto('/cabinet/statistics?range=30-days');
    await page.getByRole('heading', { name: 'No images in this range' }).waitFor();
    await page.setViewportSize({ width: 390, height: 400 });
    await page.evaluate('scrollTo(0, 40)');
    expect(await page.evaluate('scrollY')).toBe(40);
    await page.getByRole('link', { name: '7 days' }).evaluate((link) => link.click());
    await page.waitForURL(/range=7-days/);
    expect(await page.evaluate('scrollY')).toBe(40);
  });

  it('a page that the browser has kept is loaded anew when it is gone back to', {
    tags: 'slow',
  }, async () => {
    await visit.context.clearCookies();
    // The page listens for it only then.
    await visit.afterFrame();
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await page.waitForURL('**/sign-in?**');
  });
});
