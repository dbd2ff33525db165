import type { Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/local/browsers.ts';
import { type DeliveringService, startDeliveringService } from '../support/delivering-service.ts';
import { button, field, ownerVisits, section, storedSite } from '../support/site-pages.ts';

let delivering: DeliveringService;
const withOwner = ownerVisits(() => delivering);
const stored = (id: string) => storedSite(delivering, id);

/** Holds what the page sends from now on, and returns a function that lets it go, and waits for the answers. */
async function hold(page: Page, method: 'PATCH' | 'POST' | 'DELETE'): Promise<() => Promise<void>> {
  const gate = Promise.withResolvers<void>();
  const answers: Promise<Response>[] = [];
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
    for (const answer of await Promise.all(answers)) await answer.finished();
    // What the page makes of them is there with the next frame.
    await page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
    );
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

  describe('does not lead away from where someone has gone meanwhile', () => {
    const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

    it.each(['All sites', 'Keys'])(
      'from a site that is created to "%s"',
      {
        tags: 'slow',
      },
      async (link) => {
        const slug = link === 'Keys' ? 'created-1' : 'created-2';
        await withOwner('new', async (page) => {
          await field(page, 'Address of your images').fill(delivering.foreign.at('/'));
          await field(page, 'Short name').fill(slug);
          const release = await hold(page, 'POST');
          await button(page, 'Continue').click();
          await button(page, 'Please wait…').waitFor();
          await page.getByRole('link', { name: link, exact: true }).click();
          const name = link === 'Keys' ? 'Keys' : 'Delivery';
          await heading(page, name).waitFor();
          await release();
          await heading(page, name).waitFor();
          expect(new URL(page.url()).search).toBe('');
          // It is in the list all the same.
          if (link === 'All sites') await page.getByText(`/i/${slug}/`).waitFor();
        });
      },
    );

    it('from a site that is deleted', { tags: 'slow' }, async () => {
      const site = await delivering.site('deleting');
      const other = await delivering.site('staying');
      await withOwner(other.id, async (page) => {
        await heading(page, 'staying').waitFor();
        await page.getByRole('link', { name: 'All sites' }).click();
        await page.getByRole('link', { name: 'deleting' }).click();
        await heading(page, 'deleting').waitFor();
        const release = await hold(page, 'DELETE');
        await button(page, 'Delete…').click();
        await button(page, 'Delete site').click();
        await button(page, 'Please wait…').waitFor();
        await page.goBack();
        await page.goBack();
        await heading(page, 'staying').waitFor();
        await release();
        expect(new URL(page.url()).searchParams.get('site')).toBe(other.id);
        expect(await heading(page, 'staying').isVisible()).toBe(true);
        await page.getByRole('link', { name: 'All sites' }).click();
        await page.getByText('has been deleted').waitFor();
        expect(await page.getByText('/i/deleting/').count()).toBe(0);
        expect(site.id).not.toBe(other.id);
      });
    });
  });

  describe('leaves what was typed meanwhile', () => {
    it('in the settings, and does not call it saved', { tags: 'slow' }, async () => {
      const site = await delivering.site('typing');
      await withOwner(site.id, async (page) => {
        const settings = section(page, 'Settings');
        const input = settings.getByRole('textbox', { name: 'Name' });
        const limit = settings.getByRole('textbox', { name: 'Monthly limit' });
        await input.fill('Renamed');
        const release = await hold(page, 'PATCH');
        await button(page, 'Save').click();
        await limit.fill('500');
        await release();
        await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();
        await button(page, 'Save').waitFor();
        expect(await limit.inputValue()).toBe('500');
        expect(await settings.getByText('Saved.').count()).toBe(0);
        await button(page, 'Save').click();
        await settings.getByText('Saved.').waitFor();
        expect(await stored(site.id)).toMatchObject({ name: 'Renamed', monthly_limit: 500 });
      });
    });

    it('in the paths to purge', { tags: 'slow' }, async () => {
      const site = await delivering.site('purging');
      await withOwner(site.id, async (page) => {
        const paths = field(page, 'Paths');
        await paths.fill('one.jpg');
        const release = await hold(page, 'POST');
        await button(page, 'Purge these').click();
        await paths.fill('two.jpg');
        await release();
        await page.getByText('One image is purged.').waitFor();
        expect(await paths.inputValue()).toBe('two.jpg');
      });
    });
  });
});
