import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, looks } from '../support/browser.ts';
import { submitKey } from '../support/key-menu.ts';

/** The languages shown on a documentation page, one for each block with tabs. */
function shownLanguages(page: Page): Promise<string[]> {
  return page
    .locator('.code-choice input:checked')
    .evaluateAll((inputs) => inputs.map((input) => (input as unknown as { value: string }).value));
}

/** A browser that is set to store nothing: every access throws. */
const noStorage = `Object.defineProperty(window, 'localStorage', {
  get() { throw new DOMException('no', 'SecurityError'); },
})`;

describeInBrowser('code in several languages', (stage) => {
  it('is shown in the language that was chosen, on the whole page, and by keyboard', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/docs');
    expect(await shownLanguages(page)).toEqual(['curl', 'curl']);
    const [first, second] = await page.locator('.code-choice').all();
    await first?.getByText('Python', { exact: true }).click();
    expect(await shownLanguages(page)).toEqual(['Python', 'Python']);
    await page.keyboard.press('ArrowRight');
    expect(await shownLanguages(page)).toEqual(['PHP', 'PHP']);
    expect(await first?.getByRole('region').count()).toBe(1);
    expect(await second?.getByRole('region').textContent()).toContain('<?php');
    visit.expectNoComplaint();
    await visit.end();
  });

  it('stays where it is on the screen when code above it changes, too', {
    tags: 'slow',
  }, async () => {
    const visit = await stage.visit({ colorScheme: 'light', width: 390 });
    const { page } = visit;
    await page.goto('/docs');
    const choice = page.locator('.code-choice').last();
    const label = choice.getByText('PHP', { exact: true });
    await label.scrollIntoViewIfNeeded();
    const before = await label.boundingBox();
    await label.click();
    expect(await shownLanguages(page)).toEqual(['PHP', 'PHP']);
    // The browser's own actions are complete by then.
    await visit.afterFrame();
    const after = await label.boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(1);
    await visit.end();
  });

  it('comes in that language on later visits, and nothing moves, however late the script is', {
    tags: 'slow',
  }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/docs');
    await page.locator('.code-choice').first().getByText('Go', { exact: true }).click();
    await page.route('**/assets/docs-*.js', async (route) => {
      await sleep(500);
      await route.continue();
    });
    await page.reload();
    // The second block has no Go.
    expect(await shownLanguages(page)).toEqual(['Go', 'curl']);
    await visit.expectStill();
    visit.expectNoComplaint();
    await visit.end();
  });

  it('has the same language in the cabinet, as tabs that arrow keys go through', {
    tags: 'slow',
  }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await visit.signIn(stage.service, 'tabs@example.com');
    await page.goto('/docs');
    await page.locator('.code-choice').first().getByText('Go', { exact: true }).click();
    await page.goto('/cabinet/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('shop');
    await submitKey(page);
    const go = page.getByRole('tabpanel', { name: 'Go' });
    await go.locator('.code-keyword', { hasText: 'package' }).waitFor();
    const tab = page.getByRole('tab', { selected: true });
    expect(await tab.textContent()).toBe('Go');
    await tab.focus();
    for (const [key, name] of [
      ['ArrowRight', 'Ruby'],
      ['ArrowRight', 'curl'],
      ['ArrowLeft', 'Ruby'],
      ['Home', 'curl'],
      ['End', 'Ruby'],
      ['ArrowLeft', 'Go'],
      ['ArrowLeft', 'PHP'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await page.locator(':focus').textContent()).toBe(name);
      expect(await tab.textContent()).toBe(name);
    }
    await page.getByRole('button', { name: 'Copy PHP' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toMatch(/^<\?php\n/);
    await page.goto('/docs');
    expect(await shownLanguages(page)).toEqual(['PHP', 'PHP']);
    visit.expectNoComplaint();
    await visit.end();
  });

  it('can be chosen where the browser stores nothing', { tags: 'slow' }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.addInitScript(noStorage);
    await page.goto('/docs');
    await page.locator('.code-choice').first().getByText('Node', { exact: true }).click();
    expect(await shownLanguages(page)).toEqual(['Node', 'Node']);
    visit.expectNoComplaint();
    await visit.end();
  });

  it('can be chosen without scripts', { tags: 'slow' }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.route('**/*.js', (route) => route.abort());
    await page.goto('/docs');
    const choice = page.locator('.code-choice').first();
    await choice.getByText('Ruby', { exact: true }).click();
    await choice.getByText('require').waitFor();
    await visit.end();
  });

  it.each(looks)(
    'can be read by everyone, at $width in $colorScheme',
    { tags: 'slow' },
    async (look) => {
      const visit = await stage.visit(look);
      const { page } = visit;
      await page.goto('/docs');
      for (const name of look === looks[0] ? ['Go'] : ['Go', 'PHP']) {
        await page.locator('.code-choice').first().getByText(name, { exact: true }).click();
        await visit.expectGoodForEveryone();
      }
      visit.expectNoComplaint();
      await visit.end();
    },
  );
});
