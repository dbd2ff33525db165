import { afterAll, beforeAll, describe, it } from 'vitest';
import { findChromium } from '../../scripts/local/browsers.ts';
import { type DeliveringService, startDeliveringService } from '../support/delivering-service.ts';
import { button, ownerVisits } from '../support/site-pages.ts';

let delivering: DeliveringService;
const withOwner = ownerVisits(() => delivering);

describe.skipIf(findChromium() === null)('sites of one name', () => {
  beforeAll(async () => {
    delivering = await startDeliveringService();
  });
  afterAll(() => delivering?.close());

  it('are told apart by their short names', { tags: 'slow' }, async () => {
    for (const slug of ['one', 'two']) await delivering.site(slug, { name: 'Shop' });
    await delivering.site('three', { name: 'Blog' });
    await withOwner(null, async (page, visit) => {
      const link = (name: string) => page.getByRole('link', { name, exact: true });
      await link('Blog').waitFor();
      await link('Shop one').waitFor();
      await visit.expectGoodForEveryone();
      await link('Shop two').click();
      await button(page, 'Delete…').click();
      await button(page, 'Delete site').click();
      await page.getByText('Shop two has been deleted').waitFor();
      await link('Shop').waitFor();
    });
  });
});
