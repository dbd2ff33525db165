import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/local/browsers.ts';
import { type DeliveringService, startDeliveringService } from '../support/delivering-service.ts';
import { button, field, ownerVisits, section, storedSite } from '../support/site-pages.ts';

let delivering: DeliveringService;
const withOwner = ownerVisits(() => delivering);
const stored = (id: string) => storedSite(delivering, id);

/** What a browser itself logs for an error response. */
const loadFailed = /^Failed to load resource/;

describe.skipIf(findChromium() === null)('what another tab has done to a site', () => {
  beforeAll(async () => {
    delivering = await startDeliveringService();
  });
  afterAll(() => delivering?.close());

  describe('to its presets', () => {
    const input = (page: Page, name: string) =>
      section(page, /^Presets/).getByRole('textbox', { name });
    const entry = (page: Page, preset: string) =>
      section(page, /^Presets/)
        .getByRole('listitem')
        .filter({ hasText: `p_${preset}` });
    const elsewhere = (id: string, presets: object) =>
      delivering.owner.patch(`/v1/sites/${id}`, { presets });

    it('stays when one is added, edited or removed', { tags: 'slow' }, async () => {
      const site = await delivering.site('presets', { presets: { a: 'w_10', b: 'w_20' } });
      await withOwner(site.id, async (page) => {
        await button(page, 'Add a preset').click();
        await elsewhere(site.id, { a: 'w_10', b: 'w_20', c: 'w_30' });
        await input(page, 'Name').fill('d');
        await input(page, 'Options').fill('w_40');
        await button(page, 'Save preset').click();
        await entry(page, 'c').waitFor();
        await button(page, 'Edit a').click();
        await elsewhere(site.id, { b: 'w_21', c: 'w_30', d: 'w_40' });
        await input(page, 'Options').fill('w_11');
        await button(page, 'Save preset').click();
        await entry(page, 'b').getByText('w_21').waitFor();
        expect((await stored(site.id)).presets).toEqual({
          ...{ a: 'w_11', b: 'w_21', c: 'w_30', d: 'w_40' },
        });
        await elsewhere(site.id, { a: 'w_11', b: 'w_21', e: 'w_50' });
        await button(page, 'Remove a').click();
        await entry(page, 'e').waitFor();
        expect((await stored(site.id)).presets).toEqual({ b: 'w_21', e: 'w_50' });
      });
    });

    it('is not replaced by a new one of the same name', { tags: 'slow' }, async () => {
      const site = await delivering.site('names');
      await withOwner(site.id, async (page) => {
        await button(page, 'Add a preset').click();
        await elsewhere(site.id, { card: 'w_10' });
        await input(page, 'Name').fill('card');
        await input(page, 'Options').fill('w_20');
        await button(page, 'Save preset').click();
        await page.getByText('There is a preset of this name already.').waitFor();
        await entry(page, 'card').getByText('w_10').waitFor();
        expect((await stored(site.id)).presets).toEqual({ card: 'w_10' });
      });
    });
  });

  it.each([
    [
      'an image is looked at',
      'trial',
      async (page: Page) => {
        await field(page, 'Path').fill('cat.jpg');
        await button(page, 'Show').click();
      },
    ],
    [
      'a preset is added',
      'adding',
      async (page: Page) => {
        await button(page, 'Add a preset').click();
        await section(page, /^Presets/)
          .getByRole('textbox', { name: 'Name' })
          .fill('card');
        await section(page, /^Presets/)
          .getByRole('textbox', { name: 'Options' })
          .fill('w_10');
        await button(page, 'Save preset').click();
      },
    ],
  ] as const)(
    'leads to the list if it is deleted, once %s',
    { tags: 'slow' },
    async (_, slug, act) => {
      const site = await delivering.site(slug);
      const work = async (page: Page) => {
        await field(page, 'Path').waitFor();
        await delivering.owner.fetch(`/v1/sites/${site.id}`, { method: 'DELETE' });
        await act(page);
        await page.getByText('no longer exists.').waitFor();
        await page.getByRole('heading', { level: 1, name: 'Delivery' }).waitFor();
      };
      await withOwner(site.id, work, loadFailed);
    },
  );
});
