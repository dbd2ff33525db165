import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { firstDayKept } from '../../src/policy/quota.ts';
import { describeInBrowser, seriousViolations, type Visit } from '../support/browser.ts';
import { plainPicture } from '../support/pictures.ts';

describeInBrowser('the page "Statistics"', (stage) => {
  let visit: Visit;
  let page: Page;
  beforeEach(async () => {
    visit = await stage.visit({ colorScheme: 'light', width: 390 });
    page = visit.page;
  });
  afterEach(async () => {
    visit.expectNoComplaint(/^Failed to load resource/);
    await visit.end();
  });

  const openDates = () => page.locator('summary', { hasText: 'Custom range' }).click();

  it('leads to the first image, with nothing to choose, as long as there is none', {
    tags: 'slow',
  }, async () => {
    await visit.signIn(stage.service, 'unused.key@example.com');
    await page.goto('/cabinet/statistics');
    await page.getByRole('heading', { name: 'No images yet' }).waitFor();
    expect(await page.getByRole('link', { name: '7 days' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Download CSV' }).count()).toBe(0);
    await visit.expectStill();
    await visit.expectGoodForEveryone();
  });

  it('has its choices in little room on phones, so that figures are seen at once', {
    tags: 'slow',
  }, async () => {
    const client = await visit.signIn(stage.service, 'phone@example.com');
    const { user_id: id } = (await (await client.get('/v1/me')).json()) as { user_id: string };
    const today = new Date().toISOString().slice(0, 10);
    await stage.service.database
      .prepare("INSERT INTO usage_days VALUES (?1, ?2, '', 1034, 481e6, 140e6, 341e6)")
      .bind(id, today)
      .run();
    for (const width of [360, 390, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto('/cabinet/statistics');
      const chart = page.getByRole('img', { name: /^Images per day/ });
      await chart.waitFor();
      const tops = await page
        .getByRole('navigation', { name: 'Days' })
        .getByRole('link')
        .evaluateAll<number[], Element>((all) => all.map((one) => one.getBoundingClientRect().top));
      expect(new Set(tops).size).toBe(1);
      expect((await chart.boundingBox())?.y).toBeLessThan(620);
      expect(await page.locator('.figure-list dt').first().textContent()).toBe('saved (71%)');
      await visit.expectStill();
      await visit.expectGoodForEveryone();
      await visit.screenshot(`statistics-choices-${width}`);
    }
  });

  it('says at the date that is wrong what is wrong, and goes there', { tags: 'slow' }, async () => {
    await visit.signIn(stage.service, 'dates@example.com');
    await page.goto('/cabinet/statistics?range=30-days');
    await openDates();
    const from = page.getByLabel('From');
    const to = page.getByLabel('To', { exact: true });
    const show = page.getByRole('button', { name: 'Show range' });
    const isFocused = async (field: typeof from) =>
      await field.evaluate<boolean, Element>((element) => element.matches(':focus'));

    await from.fill('2026-03-02');
    await to.fill('2026-03-01');
    await show.click();
    const words = 'The end date can’t be before the start date.';
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    expect(await to.getAttribute('aria-invalid')).toBe('true');
    expect(await from.getAttribute('aria-invalid')).toBeNull();
    expect(await isFocused(to)).toBe(true);

    await from.fill('');
    await show.click();
    await page.getByRole('alert').filter({ hasText: 'Choose a date.' }).waitFor();
    expect(await from.getAttribute('aria-invalid')).toBe('true');
    expect(await isFocused(from)).toBe(true);
    expect(await seriousViolations(page)).toEqual([]);

    await from.fill('2026-03-01');
    await show.click();
    await page.waitForURL(/from=2026-03-01&to=2026-03-01/);
    expect(await to.getAttribute('aria-invalid')).toBeNull();
  });

  it('does not say of a key that it did nothing before that is known', {
    tags: 'slow',
  }, async () => {
    const client = await visit.signIn(stage.service, 'chosen@example.com');
    const made = (await (await client.post('/v1/keys', { name: 'shop', comment: '' })).json()) as {
      id: string;
      key: string;
    };
    const response = await stage.service.fetch('/v1/optimize', {
      method: 'POST',
      headers: { Authorization: `Bearer ${made.key}` },
      body: Uint8Array.from(await plainPicture(200, 150).jpeg({ quality: 97 }).toBuffer()),
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();

    const isSeen = Promise.withResolvers<void>();
    await page.route('**/v1/statistics?*', async (route) => {
      await isSeen.promise;
      await route.continue();
    });
    await page.goto(`/cabinet/statistics?range=7-days&key=${made.id}`);
    const chosen = page.getByLabel('Key', { exact: true }).locator('option:checked');
    await expect.poll(() => chosen.textContent()).toBe('Selected key');
    isSeen.resolve();
    await expect.poll(() => chosen.textContent()).toMatch(/^shop \(fewer_/);
    await page.getByRole('img', { name: /^Images per day\. .*: 1 image in total\./ }).waitFor();

    await openDates();
    await page.getByLabel('From').fill('2026-01-01');
    await page.getByLabel('To', { exact: true }).fill('2026-01-02');
    await page.getByRole('button', { name: 'Show range' }).click();
    await expect.poll(() => chosen.textContent()).toBe('A key with no images in this range');
  });

  it('hands out its figures as a file, and says why when it cannot', { tags: 'slow' }, async () => {
    await visit.signIn(stage.service, 'csv@example.com');
    await page.goto('/cabinet/statistics?from=2026-03-01&to=2026-03-02');
    const link = page.getByRole('link', { name: 'Download CSV' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toBe('statistics-2026-03-01-2026-03-02.csv');
    const chunks = await (await download.createReadStream()).toArray();
    expect(Buffer.concat(chunks).toString()).toMatch(/^date,files,.*\r\n2026-03-01,0,/);
    await page.route('**/v1/statistics?*format=csv*', (route) => route.abort());
    await link.click();
    await page.getByRole('alert').filter({ hasText: 'can’t be reached' }).waitFor();
  });
});

describeInBrowser('the page "Statistics" of long ago', (stage) => {
  const kept = firstDayKept(Date.now());
  const monthBefore = new Date(Date.parse(kept) - 1).toISOString().slice(0, 7);

  it.each([
    { colorScheme: 'light', width: 390 },
    { colorScheme: 'dark', width: 1440 },
  ] as const)(
    'has months in place of days, at $width pixels, $colorScheme',
    { tags: 'slow' },
    async (look) => {
      const visit = await stage.visit(look);
      const { page } = visit;
      const email = `months-${look.width}-${look.colorScheme}@example.com`;
      const client = await visit.signIn(stage.service, email);
      const { user_id: id } = (await (await client.get('/v1/me')).json()) as { user_id: string };
      const book = stage.service.database.prepare(
        'INSERT INTO usage_days VALUES (?1, ?2, ?3, ?4, ?4 * 1234567, ?4 * 500000, ?4 * 734567)',
      );
      await stage.service.database.batch([
        book.bind(id, '2024-03-05', '', 1_234_567),
        book.bind(id, '2024-05-31', '', 89),
        book.bind(id, `${monthBefore}-28`, '', 40),
        book.bind(id, kept, '', 2),
      ]);
      await stage.service.tidy();

      await page.goto('/cabinet/statistics?from=2024-03-10&to=2024-12-31');
      const months = page.getByRole('table', { name: 'Images and sizes by month, newest first' });
      await months.waitFor();
      expect(await months.getByRole('row').allInnerTexts()).toEqual([
        expect.stringContaining('Month'),
        expect.stringMatching(/^May 2024\s+89\s/),
        expect.stringMatching(/^Mar 2024\s+1,234,567\s/),
      ]);
      await page.getByText('Up to May 2024, usage is kept by month').waitFor();
      await visit.expectNoSidewaysScroll();
      expect(await page.getByRole('img', { name: /per day/ }).count()).toBe(0);
      await visit.screenshot('statistics-months');

      await page.goto(`/cabinet/statistics?from=${monthBefore}-01&to=${kept}`);
      await months.waitFor();
      await page.getByRole('img', { name: /^Images per day\. .*: 2 images in total/ }).waitFor();
      await visit.expectNoSidewaysScroll();
      expect(await seriousViolations(page)).toEqual([]);
      await visit.screenshot('statistics-months-and-days');
      visit.expectNoComplaint();
      await visit.end();
    },
  );
});
