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

  const notStarted = 'Not started: the options were invalid.';
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

  it('keeps what was made, and goes on, while another section is shown', {
    tags: 'slow',
  }, async () => {
    await openOptions();
    await page.getByLabel('Format').selectOption('avif');
    await choose('first.jpg', 'second.jpg', 'third.jpg', 'fourth.jpg', 'fifth.jpg', 'sixth.jpg');
    await download('first.avif').waitFor();
    await go('Keys');
    await go('Try it');
    for (const name of ['first.avif', 'sixth.avif']) await download(name).waitFor();
    expect(await page.getByLabel('Format').inputValue()).toBe('avif');
    expect(await page.getByRole('button', { name: /run again/i }).count()).toBe(0);
    visit.expectNoComplaint();
  });

  it('asks before the page is left from another section with results that nobody has', {
    tags: 'slow',
  }, async () => {
    await choose('photo.jpg');
    await download('photo.jpg').waitFor();
    await go('Keys');
    const asked = page.waitForEvent('dialog');
    const leave = page.getByRole('banner').getByRole('link', { name: 'Docs' }).click();
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await leave;
    await go('Try it');
    const saved = page.waitForEvent('download');
    await download('photo.jpg').click();
    await saved;
    await go('Keys');
    await page.getByRole('banner').getByRole('link', { name: 'Docs' }).click();
    await page.waitForURL('**/docs');
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
    // Those of the links, and of the two sides of the large image.
    await expect.poll(() => page.evaluate('held.size')).toBe(4);
    await page.getByRole('button', { name: 'Compare two.jpg' }).click();
    await page.getByRole('dialog').getByRole('img', { name: 'two.jpg, after' }).waitFor();
    await expect.poll(() => page.evaluate('held.size')).toBe(6);
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.evaluate('held.size')).toBe(4);
    await page.getByRole('button', { name: 'Remove one.jpg' }).click();
    await expect.poll(() => page.evaluate('held.size')).toBe(3);
    await page.getByRole('button', { name: 'Remove two.jpg' }).click();
    await expect.poll(() => page.evaluate('held.size')).toBe(0);
    visit.expectNoComplaint();
  });

  it('tells of a file that has changed since it was chosen, and does the others', {
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
    await page.getByText(notStarted).first().waitFor();
    await writeFile(changed, Buffer.concat([photo, photo]));
    await rm(gone);
    await page.getByLabel('Max. width').fill('');
    await page.getByRole('button', { name: 'Start 3 images now' }).click();
    await download('same.jpg').waitFor();
    const told = page.getByText(
      'This file was changed or removed after you chose it. Choose it again.',
      { exact: true },
    );
    await expect.poll(() => told.count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await rm(folder, { recursive: true });
  });

  it('begins what waited for right options when told to, not at the first right letter', {
    tags: 'slow',
  }, async () => {
    await openOptions();
    const width = page.getByLabel('Max. width');
    await width.fill('0');
    await choose('held.jpg');
    await page.getByText(notStarted).waitFor();
    await width.fill('');
    await width.pressSequentially('80');
    await page.getByRole('button', { name: 'Start 1 image now' }).click();
    await download('held.jpg').waitFor();
    await page.getByText('80 × 60').waitFor();
    expect(await page.getByText(notStarted).count()).toBe(0);
    visit.expectNoComplaint();
  });

  it('refuses what is not read', { tags: 'slow' }, async () => {
    const files = ['scan.tiff', 'drawing.svg'].map((name) => ({
      name,
      mimeType: name.endsWith('tiff') ? 'image/tiff' : 'image/svg+xml',
      buffer: photo,
    }));
    await page.getByLabel('Choose images').setInputFiles(files);
    for (const kind of ['TIFF', 'SVG']) {
      await page.getByText(`${kind} images aren’t supported.`).waitFor();
    }
    expect(
      await page.getByText('0 of 2 done. 2 couldn’t be optimized.', { exact: true }).count(),
    ).toBeGreaterThan(0);
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
