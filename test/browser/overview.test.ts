import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Me } from '../../src/cabinet/browser/api/wire.ts';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import type { Client } from '../support/client.ts';
import { itForEach } from '../support/each.ts';
import { plainPicture } from '../support/pictures.ts';

describeInBrowser('the page "Overview"', (stage) => {
  let visit: Visit;
  let page: Page;
  let client: Client;
  let people = 0;
  beforeEach(async () => {
    people += 1;
    visit = await stage.visit({ colorScheme: 'light', width: 390 });
    page = visit.page;
    client = await visit.signIn(stage.service, `overview-${people}@example.com`);
  });
  afterEach(async () => {
    visit.expectNoComplaint(/^Failed to load resource/);
    await visit.end();
  });

  const visitPage = async () => {
    await page.goto('/cabinet', { waitUntil: 'networkidle' });
    await visit.expectStill();
  };

  async function createKey(name: string): Promise<string> {
    const made = await client.post('/v1/keys', { name });
    return ((await made.json()) as { key: string }).key;
  }

  async function optimize(key: string): Promise<void> {
    const answer = await stage.service.fetch('/v1/optimize', {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: Uint8Array.from(await plainPicture(200, 150).jpeg({ quality: 97 }).toBuffer()),
    });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  }

  /** Changes the service's response about the account. */
  async function pretend(change: (me: Me) => Partial<Me>): Promise<void> {
    await page.route('**/v1/me', async (route) => {
      const response = await route.fetch();
      const me = (await response.json()) as Me;
      await route.fulfill({ response, json: { ...me, ...change(me) } });
    });
  }

  it('leads from a key to the first call, and then shows what it saved', {
    tags: 'slow',
  }, async () => {
    await visitPage();
    await page.getByRole('link', { name: 'Create an API key' }).waitFor();
    await page.getByRole('img', { name: '100,000 files left' }).waitFor();
    await visit.expectGoodForEveryone();

    const key = await createKey('shop');
    await visitPage();
    await page.getByRole('heading', { name: 'Optimize your first image' }).waitFor();
    await page
      .getByRole('tabpanel', { name: 'curl' })
      .filter({ hasText: '/v1/optimize' })
      .waitFor();
    await page.getByRole('button', { name: 'Copy key shop' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(key);
    await page.getByText('Never used').waitFor();
    await visit.expectGoodForEveryone();

    await optimize(key);
    await visitPage();
    await page.getByText(/^\d+% smaller: .* in 1 image\.$/).waitFor();
    await page.getByRole('img', { name: /^Saved per day\. .* in total\. Peak on / }).waitFor();
    await page.getByRole('img', { name: '99,999 files left' }).waitFor();
    await page.getByText('your free files last through the month').waitFor();
    await page.getByRole('link', { name: 'Compare formats on your own images' }).waitFor();
    await visit.expectGoodForEveryone();
  });

  it.each([1440, 360, 768, 1920])(
    'stays still and is for everyone at %i pixels',
    { tags: 'slow' },
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      await optimize(await createKey('shop'));
      for (const path of ['statistics?*', 'me', 'keys']) {
        await page.route(`**/v1/${path}`, async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 150 * path.length));
          await route.continue();
        });
      }
      await visitPage();
      await page.getByRole('img', { name: /^Saved per day/ }).waitFor();
      await visit.expectStill();
      await visit.expectGoodForEveryone();
    },
  );

  it('warns when few files are left, and when none are', { tags: 'slow' }, async () => {
    await optimize(await createKey('shop'));
    const left = (remaining: number) => (me: Me) => ({
      free_quota: { ...me.free_quota, limit: 500, used: 500 - remaining, remaining },
    });
    await pretend(left(20));
    await visitPage();
    await page.getByRole('heading', { name: 'Only 20 free files left this month' }).waitFor();
    await visit.expectGoodForEveryone();
    await pretend(left(0));
    await visitPage();
    await page.getByRole('heading', { name: /^Out of files until 1 \w+$/ }).waitFor();
    await page.getByText('API calls get error 402 until then.').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toMatch(/^Out of/);
    expect(await page.getByText('pace').count()).toBe(0);
    await visit.expectStill();
    await visit.expectGoodForEveryone();
  });

  it('counts paid files with free ones, and has room for many', { tags: 'slow' }, async () => {
    await optimize(await createKey('shop'));
    await pretend((me) => ({
      plan: 'paid',
      paid_quota_remaining: 100_000,
      free_quota: { ...me.free_quota, limit: 500, used: 500, remaining: 0 },
    }));
    await page.setViewportSize({ width: 360, height: 800 });
    await visitPage();
    await page.getByRole('img', { name: '100,000 files left' }).waitFor();
    await page.getByText('0 of 500 free left this month, 100,000 paid').waitFor();
    await page.getByRole('heading', { name: 'Get more out of it' }).waitFor();
    await visit.expectGoodForEveryone();
  });

  it('says when the files run out before there are new ones', { tags: 'slow' }, async () => {
    await optimize(await createKey('shop'));
    await pretend((me) => ({
      // One was used today: a seventh of a file a day.
      free_quota: {
        ...me.free_quota,
        limit: 4,
        used: 1,
        remaining: 1,
        resets_at: new Date(Date.now() + 20 * 86_400_000).toISOString(),
      },
    }));
    await visitPage();
    await page
      .getByRole('heading', { name: /^At this pace you run out on .* days before/ })
      .waitFor();
    await visit.expectGoodForEveryone();
  });

  it('shows the rest when statistics cannot be loaded', { tags: 'slow' }, async () => {
    await optimize(await createKey('shop'));
    await page.route('**/v1/statistics?*', (route) => route.abort());
    await page.goto('/cabinet');
    const saved = page.getByRole('region', { name: 'Saved in the last 30 days' });
    await saved.getByRole('alert').waitFor();
    await page.getByText('There’s no forecast at the moment.').waitFor();
    await page.unroute('**/v1/statistics?*');
    await saved.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('img', { name: /^Saved per day/ }).waitFor();
  });
});

