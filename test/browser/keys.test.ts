import type { Locator, Page, Route } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import type { Client } from '../support/client.ts';
import { chooseForKey, codeDialog, keyMenu, submitKey } from '../support/key-menu.ts';
import { plainPicture } from '../support/pictures.ts';

describeInBrowser('keys', (stage) => {
  let visit: Visit;
  let page: Page;
  let client: Client;
  let people = 0;
  /** What a browser itself logs for an error response. */
  let complaints: RegExp | undefined;
  beforeEach(async () => {
    people += 1;
    visit = await stage.visit();
    page = visit.page;
    client = await visit.signIn(stage.service, `keys-${people}@example.com`);
    for (const name of ['shop', 'blog']) await client.post('/v1/keys', { name, comment: '' });
    await page.goto('/cabinet/keys');
    await keyMenu(page, 'shop').waitFor();
  });
  afterEach(async () => {
    visit.expectNoComplaint(complaints);
    complaints = undefined;
    await visit.end();
  });

  const field = (name: string) => page.getByRole('textbox', { name });
  const button = (name: string) => page.getByRole('button', { name });
  const row = (name: string) => page.getByRole('row', { name });
  const dialog = () => page.getByRole('dialog');
  const hasFocus = (target: Locator) => target.evaluate((element) => element.matches(':focus'));

  /** The service's records, by name. */
  async function stored() {
    const { items } = await (await client.get('/v1/keys')).json<{
      items: {
        id: string;
        name: string;
        prefix: string;
        key: string;
        monthly_limit: number | null;
      }[];
    }>();
    return Object.fromEntries(items.map((record) => [record.name, record]));
  }

  async function optimize(key: string | undefined) {
    const body = Uint8Array.from(await plainPicture(200, 150).jpeg({ quality: 97 }).toBuffer());
    const headers = { Authorization: `Bearer ${key}` };
    const response = await stage.service.fetch('/v1/optimize', { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }

  it('have a menu that is gone through by keys, and gives the focus back', {
    tags: 'slow',
  }, async () => {
    const opener = keyMenu(page, 'shop');
    await opener.focus();
    await page.keyboard.press('ArrowUp');
    const item = (name: string) => page.getByRole('menuitem', { name });
    expect(await hasFocus(item('Revoke…'))).toBe(true);
    await page.keyboard.press('ArrowDown');
    expect(await hasFocus(item('Show code'))).toBe(true);
    await page.keyboard.press('e');
    expect(await hasFocus(item('Edit…'))).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('menu').count()).toBe(0);
    expect(await hasFocus(opener)).toBe(true);
    await opener.click();
    await page.getByRole('heading', { level: 1 }).click();
    expect(await page.getByRole('menu').count()).toBe(0);
    await chooseForKey(page, 'shop', 'Rotate…');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await hasFocus(opener)).toBe(true);
  });

  it('are made with a limit and an expiry, which can be changed', { tags: 'slow' }, async () => {
    await button('Create key').click();
    await field('Name').fill('app');
    await field('Monthly limit').fill('1.5');
    await submitKey(page);
    await page.getByText('Enter a whole number').waitFor();
    expect(await hasFocus(field('Monthly limit'))).toBe(true);
    await field('Monthly limit').fill('5,000');
    await page.getByLabel('Expires').selectOption('365');
    await page.getByText(/^Stops working \d+ \w+ 20\d\d at \d\d:\d\d, your time\.$/).waitFor();
    await page.getByLabel('Expires').selectOption('30');
    await submitKey(page);
    await page.getByRole('heading', { name: 'Your new key: app' }).waitFor();
    await button('Done').click();
    await row('app')
      .getByRole('cell', { name: /^0 of 5,000/ })
      .waitFor();
    expect(await row('app').getByRole('time').count()).toBe(1);

    await chooseForKey(page, 'app', 'Edit…');
    await field('Monthly limit').fill('');
    await page.getByLabel('Expires').selectOption('Never');
    await button('Save').click();
    await dialog().waitFor({ state: 'detached' });
    expect((await stored()).app).toMatchObject({ monthly_limit: null, expires_at: null });
    expect(await row('app').getByText('of 5,000').count()).toBe(0);
  });

  it('show what the service says of a field there', { tags: 'slow' }, async () => {
    const errors = [{ path: 'expires_at', message: 'should be in the future' }];
    const problem = { type: '', title: '', status: 400, detail: '…', request_id: 'r', errors };
    await page.route('**/v1/keys', (route) =>
      route.fulfill({ status: 400, json: { ...problem, code: 'invalid_request' } }),
    );
    await button('Create key').click();
    await field('Name').fill('late');
    await page.getByLabel('Expires').selectOption('30');
    await submitKey(page);
    await page.getByText('The expiry should be in the future.').waitFor();
    expect(await hasFocus(page.getByLabel('Expires'))).toBe(true);
    complaints = /^Failed to load resource/;
  });

  it('are rotated with an overlap, in which the old one can only be revoked', {
    tags: 'slow',
  }, async () => {
    const { shop } = await stored();
    await chooseForKey(page, 'shop', 'Rotate…');
    expect(await page.getByRole('radio', { name: '24 hours' }).isChecked()).toBe(true);
    await button('Rotate key').click();
    await page.getByRole('heading', { name: 'Your new key: shop' }).waitFor();
    await page.getByText('which works until').waitFor();
    await button('Done').click();
    const old = row('Being replaced');
    await old.getByText('Works until').last().waitFor();
    await old.getByRole('button', { name: 'Actions for shop' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual([
      'Show code',
      'Copy key',
      'Requests',
      'Edit…',
      'Revoke…',
    ]);
    await page.keyboard.press('Escape');
    await optimize(shop?.key);
  });

  it('that are revoked have no menu, and tell of themselves', { tags: 'slow' }, async () => {
    await chooseForKey(page, 'shop', 'Revoke…');
    await button('Revoke key').click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Revoked 1' }).click();
    const name = page.getByRole('table', { name: 'Revoked' }).getByRole('button');
    await expect.poll(() => name.allTextContents()).toEqual(['shop']);
    await name.click();
    await dialog().getByText('was revoked on').waitFor();
    await visit.expectGoodForEveryone();
    await button('Done').click();
    await dialog().waitFor({ state: 'detached' });
    expect(await hasFocus(name)).toBe(true);
  });

  it('of earlier are not waited for', { tags: 'slow' }, async () => {
    await page.route('**/v1/keys?*', async (route) => {
      const response = await route.fetch();
      const { items } = await response.json();
      const old = { created_at: new Date(Date.now() - 2 * 3_600_000).toISOString() };
      const json = { items: items.map((record: object) => ({ ...record, ...old })) };
      return route.fulfill({ json });
    });
    await page.reload();
    await chooseForKey(page, 'shop', 'Show code');
    await page.getByText('No images with this key yet.').waitFor();
    expect(await page.getByText('Waiting for your first image').count()).toBe(0);
  });

  it('are opened anywhere in their row on phones', { tags: 'slow' }, async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const { prefix = '' } = (await stored()).shop ?? {};
    const brief = row('shop').getByText(`${prefix}… · 0 this month · never used`);
    const box = await brief.boundingBox();
    await page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + 5);
    await codeDialog(page).waitFor();
  });

  it('have targets large enough for fingers', { tags: 'slow' }, async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const session = await visit.context.newCDPSession(page);
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    const heightOf = async (target: Locator) => (await target.boundingBox())?.height;
    await expect.poll(() => heightOf(keyMenu(page, 'shop'))).toBe(44);
    await keyMenu(page, 'shop').click();
    const item = page.getByRole('menuitem', { name: 'Edit…' });
    expect(await heightOf(item)).toBeGreaterThanOrEqual(44);
    await page.getByRole('menuitem', { name: 'Show code' }).click();
    expect(await heightOf(button('Reveal API key'))).toBeGreaterThanOrEqual(44);
    await visit.expectGoodForEveryone();
  });

  it('are shown with code, masked until they are revealed', async () => {
    const { shop } = await stored();
    await chooseForKey(page, 'shop', 'Show code');
    const shown = codeDialog(page).getByText(shop?.key ?? '', { exact: true });
    expect(await shown.count()).toBe(0);
    const code = codeDialog(page).getByRole('tabpanel');
    expect(await code.textContent()).not.toContain(shop?.key);
    await button('Copy curl').click();
    await button('Copied curl').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(shop?.key);
    await button('Reveal API key').click();
    await shown.waitFor();
    expect(await code.textContent()).toContain(shop?.key);
    await button('Hide API key').click();
    expect(await shown.count()).toBe(0);
    await button('Copy API key').click();
    await button('Copied API key').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shop?.key);
    await button('Done').click();
    await page.evaluate("navigator.clipboard.writeText('')");
    await chooseForKey(page, 'blog', 'Copy key');
    await page.getByRole('status').getByText('Copied the key “blog”').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe((await stored()).blog?.key);
  });

  it('that are new wait for their first image, and nothing moves when it comes', {
    tags: 'slow',
  }, async () => {
    await button('Create key').click();
    await field('Name').fill('app');
    await submitKey(page);
    await page.getByText('Waiting for your first image…').waitFor();
    const before = await codeDialog(page).boundingBox();
    await optimize((await stored()).app?.key);
    await page.getByRole('status').getByText('Your first image arrived').waitFor();
    expect(await codeDialog(page).boundingBox()).toEqual(before);
    await visit.expectStill();
    await button('Done').click();
    await row('app').getByRole('cell', { name: '1', exact: true }).waitFor();
  });

  it('cannot be left while they are being saved', { tags: 'slow' }, async () => {
    const held: Route[] = [];
    await page.route('**/v1/keys/*', (route) => void held.push(route));
    await chooseForKey(page, 'shop', 'Edit…');
    await field('Name').fill('store');
    await button('Save').click();
    await expect.poll(() => held.length).toBe(1);
    await button('Cancel').dispatchEvent('click');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await field('Name').inputValue()).toBe('store');
    await held[0]?.continue();
    await dialog().waitFor({ state: 'detached' });
    await keyMenu(page, 'store').waitFor();
  });

  it('that were revoked elsewhere are saved, and it is said what became of them', {
    tags: 'slow',
  }, async () => {
    const { shop } = await stored();
    await chooseForKey(page, 'shop', 'Edit…');
    await client.post(`/v1/keys/${shop?.id}/revoke`, {});
    await field('Name').fill('store');
    await button('Save').click();
    const remark = page.getByText('store had already been revoked. Your changes are saved.');
    await remark.waitFor();
    expect(await hasFocus(remark)).toBe(true);
    await page.getByRole('heading', { name: 'Revoked 1' }).waitFor();
  });

  it('are looked for in the list when no answer said that they were made', {
    tags: 'slow',
  }, async () => {
    // The call succeeds, but its response is lost.
    await page.route('**/v1/keys', async (route) => {
      await route.fetch();
      return route.fulfill({ status: 200, contentType: 'application/json', body: '{}' });
    });
    await button('Create key').click();
    await field('Name').fill('made unseen');
    await submitKey(page);
    await page.getByText('may have been created anyway').waitFor();
    await expect.poll(() => page.locator('tr', { hasText: 'made unseen' }).count()).toBe(1);
    expect(await field('Name').inputValue()).toBe('made unseen');
  });

  it('are found in lists of any length, which stay short', { tags: 'slow' }, async () => {
    const { shop } = await stored();
    const many = (count: number, status: string) =>
      Array.from({ length: count }, (_, i) => ({
        ...shop,
        id: `key_${status}${i}`,
        name: `${status} ${i}`,
        status,
        revoked_at: status === 'active' ? null : '2026-01-01T00:00:00.000Z',
        recent: Array(30).fill(i),
      }));
    const items = [...many(50, 'active'), ...many(1000, 'revoked')];
    await page.route('**/v1/keys?*', (route) => route.fulfill({ json: { items } }));
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.reload();
      await page.getByRole('heading', { name: 'Revoked 1,000' }).waitFor();
      const height = await page.evaluate<number>('document.documentElement.scrollHeight');
      expect(height).toBeLessThan(4000);
      await visit.expectNoSidewaysScroll();
      await visit.expectStill();
    }
    const ended = page.getByRole('table', { name: 'Revoked' }).getByRole('row');
    await page.getByRole('heading', { name: 'Revoked 1,000' }).click();
    await expect.poll(() => ended.count()).toBe(21);
    await button('Show 20 more').click();
    await expect.poll(() => ended.count()).toBe(41);
    await page.getByRole('searchbox', { name: 'Search keys' }).fill('revoked 999');
    await page.getByText('1 of 1050 keys').waitFor();
    await expect.poll(() => ended.count()).toBe(2);
    await visit.expectGoodForEveryone();
  });
});
