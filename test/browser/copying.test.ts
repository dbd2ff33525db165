import { expect, it } from 'vitest';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { chooseForKey, submitKey } from '../support/key-menu.ts';

const selected = 'getSelection().toString()';

describeInBrowser('copying', (stage) => {
  /** A browser without https, which has no clipboard API. */
  async function startWithoutClipboard(): Promise<Visit> {
    const visit = await stage.visit();
    await visit.page.addInitScript(
      "Object.defineProperty(navigator, 'clipboard', { value: undefined })",
    );
    return visit;
  }

  it('a key where the browser refuses shows the whole key, and selects it', {
    tags: 'slow',
  }, async () => {
    const visit = await startWithoutClipboard();
    const { page } = visit;
    const client = await visit.signIn(stage.service, 'refused@example.com');
    const made = await client.post('/v1/keys', { name: 'shop', comment: '' });
    const { key } = (await made.json()) as { key: string };
    await page.goto('/cabinet/keys');
    await chooseForKey(page, 'shop', 'Copy key');
    await page.getByRole('button', { name: 'Hide API key' }).waitFor();
    expect(await page.evaluate(selected)).toBe(key);
    await page.keyboard.press('Escape');
    await chooseForKey(page, 'shop', 'Show code');
    await page.getByRole('button', { name: 'Copy API key' }).click();
    await page.getByRole('button', { name: 'Selected: copy manually API key' }).waitFor();
    expect(await page.evaluate(selected)).toBe(key);
    visit.expectNoComplaint();
    await visit.end();
  });

  it('a key just made, where the browser refuses, selects it', { tags: 'slow' }, async () => {
    const visit = await startWithoutClipboard();
    const { page } = visit;
    await visit.signIn(stage.service, 'refused-new@example.com');
    await page.goto('/cabinet/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('shop');
    await submitKey(page);
    await page.getByRole('button', { name: 'Copy API key' }).click();
    await page.getByRole('button', { name: 'Selected: copy manually API key' }).waitFor();
    expect(await page.evaluate(selected)).toMatch(/^fewer_[0-9A-Za-z]{63}$/);
    visit.expectNoComplaint();
    await visit.end();
  });

  it('code of the documentation has a button with a name of its own at each block', {
    tags: 'slow',
  }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.goto('/docs');
    const buttons = page.locator('button[data-copy]');
    const names = await buttons.evaluateAll((all) => all.map((button) => button.textContent));
    expect(names.length).toBeGreaterThan(3);
    expect(new Set(names).size).toBe(names.length);
    const first = buttons.first();
    await first.click();
    await first.getByText('Copied', { exact: true }).waitFor();
    const code = await page.locator('.code-block code').first().textContent();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code);
    await first.getByText('Copy', { exact: true }).waitFor();
    visit.expectNoComplaint();
    await visit.end();
  });

  it('says so for the whole time after the last press', { tags: 'slow' }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await page.clock.install({ time: 0 });
    await page.goto('/docs');
    await page.clock.pauseAt(3_600_000);
    const button = page.locator('button[data-copy]').first();
    const copied = button.getByText('Copied', { exact: true });
    await button.click();
    await copied.waitFor();
    await page.clock.runFor(2000);
    await page.evaluate("navigator.clipboard.writeText('')");
    await button.click();
    // Only then does the time begin anew.
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).not.toBe('');
    await page.clock.runFor(2000);
    expect(await copied.count()).toBe(1);
    await page.clock.runFor(1000);
    expect(await copied.count()).toBe(0);
    await visit.end();
  });

  it('code of the documentation where the browser refuses selects it', {
    tags: 'slow',
  }, async () => {
    const visit = await startWithoutClipboard();
    const { page } = visit;
    await page.goto('/docs');
    const button = page.locator('button[data-copy]').first();
    await button.click();
    await button.getByText('Selected: copy manually').waitFor();
    const code = await page.locator('.code-block code').first().textContent();
    expect(await page.evaluate(selected)).toBe(code);
    visit.expectNoComplaint();
    await visit.end();
  });
});