describeInBrowser('the page "Account"', (stage) => {
  itForEach(
    [
      { colorScheme: 'light', width: 360 },
      { colorScheme: 'dark', width: 1440 },
    ] as const,
    'says who is signed in and keeps choices, at $width pixels',
    async (look) => {
      const visit = await stage.visit(look);
      const { page } = visit;
      const email = `account-${look.width}@example.com`;
      const client = await visit.signIn(stage.service, email);
      const me = async () => (await (await client.get('/v1/me')).json()) as Me;
      await page.goto('/cabinet/account', { waitUntil: 'networkidle' });
      await visit.expectStill();
      await visit.expectGoodForEveryone();
      await page.getByRole('main').getByText(email, { exact: true }).first().waitFor();
      await page.getByRole('button', { name: 'Copy user ID' }).click();
      const copied = () => page.evaluate('navigator.clipboard.readText()');
      await expect.poll(copied).toBe((await me()).user_id);

      const mails = page.getByRole('switch', { name: 'Email me when files run low' });
      expect(await mails.isChecked()).toBe(true);
      await mails.focus();
      await page.keyboard.press('Space');
      await expect.poll(async () => (await me()).quota_mails).toBe(false);
      await page.reload();
      await expect.poll(() => mails.isChecked()).toBe(false);
      await page.route('**/v1/me', (route) => route.abort());
      await mails.click();
      await page.getByRole('alert').filter({ hasText: 'can’t be reached' }).waitFor();
      expect(await mails.isChecked()).toBe(false);
      await page.unroute('**/v1/me');

      await page.getByText('Delete account').first().click();
      await page.getByLabel('Type your email address to confirm').fill('someone@example.com');
      await page.getByRole('button', { name: 'Delete account' }).click();
      await page.getByText('This isn’t the email address of this account.').waitFor();
      await visit.expectGoodForEveryone();
      await page.getByRole('button', { name: 'Sign out everywhere' }).click();
      await page.waitForURL(`${visit.origin}/`);
      expect((await client.get('/v1/me')).status).toBe(401);
      await visit.end();
    },
  );

  it('confirms that an account has been deleted, and only once', async () => {
    const visit = await stage.visit({ colorScheme: 'light', width: 360 });
    const { page } = visit;
    const email = 'deleted@example.com';
    const client = await visit.signIn(stage.service, email);
    const site = { name: 'Shop', slug: 'shop-of-the-deleted', source: 'https://images.example/' };
    expect((await client.post('/v1/sites', site)).status).toBe(201);
    await page.goto('/cabinet/account');
    await page.getByText('Delete account').first().click();
    await page.getByText('Your site stops: all its image URLs answer 404').waitFor();
    await visit.expectGoodForEveryone();
    await page.getByLabel('Type your email address to confirm').fill(email);
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('status').getByText('Your account has been deleted.').waitFor();
    await expect.poll(() => page.url()).toBe(`${visit.origin}/sign-in`);
    await visit.expectGoodForEveryone();
    expect((await client.get('/v1/me')).status).toBe(401);
    await page.reload();
    await page.getByRole('textbox', { name: 'Email' }).waitFor();
    expect(await page.getByRole('status').count()).toBe(0);
    visit.expectNoComplaint();
    await visit.end();
  });
});
