import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { plainPicture } from '../support/pictures.ts';

/** Multiplies the predictions of threads by `slowness`, so that small images seem to take long. */
const slowDevice = `
  globalThis.slowness = 1;
  const { get } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
  const seen = new WeakSet();
  Object.defineProperty(MessageEvent.prototype, 'data', {
    get() {
      const data = get.call(this);
      const plan = data?.result;
      if (plan?.cpuMs !== undefined && plan.bytes === undefined && !seen.has(plan)) {
        seen.add(plan);
        plan.cpuMs *= slowness;
      }
      return data;
    },
  });
`;

describeInBrowser('several images', (stage) => {
  let visit: Visit;
  let page: Page;
  let photo: Buffer;
  beforeAll(async () => {
    photo = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
  });
  beforeEach(async () => {
    visit = await stage.visit({ colorScheme: 'light', width: 390 });
    page = visit.page;
    await page.addInitScript(slowDevice);
    await page.goto('/');
    await page.getByLabel('Choose images').setInputFiles(
      ['a.jpg', 'b.jpg', 'c.jpg'].map((name) => ({
        name,
        mimeType: 'image/jpeg',
        buffer: photo,
      })),
    );
    await page.getByText('3 of 3 done.').first().waitFor();
  });
  afterEach(() => visit.end());

  const row = (name: string) => page.locator('.image-row', { hasText: name });
  const question = () => page.getByText('This will take about');

  it('ask one by one when other options would take long, and say so together', async () => {
    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('Format').selectOption('webp');
    await page.evaluate('slowness = 1e6');
    await page.getByRole('button', { name: 'Run again with these options' }).click();
    await page.getByText('0 of 3 done. 3 would take long, and wait for you.').first().waitFor();
    expect(await question().count()).toBe(3);
    await page.locator('.workbench-foot').getByText('3 with earlier options').waitFor();
    await visit.expectGoodForEveryone();
    // The earlier results are kept.
    await page.getByRole('link', { name: 'Download b.jpg' }).waitFor();
    await row('b.jpg').getByRole('button', { name: 'Do it here' }).click();
    await page.getByRole('link', { name: 'Download b.webp' }).waitFor();
    await row('a.jpg').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('2 of 3 done. 1 would take long, and waits for you.').first().waitFor();

    // What is asked for above, for one image, is asked about there.
    const chips = page.locator('.chips-part');
    await chips.getByRole('button', { name: 'AVIF' }).click();
    await chips.getByText('This will take about').waitFor();
    expect(await question().count()).toBe(2);
    expect(await row('a.jpg').getByText('This will take about').count()).toBe(0);
    visit.expectNoComplaint();
  });

  it('say that their archive cannot be made', { tags: 'slow' }, async () => {
    await page.evaluate(`Response.prototype.blob = () => Promise.reject(new RangeError('full'))`);
    await page.getByRole('button', { name: 'Download all' }).click();
    await page.getByRole('alert').getByText('The archive couldn’t be made').waitFor();
    await visit.expectGoodForEveryone();
    visit.expectNoComplaint();
  });

  it('are rendered again only if something of them changes', { tags: 'slow' }, async () => {
    // Preact keeps the handlers of an element in this property of it, and each rendering makes new ones.
    const handlers = (name: string) =>
      row(name)
        .getByRole('button', { name: 'Remove' })
        .evaluateHandle((button) => Reflect.get(button, '__e')?.onClick ?? null);
    const [a, b] = [await handlers('a.jpg'), await handlers('b.jpg')];
    expect(await a.evaluate((handler) => typeof handler)).toBe('function');
    await row('a.jpg').getByRole('link', { name: 'Download a.jpg' }).click();
    await row('a.jpg').locator('a.quiet').waitFor();
    expect(await a.evaluate((before, now) => before === now, await handlers('a.jpg'))).toBe(false);
    expect(await b.evaluate((before, now) => before === now, await handlers('b.jpg'))).toBe(true);
  });
});
