import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, looks, seriousViolations } from '../support/browser.ts';
import { codeIn } from '../support/client.ts';
import { chooseForKey, keyMenu, submitKey } from '../support/key-menu.ts';
import { plainPicture } from '../support/pictures.ts';

describeInBrowser('the whole way', (stage) => {
  it.each(looks)(
    'from the front page to signing out, at $width pixels in a $colorScheme scheme',
    { tags: 'slow', timeout: 300_000 },
    async (look) => {
      const visit = await stage.visit(look);
      const { page } = visit;
      const email = `way-${look.width}-${look.colorScheme}@example.com`;
      const inspect = async (name: string) => {
        await visit.expectNoSidewaysScroll();
        await visit.screenshot(name);
        expect(await seriousViolations(page), `on the page "${name}"`).toEqual([]);
      };

      await page.goto('/');
      await page.getByRole('link', { name: 'Get an API key' }).click();
      await page.getByRole('textbox', { name: 'Email' }).fill(email);
      await inspect('sign-in');
      await page.getByRole('button', { name: 'Send code' }).click();
      const codeField = page.getByRole('textbox', { name: 'Code' });
      await codeField.waitFor();
      await inspect('code');
      await codeField.fill(codeIn(await stage.service.inbox.latest(email)));
      await page.waitForURL('**/cabinet/keys');
      // The page is whole before anything else is asked of it.
      await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
      await section(page, 'Overview');
      await page.getByRole('link', { name: 'Create an API key' }).waitFor();
      await inspect('overview-new');

      await section(page, 'Keys');
      await inspect('no-keys');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('shop');
      await page.getByRole('textbox', { name: 'Comment' }).fill('product pictures');
      await inspect('create-key');
      await submitKey(page);
      const key = await copiedKey(page);
      expect(key).toMatch(/^fewer_[0-9A-Za-z]{63}$/);
      await inspect('new-key');

      const photo = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
      const headers = { Authorization: `Bearer ${key}` };
      const body = Uint8Array.from(photo);
      const optimize = () => stage.service.fetch('/v1/optimize', { method: 'POST', headers, body });
      const response = await optimize();
      expect(response.status).toBe(200);
      await response.arrayBuffer();
      await page.getByRole('status').getByText('Your first image arrived').waitFor();
      await inspect('first-image');
      await page.getByRole('button', { name: 'Done' }).click();

      await section(page, 'Statistics');
      await page.getByRole('table').getByText('shop').first().waitFor();
      await inspect('statistics');

      await section(page, 'Keys');
      await chooseForKey(page, 'shop', 'Show code');
      await inspect('code');
      await page.getByRole('button', { name: 'Reveal API key' }).click();
      await page.getByText(key, { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Done' }).click();
      await chooseForKey(page, 'shop', 'Edit…');
      await page.getByRole('textbox', { name: 'Name' }).fill('shop front');
      await page.getByRole('button', { name: 'Save' }).click();
      await keyMenu(page, 'shop front').click();
      await inspect('keys');
      await page.keyboard.press('Escape');

      await chooseForKey(page, 'shop front', 'Rotate…');
      await inspect('rotate');
      await page.getByRole('radio', { name: 'Not at all' }).check();
      await page.getByRole('button', { name: 'Rotate key' }).click();
      const successor = await copiedKey(page);
      expect(successor).toMatch(/^fewer_/);
      expect(successor).not.toBe(key);
      expect((await optimize()).status).toBe(401);
      await page.getByRole('button', { name: 'Done' }).click();

      await chooseForKey(page, 'shop front', 'Revoke…');
      await inspect('revoke');
      await page.getByRole('button', { name: 'Revoke key' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      headers.Authorization = `Bearer ${successor}`;
      expect((await optimize()).status).toBe(401);

      await page.goto('/cabinet/payment');
      await page.getByText('This service doesn’t sell files.').waitFor();
      await inspect('payment');

      await section(page, 'Try it');
      await page.getByLabel('Choose images').setInputFiles([
        { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo },
        {
          name: 'screen.png',
          mimeType: 'image/png',
          buffer: await plainPicture(300, 200).png().toBuffer(),
        },
        {
          name: 'banner.webp',
          mimeType: 'image/webp',
          buffer: await plainPicture(300, 200).webp({ quality: 98 }).toBuffer(),
        },
      ]);
      for (const name of ['photo.jpg', 'screen.png', 'banner.webp']) {
        await page.getByRole('link', { name: `Download ${name}` }).waitFor();
      }
      await inspect('try-it');

      await section(page, 'Overview');
      await page.getByRole('img', { name: /^Saved per day\. .* in total/ }).waitFor();
      await inspect('overview');
      await page.getByRole('button', { name: 'Account menu' }).click();
      await page.getByText(email).waitFor();
      await inspect('account-menu');
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.waitForURL(`${visit.origin}/`);
      await page.goto('/cabinet');
      await page.waitForURL('**/sign-in?**');
      visit.expectNoComplaint();
      await visit.end();
    },
  );
});

/** Opens a section of the cabinet from its menu. */
async function section(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** The text that the key's button in the open dialog puts on the clipboard. */
async function copiedKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Copy API key' }).click();
  await page.getByRole('button', { name: 'Copied API key' }).waitFor();
  return page.evaluate<string>('navigator.clipboard.readText()');
}
