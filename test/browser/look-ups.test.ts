import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { findChromium } from '../../scripts/local/browsers.ts';
import type { Visit } from '../support/browser.ts';
import { type DeliveringService, startDeliveringService } from '../support/delivering-service.ts';
import { plainPicture } from '../support/pictures.ts';
import { button, field, ownerVisits, section, show } from '../support/site-pages.ts';

let delivering: DeliveringService;
const withOwner = ownerVisits(() => delivering);

/** What a browser itself logs for an error response. */
const loadFailed = /^Failed to load resource/;

describe.skipIf(findChromium() === null)('an image that cannot be looked at', () => {
  beforeAll(async () => {
    delivering = await startDeliveringService();
    const photo = await plainPicture(200, 150).jpeg({ quality: 97 }).toBuffer();
    delivering.foreign.serve('/cups/blue.jpg', photo, { 'Content-Type': 'image/jpeg' });
  });
  afterAll(() => delivering?.close());

  it('since too many were has its code and previews all the same', { tags: 'slow' }, async () => {
    const site = await delivering.site('often');
    const detail = 'Too many requests: try again in 936 s.';
    const refusal = { code: 'too_many_requests', detail };
    const work = async (page: Page) => {
      await page.route('**/check', (route) =>
        route.fulfill({ status: 429, headers: { 'Retry-After': '936' }, json: refusal }),
      );
      await field(page, 'Path').fill('cups/blue.jpg');
      await button(page, 'Show').click();
      await page.getByText('Too many requests. Try again in 16 minutes.').waitFor();
      await page.getByRole('tabpanel').getByText('/cups/blue.jpg').first().waitFor();
      await button(page, 'Add a preset').click();
      await section(page, /^Presets/)
        .getByRole('textbox', { name: 'Options' })
        .fill('w_40');
      await page.getByRole('img', { name: 'Preview of the preset' }).waitFor();
    };
    await withOwner(site.id, work, loadFailed);
  });

  it('since the options of a preset are refused moves nothing', { tags: 'slow' }, async () => {
    const site = await delivering.site('refused');
    const work = async (page: Page, visit: Visit) => {
      await show(page, 'cups/blue.jpg');
      await button(page, 'Add a preset').click();
      const presets = section(page, /^Presets/);
      await presets.getByRole('textbox', { name: 'Options' }).fill('w_0');
      await presets.getByRole('alert').getByText('"width" should be').waitFor();
      await visit.expectStill();
    };
    await withOwner(site.id, work, loadFailed);
  });

  it('is told with its whole address if it cannot be fetched', { tags: 'slow' }, async () => {
    const site = await delivering.site('absent');
    const work = async (page: Page) => {
      await field(page, 'Path').fill('/no ne.jpg');
      await button(page, 'Show').click();
      await page.getByRole('alert').getByText('could not be fetched').waitFor();
      await page.getByText(delivering.foreign.at('/no%20ne.jpg'), { exact: true }).waitFor();
    };
    await withOwner(site.id, work, loadFailed);
  });
});
