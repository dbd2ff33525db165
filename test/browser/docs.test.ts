import { expect, it } from 'vitest';
import { docsPages } from '../../src/cabinet/pages/docs/contents.ts';
import { describeInBrowser, looks, seriousViolations } from '../support/browser.ts';

const reference = ['/docs/api/optimize', '/docs/api/createKey', '/docs/api/objects'];
/** One page of each kind, one with many tables, and one whose code is named as its sections are. */
const kinds = new Set([
  ...['/docs', '/docs/options', '/docs/errors', '/docs/api/optimize'],
  ...['/docs/performance', '/docs/tinify'],
]);

describeInBrowser('the documentation', (stage) => {
  it('is searched by keyboard: Ctrl+K to type, arrows to choose, Enter to go', {
    tags: 'slow',
  }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/docs');
    const box = page.getByRole('combobox', { name: 'Search the documentation' });
    await page.keyboard.press('Control+k');
    const options = page.getByRole('option');
    await page.keyboard.type('webp');
    await options.first().waitFor();
    for (const empty of [() => box.fill(''), () => page.keyboard.press('Escape')]) {
      await empty();
      if ((await box.inputValue()) !== '') await empty();
      await page.keyboard.press('Enter');
      expect(await options.count()).toBe(0);
      expect(new URL(page.url()).pathname).toBe('/docs');
      await page.keyboard.type('webp');
      await options.first().waitFor();
    }
    await box.fill('');
    await page.keyboard.type('quota_exceeded');
    await options.first().waitFor();
    expect(await box.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('ArrowDown');
    const active = await box.getAttribute('aria-activedescendant');
    expect(await options.first().getAttribute('id')).toBe(active);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/errors#quota_exceeded');
    visit.expectNoComplaint();
    await visit.end();
  });

  it('finds operations, says when there is nothing, and is left with Escape', {
    tags: 'slow',
  }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/docs/limits');
    const box = page.getByRole('combobox', { name: 'Search the documentation' });
    await box.fill('revoke key');
    const option = page.getByRole('option', { name: 'Revoke a key, immediately' }).first();
    await option.waitFor();
    expect(await option.getAttribute('href')).toBe('/docs/api/revokeKey');
    await box.fill('xylophone');
    await page.getByText('Nothing found for “xylophone”.').waitFor();
    const further = page
      .getByRole('search')
      .getByRole('link', { name: 'what the service does not do' });
    expect(await further.getAttribute('href')).toBe('/docs/known-gaps');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('option').count()).toBe(0);
    expect(await box.inputValue()).toBe('');
    visit.expectNoComplaint();
    await visit.end();
  });

  it('is searched with Ctrl+K, and leads to what stands in a table', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/docs/keys');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('larger format');
    const option = page.getByRole('option', { name: 'larger-format' }).first();
    await option.waitFor();
    expect(await option.locator('mark').allTextContents()).toEqual(
      expect.arrayContaining(['larger', 'format']),
    );
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/call#larger-format');
    await page.locator('tr#larger-format').waitFor();
    visit.expectNoComplaint();
    await visit.end();
  });

  it('says so when search cannot be loaded, and tries again', { tags: 'slow' }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/docs');
    await page.route('**/docs/search.json', (route) => route.abort());
    const box = page.getByRole('combobox', { name: 'Search the documentation' });
    await box.fill('width');
    await page.getByText('Search is not available right now.').waitFor();
    await page.unroute('**/docs/search.json');
    await box.fill('height');
    await page.getByRole('option').first().waitFor();
    await visit.end();
  });

  const everyPath = [...docsPages.map(({ path }) => path), ...reference];
  const visits = looks.map((look, i) => ({ ...look, paths: i === 0 ? [...kinds] : everyPath }));
  it.each([...visits, ...looks.slice(0, 1).map((look) => ({ ...look, paths: everyPath }))])(
    '$paths.length pages fit the screen and can be used by everyone, at $width in $colorScheme',
    { tags: 'slow', timeout: 240_000 },
    async ({ paths, ...look }) => {
      const visit = await stage.visit(look);
      const { page } = visit;
      for (const path of paths) {
        await page.goto(path);
        await visit.expectNoSidewaysScroll();
        await visit.expectStill();
        if (kinds.has(path)) expect(await seriousViolations(page), path).toEqual([]);
        const sizes = await page.evaluate<number[]>(
          'Array.from(document.querySelectorAll(".docs-content code"), (e) => parseFloat(getComputedStyle(e).fontSize))',
        );
        expect(Math.min(...sizes, 16), `code of ${path}`).toBeGreaterThanOrEqual(14);
      }
      visit.expectNoComplaint();
      await visit.end();
    },
  );
});
