import type { Locator, Page, Route } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import type { Client } from '../support/client.ts';

describeInBrowser('what is typed about keys', (stage) => {
  let visit: Visit;
  let page: Page;
  let client: Client;
  let people = 0;
  beforeEach(async () => {
    people += 1;
    visit = await stage.visit();
    page = visit.page;
    client = await visit.signIn(stage.service, `keys-${people}@example.com`);
    for (const name of ['shop', 'blog']) await client.post('/v1/keys', { name, comment: '' });
    await page.goto('/cabinet/keys');
    await page.getByRole('heading', { name: 'shop' }).waitFor();
  });
  afterEach(async () => {
    visit.expectNoComplaint();
    await visit.end();
  });

  const nameField = () => page.getByRole('textbox', { name: 'Name' });
  const button = (name: string) => page.getByRole('button', { name });

  /** Presses Escape as an input method does to end the choice of a word. */
  const escapeWord = (field: Locator) =>
    field.dispatchEvent('keydown', { key: 'Escape', isComposing: true });

  it('outlives Escape in an input method', async () => {
    await button('Create key').click();
    await nameField().fill('店');
    await escapeWord(nameField());
    expect(await nameField().inputValue()).toBe('店');
    await nameField().press('Escape');
    await nameField().waitFor({ state: 'detached' });

    await button('Edit shop').click();
    await nameField().fill('商店');
    await escapeWord(nameField());
    expect(await nameField().inputValue()).toBe('商店');
    await nameField().press('Escape');
    await nameField().waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'shop' }).waitFor();
  });

  it('cannot be cancelled while it is being saved', async () => {
    const held: Route[] = [];
    await page.route('**/v1/keys/*', (route) => void held.push(route));
    await button('Edit shop').click();
    await nameField().fill('store');
    await button('Save').click();
    await expect.poll(() => held.length).toBe(1);
    await button('Cancel').dispatchEvent('click');
    await nameField().press('Escape');
    expect(await nameField().inputValue()).toBe('store');
    await held[0]?.continue();
    await page.getByRole('heading', { name: 'store' }).waitFor();
    await nameField().waitFor({ state: 'detached' });
  });

  it('cannot be cancelled while a key is being made', async () => {
    const held: Route[] = [];
    await button('Create key').click();
    await nameField().fill('app');
    await page.route('**/v1/keys', (route) => void held.push(route));
    await button('Create key').click();
    await expect.poll(() => held.length).toBe(1);
    await button('Cancel').dispatchEvent('click');
    await nameField().press('Escape');
    expect(await nameField().inputValue()).toBe('app');
    await held[0]?.continue();
    await page.getByRole('heading', { name: 'Your new key: app' }).waitFor();
  });

  it('for a new key outlives the reissue of another', async () => {
    await button('Create key').click();
    await nameField().fill('half-typ');
    await button('Reissue shop').click();
    await button('Reissue key').click();
    await page.getByRole('heading', { name: 'Your new key: shop' }).waitFor();
    expect(await nameField().inputValue()).toBe('half-typ');
    await button('Done').click();
    await page.getByRole('heading', { name: 'Your new key: shop' }).waitFor({ state: 'detached' });
    expect(await nameField().inputValue()).toBe('half-typ');
    const heading = page.getByRole('heading', { level: 1, name: 'Keys' });
    expect(await heading.evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  it('outlives a search that finds other keys', async () => {
    const search = page.getByRole('searchbox', { name: 'Search keys' });
    await button('Edit shop').click();
    await nameField().fill('my store');
    await search.fill('blog');
    await page.getByText('1 of 2 keys').waitFor();
    expect(await nameField().inputValue()).toBe('my store');
    await button('Save').click();
    await nameField().waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'my store' }).waitFor({ state: 'detached' });
    await search.fill('');
    await page.getByRole('heading', { name: 'my store' }).waitFor();
  });

  it('about a key that was revoked elsewhere is saved, and it is said what became of the key', async () => {
    const { items } = await (await client.get('/v1/keys')).json<{
      items: { id: string; name: string }[];
    }>();
    const shop = items.find(({ name }) => name === 'shop');
    await button('Edit shop').click();
    await client.post(`/v1/keys/${shop?.id}/revoke`, {});
    await nameField().fill('store');
    await button('Save').click();
    const remark = page.getByText('store had already been revoked. Your changes are saved.');
    await remark.waitFor();
    expect(await remark.evaluate((element) => element.matches(':focus'))).toBe(true);
    await page.getByRole('heading', { name: 'Revoked keys (1)' }).waitFor();
  });

  it('about a revoked key outlives the end of the search that had found it', async () => {
    const search = page.getByRole('searchbox', { name: 'Search keys' });
    await button('Revoke shop').click();
    await button('Revoke key').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await search.fill('shop');
    await button('Edit shop').click();
    await nameField().fill('former shop');
    await search.fill('');
    await page.getByRole('heading', { name: 'blog' }).waitFor();
    expect(await nameField().inputValue()).toBe('former shop');
    await button('Save').click();
    await nameField().waitFor({ state: 'detached' });
  });

  it('is looked for in the list when no answer said that it was made', async () => {
    // the call gets through, its answer does not
    await page.route('**/v1/keys', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      return route.fulfill({ status: 200, contentType: 'application/json', body: '{}' });
    });
    await button('Create key').click();
    await nameField().fill('made unseen');
    await button('Create key').last().click();
    await page.getByText('may have been created anyway').waitFor();
    await page.getByRole('heading', { name: 'made unseen' }).waitFor();
    expect(await nameField().inputValue()).toBe('made unseen');
  });
});
