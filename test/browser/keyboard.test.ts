import { expect, it } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { codeIn } from '../support/client.ts';
import { keyMenu } from '../support/key-menu.ts';
import { Keyboard } from '../support/keyboard.ts';
import { plainPicture } from '../support/pictures.ts';

describeInBrowser('without a pointer', (stage) => {
  it('the whole way can be gone', { tags: 'slow', timeout: 120_000 }, async () => {
    const visit = await stage.visit();
    const { page } = visit;
    const keyboard = new Keyboard(page);
    const email = 'keyboard@example.com';
    const section = async (name: string) => {
      const menu = page.getByRole('navigation');
      await keyboard.press(menu.getByRole('link', { name, exact: true }));
    };

    // Registered first: the event is sent only once Chromium knows about a listener.
    const chooser = page.waitForEvent('filechooser', { timeout: 100_000 });
    await page.goto('/');
    await keyboard.press(page.getByRole('link', { name: 'Get an API key' }));
    await keyboard.fill(page.getByRole('textbox', { name: 'Email' }), email);
    await page.keyboard.press('Enter');
    const code = page.getByRole('textbox', { name: 'Code' });
    await code.waitFor();
    await keyboard.fill(code, codeIn(await stage.service.inbox.latest(email)));
    await page.waitForURL('**/cabinet/keys');

    const choose = async (name: string, item: string) => {
      await keyboard.press(keyMenu(page, name));
      for (let entries = 0; entries < 5; entries += 1) {
        const focused = page.getByRole('menuitem', { name: item }).and(page.locator(':focus'));
        if (await focused.count()) break;
        await page.keyboard.press('ArrowDown');
      }
      await page.keyboard.press('Enter');
    };
    const dialog = page.getByRole('dialog');
    await keyboard.press(page.getByRole('button', { name: 'Create key' }));
    await keyboard.fill(page.getByRole('textbox', { name: 'Name' }), 'shop');
    await keyboard.press(dialog.getByRole('button', { name: 'Create key' }));
    await keyboard.press(page.getByRole('button', { name: 'Copy API key' }));
    await page.getByRole('button', { name: 'Copied API key' }).waitFor();
    const key = await page.evaluate<string>('navigator.clipboard.readText()');
    const headers = { Authorization: `Bearer ${key}` };
    expect((await stage.service.fetch('/v1/quota', { headers })).status).toBe(200);
    await keyboard.press(page.getByRole('button', { name: 'Done' }));
    await dialog.waitFor({ state: 'hidden' });

    await choose('shop', 'Edit…');
    await keyboard.fill(page.getByRole('textbox', { name: 'Name' }), 'store');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await choose('store', 'Rotate…');
    await keyboard.press(page.getByRole('button', { name: 'Rotate key' }));
    await page.getByText('Your new key: store').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    const old = page.getByRole('row', { name: 'Being replaced' });
    await keyboard.press(old.getByRole('button', { name: 'Actions for store' }));
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await keyboard.press(old.getByRole('button', { name: 'Actions for store' }));
    // Requests, then Revoke.
    await page.keyboard.press('r');
    await page.keyboard.press('r');
    await page.keyboard.press('Enter');
    await keyboard.press(page.getByRole('button', { name: 'Revoke key' }));
    await dialog.waitFor({ state: 'hidden' });
    expect((await stage.service.fetch('/v1/quota', { headers })).status).toBe(401);

    await section('Statistics');
    await keyboard.press(page.getByRole('link', { name: 'Try an image' }));
    const buffer = await plainPicture(200, 150).jpeg({ quality: 97 }).toBuffer();
    const files = ['one.jpg', 'two.jpg', 'three.jpg'].map((name) => ({
      name,
      mimeType: 'image/jpeg',
      buffer,
    }));
    await keyboard.tabTo(page.getByLabel('Choose images'));
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(files);
    for (const { name } of files) {
      await keyboard.tabTo(page.getByRole('link', { name: `Download ${name}` }));
    }

    // What is optimized on the page does not count; without an image, there are no ranges to choose.
    const other = { Authorization: `Bearer ${await stage.service.keyOf(email)}` };
    const call = { method: 'POST', headers: other, body: new Uint8Array(buffer) };
    expect((await stage.service.fetch('/v1/optimize', call)).status).toBe(200);
    await section('Statistics');
    await keyboard.press(page.getByRole('link', { name: '7 days' }));
    await page.waitForURL(/statistics\?/);

    await keyboard.press(page.getByRole('button', { name: 'Account menu' }));
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${visit.origin}/`);
    visit.expectNoComplaint();
    await visit.end();
  });
});
