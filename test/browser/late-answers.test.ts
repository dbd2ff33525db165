import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/local/browsers.ts';
import { type DeliveringService, startDeliveringService } from '../support/delivering-service.ts';
import { button, ownerVisits, section, storedSite } from '../support/site-pages.ts';

let delivering: DeliveringService;
const withOwner = ownerVisits(() => delivering);
const stored = (id: string) => storedSite(delivering, id);

/** Holds what the page sends from now on, and returns a function that lets it go, and waits for the answers. */
async function hold(page: Page, method: 'PATCH' | 'POST' | 'DELETE'): Promise<() => Promise<void>> {
  const gate = Promise.withResolvers<void>();
  const answers: Promise<unknown>[] = [];
  await page.route('**/v1/sites**', async (route) => {
    if (route.request().method() === method) {
      answers.push(page.waitForResponse((response) => response.request() === route.request()));
      await gate.promise;
    }
    await route.continue();
  });
  return async () => {
    await expect.poll(() => answers.length).toBeGreaterThan(0);
    gate.resolve();
    await Promise.all(answers);
    await page.unroute('**/v1/sites**');
  };
}

describe.skipIf(findChromium() === null)('an answer that comes late', () => {
  beforeAll(async () => {
    delivering = await startDeliveringService();
  });
  afterAll(() => delivering?.close());

  describe('about presets', () => {
    const two = { presets: { a: 'w_10', b: 'w_20' } };
    const name = (page: Page) => section(page, /^Presets/).getByRole('textbox', { name: 'Name' });
    const options = (page: Page) =>
      section(page, /^Presets/).getByRole('textbox', { name: 'Options' });
    const entry = (page: Page, preset: string) =>
      section(page, /^Presets/)
        .getByRole('listitem')
        .filter({ hasText: `p_${preset}` });

    it('keeps what was typed meanwhile, and nothing is sent that would undo it', {
      tags: 'slow',
    }, async () => {
      const site = await delivering.site('removing', two);
      await withOwner(site.id, async (page) => {
        const release = await hold(page, 'PATCH');
        await button(page, 'Remove a').click();
        await button(page, 'Add a preset').click();
        await name(page).fill('c');
        await options(page).fill('w_30');
        const save = button(page, 'Save preset');
        expect(await save.getAttribute('aria-disabled')).toBe('true');
        await options(page).press('Enter');
        await release();
        await entry(page, 'a').waitFor({ state: 'detached' });
        expect(await options(page).inputValue()).toBe('w_30');
        expect(await options(page).evaluate((one) => one.matches(':focus'))).toBe(true);
        await save.click();
        await entry(page, 'c').waitFor();
        expect((await stored(site.id)).presets).toEqual({ b: 'w_20', c: 'w_30' });
      });
    });

    it('is waited for before another one is removed or edited', { tags: 'slow' }, async () => {
      const site = await delivering.site('saving', two);
      await withOwner(site.id, async (page) => {
        await button(page, 'Add a preset').click();
        await name(page).fill('c');
        await options(page).fill('w_30');
        const release = await hold(page, 'PATCH');
        await button(page, 'Save preset').click();
        await button(page, 'Please wait…').waitFor();
        for (const other of ['Remove b', 'Edit b']) {
          await expect.poll(() => button(page, other).getAttribute('aria-disabled')).toBe('true');
          await button(page, other).click({ force: true });
        }
        expect(await name(page).inputValue()).toBe('c');
        await release();
        await entry(page, 'c').waitFor();
        await name(page).waitFor({ state: 'detached' });
        await button(page, 'Remove b').click();
        await entry(page, 'b').waitFor({ state: 'detached' });
        expect((await stored(site.id)).presets).toEqual({ a: 'w_10', c: 'w_30' });
      });
    });
  });
});
