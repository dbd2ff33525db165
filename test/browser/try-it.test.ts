import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { plainPicture } from '../support/pictures.ts';

describeInBrowser('the page "Try it"', (stage) => {
  let visit: Visit;
  let page: Page;
  let photo: Buffer;
  let people = 0;
  beforeAll(async () => {
    photo = await plainPicture(200, 150).jpeg({ quality: 97 }).toBuffer();
  });
  beforeEach(async () => {
    visit = await stage.visit();
    page = visit.page;
    people += 1;
    await visit.signIn(stage.service, `tries-${people}@example.com`);
    await page.goto('/cabinet/try');
    await page.getByRole('heading', { level: 1, name: 'Try it' }).waitFor();
  });
  afterEach(() => visit.end());

  const notSent = 'Not sent yet: the options were invalid.';
  const choose = (...names: string[]) =>
    page
      .getByLabel('Choose images')
      .setInputFiles(names.map((name) => ({ name, mimeType: 'image/jpeg', buffer: photo })));
  const download = (name: string) => page.getByRole('link', { name: `Download ${name}` });
  const openOptions = () => page.locator('summary', { hasText: 'Options' }).click();
  const go = async (name: string) => {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  };

  it('keeps what was charged, and goes on, while another section is shown', {
    tags: 'slow',
  }, async () => {
    let calls = 0;
    const isAway = Promise.withResolvers<void>();
    await page.route('**/v1/me/optimize*', async (route) => {
      calls += 1;
      if (calls === 2) await isAway.promise;
      await route.continue();
    });
    await openOptions();
    await page.getByLabel('Format').selectOption('webp');
    await choose('first.jpg', 'second.jpg', 'third.jpg');
    await download('first.webp').waitFor();
    await go('Keys');
    const answered = page.waitForResponse('**/v1/me/optimize*');
    isAway.resolve();
    await answered;
    await go('Try it');
    for (const name of ['first.webp', 'second.webp', 'third.webp']) await download(name).waitFor();
    expect(await page.getByLabel('Format').inputValue()).toBe('webp');
    expect(await page.getByRole('button', { name: /run again/i }).count()).toBe(0);
    expect(calls).toBe(3);
    visit.expectNoComplaint();
  });

  it('gives all addresses of pictures back when they are removed', { tags: 'slow' }, async () => {
    await page.evaluate(`
      globalThis.held = new Set();
      const { createObjectURL, revokeObjectURL } = URL;
      URL.createObjectURL = (blob) => {
        const url = createObjectURL(blob);
        held.add(url);
        return url;
      };
      URL.revokeObjectURL = (url) => {
        held.delete(url);
        revokeObjectURL(url);
      };
    `);
    await choose('one.jpg', 'two.jpg');
    for (const name of ['one.jpg', 'two.jpg']) await download(name).waitFor();
    await expect.poll(() => page.evaluate('held.size')).toBe(2);
    await page.getByRole('button', { name: 'Compare two.jpg' }).click();
    await page.getByRole('img', { name: 'two.jpg, after' }).waitFor();
    expect(await page.evaluate('held.size')).toBe(4);
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.evaluate('held.size')).toBe(2);
    await page.getByRole('button', { name: 'Remove one.jpg' }).click();
    await expect.poll(() => page.evaluate('held.size')).toBe(1);
    await page.getByRole('button', { name: 'Remove two.jpg' }).click();
    await expect.poll(() => page.evaluate('held.size')).toBe(0);
    visit.expectNoComplaint();
  });

  it('tells of a file that has changed since it was chosen, and sends the others', {
    tags: 'slow',
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chosen-'));
    const paths = ['changed.jpg', 'same.jpg', 'gone.jpg'].map((name) => join(folder, name));
    const [changed = '', , gone = ''] = paths;
    for (const path of paths) {
      await writeFile(path, photo);
      // Chromium compares whole seconds.
      await utimes(path, 1e9, 1e9);
    }
    // Held by invalid options, so that there is time to change them.
    await openOptions();
    await page.getByLabel('Max. width').fill('0');
    await page.getByLabel('Choose images').setInputFiles(paths);
    await page.getByText(notSent).first().waitFor();
    await writeFile(changed, Buffer.concat([photo, photo]));
    await rm(gone);
    await page.getByLabel('Max. width').fill('');
    await page.getByRole('button', { name: 'Send 3 images now' }).click();
    await download('same.jpg').waitFor();
    const told = page.getByText(
      'This file was changed or removed after you chose it. Choose it again.',
      { exact: true },
    );
    await expect.poll(() => told.count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await rm(folder, { recursive: true });
  });

  it('sends what waited for right options when told to, not at the first right letter', {
    tags: 'slow',
  }, async () => {
    const asked: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/v1/me/optimize') asked.push(url.search);
    });
    await openOptions();
    const width = page.getByLabel('Max. width');
    await width.fill('0');
    await choose('held.jpg');
    await page.getByText(notSent).waitFor();
    await width.fill('');
    await width.pressSequentially('80');
    await page.getByRole('button', { name: 'Send 1 image now' }).click();
    await download('held.jpg').waitFor();
    expect(asked).toEqual(['?width=80']);
    expect(await page.getByText(notSent).count()).toBe(0);
    visit.expectNoComplaint();
  });

  it('forgets what was left once files have been bought', { tags: 'slow' }, async () => {
    const problem = (status: number, code: string, detail: string) => ({
      status,
      headers: { 'Content-Type': 'application/problem+json' },
      body: JSON.stringify({ type: code, title: code, status, detail, code, request_id: 'r' }),
    });
    let left = 0;
    await page.route('**/v1/me', async (route) => {
      const response = await route.fetch();
      const me = await response.json();
      const free_quota = { ...me.free_quota, remaining: 0 };
      await route.fulfill({ response, json: { ...me, free_quota, paid_quota_remaining: left } });
    });
    await page.route('**/v1/me/optimize*', (route) =>
      route.fulfill(
        left === 0
          ? problem(402, 'quota_exceeded', 'All files are used up.')
          : problem(
              422,
              'invalid_image',
              'Animations cannot become jpeg: choose a format that moves, or ask for animation=first.',
            ),
      ),
    );
    await page.reload();
    await page.getByText('0 files left').waitFor();
    await choose('one.jpg');
    await page.getByText('All files are used up.').waitFor();
    left = 1000;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('1,000 files left').waitFor();

    // A picture that cannot succeed must not be retried.
    const words = 'choose “First frame” under “Animations”.';
    await page.getByRole('listitem').filter({ hasText: words }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('does not send what the service does not read', async () => {
    const files = ['scan.tiff', 'drawing.svg'].map((name) => ({
      name,
      mimeType: name.endsWith('tiff') ? 'image/tiff' : 'image/svg+xml',
      buffer: photo,
    }));
    await page.getByLabel('Choose images').setInputFiles(files);
    for (const kind of ['TIFF', 'SVG']) {
      await page.getByText(`${kind} images aren’t supported.`).waitFor();
    }
    expect(await page.getByText('2 can’t be sent.', { exact: true }).count()).toBeGreaterThan(0);
    visit.expectNoComplaint();
  });

  it('announces thirty pictures twice, not thirty times', { tags: 'slow' }, async () => {
    await page.evaluate(`
      globalThis.heard = [];
      new MutationObserver(() => {
        for (const region of document.querySelectorAll('[role="status"], [role="alert"], [aria-live]')) {
          const text = region.textContent.trim();
          if (text && !heard.includes(text)) heard.push(text);
        }
      }).observe(document.body, { childList: true, characterData: true, subtree: true });
    `);
    const names = Array.from({ length: 30 }, (_, i) => `${i + 1}.jpg`);
    await choose(...names);
    await page.getByText('30 of 30 done.').first().waitFor();
    const heard = await page.evaluate<string[]>('heard');
    expect(heard).toHaveLength(2);
    expect(heard[0]).toBe('30 images added. A summary follows when all are done.');
    expect(heard[1]).toMatch(/^30 of 30 done\. In total, /);
  });
});
