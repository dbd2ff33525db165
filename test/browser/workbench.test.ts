import { readFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { plainPicture, pngOf } from '../support/pictures.ts';
import { compared } from '../support/viewer.ts';
import { storedEntries } from '../support/zip.ts';

describeInBrowser('the workbench', (stage) => {
  let visit: Visit;
  let page: Page;
  let photo: Buffer;
  let people = 0;
  beforeAll(async () => {
    photo = await plainPicture(400, 300).jpeg({ quality: 97 }).toBuffer();
  });
  beforeEach(async () => {
    visit = await stage.visit({ colorScheme: 'light', width: 1440 });
    page = visit.page;
    people += 1;
    await visit.signIn(stage.service, `works-${people}@example.com`);
    await page.goto('/cabinet/try');
    await page.getByRole('heading', { level: 1, name: 'Try it' }).waitFor();
  });
  afterEach(() => visit.end());

  const choose = (...names: string[]) =>
    page
      .getByLabel('Choose images')
      .setInputFiles(names.map((name) => ({ name, mimeType: 'image/jpeg', buffer: photo })));
  const download = (name: string) => page.getByRole('link', { name: `Download ${name}` });
  const viewer = () => page.getByRole('dialog');

  /** Checks accessibility and that nothing scrolls sideways. */
  const inspect = () => visit.expectGoodForEveryone();

  it.each([390, 320, 360, 1440, 1920])(
    'is for everyone in each of its states, at %i pixels',
    { tags: 'slow' },
    async (width) => {
      await page.setViewportSize({ width, height: 844 });
      await inspect();
      await page.locator('summary', { hasText: 'Options' }).click();
      await page.getByLabel('Max. width').fill('0');
      await choose('held.jpg');
      await inspect();
      await page.getByLabel('Max. width').fill('');
      await page.getByRole('button', { name: 'Start 1 image now' }).click();
      await download('held.jpg').waitFor();
      await page.getByLabel('Choose images').setInputFiles([
        { name: 'text.txt', mimeType: 'text/plain', buffer: Buffer.from('no image') },
        { name: 'broken.jpg', mimeType: 'image/jpeg', buffer: photo.subarray(0, 2000) },
      ]);
      await page.getByText('couldn’t be optimized.').first().waitFor();
      await inspect();
      await page.getByRole('button', { name: 'Compare held.jpg' }).click();
      await viewer().getByRole('img', { name: 'held.jpg, after' }).waitFor();
      await inspect();
      await viewer().getByRole('button', { name: '200%' }).click();
      await inspect();
    },
  );

  it('crops to what is of interest, and puts a picture between margins', {
    tags: 'slow',
  }, async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('summary', { hasText: 'Options' }).click();
    expect(await page.getByLabel('Fit').count()).toBe(0);
    await page.getByLabel('Max. width').fill('120');
    await page.getByLabel('Max. height').fill('160');
    const position = page.getByLabel('Position');
    expect(await position.count()).toBe(0);
    await page.getByLabel('Fit').selectOption('Crop to fill');
    await position.selectOption('Automatic');
    await inspect();
    const sizeOf = async (name: string) => {
      await choose(name);
      const downloaded = page.waitForEvent('download');
      await download(name).click();
      const { width, height } = await sharp(await (await downloaded).path()).metadata();
      return [width, height];
    };
    expect(await sizeOf('crop.jpg')).toEqual([120, 160]);
    await page.getByLabel('Fit').selectOption('Add margins');
    // Nothing is cut off, so there is nothing to look for.
    expect(await position.inputValue()).toBe('center');
    expect(await position.locator('option[value=auto]').count()).toBe(0);
    await position.selectOption('Bottom left');
    expect(await sizeOf('margins.jpg')).toEqual([120, 160]);
    await page.getByLabel('Fit').selectOption('Fit inside');
    expect(await position.count()).toBe(0);
    visit.expectNoComplaint();
  });

  it('hands thirty images over in one ZIP, on a page that stays short and still', {
    tags: 'slow',
  }, async () => {
    await visit.expectStill();
    const names = [...Array.from({ length: 29 }, (_, i) => `${i + 1}.jpg`), '1.jpg'];
    // While there are more to come, nobody takes a part for all of them.
    const part = page.getByRole('button', { name: /^Download \d+ so far/ }).waitFor();
    await choose(...names);
    await page.getByText(' of 30 done.').first().waitFor();
    const chosenAt = await visit.afterFrame();
    await part;
    await page.getByText('30 of 30 done.').first().waitFor();
    await visit.expectStill(chosenAt);
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    expect(height).toBeLessThan(3200);
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download all' }).click();
    const zip = await readFile(await (await downloaded).path());
    const entries = storedEntries(zip);
    expect([...entries.keys()]).toEqual([...names.slice(0, 29), '1 (2).jpg']);
    for (const content of entries.values()) {
      expect((await sharp(content).metadata()).width).toBe(400);
    }
    visit.expectNoComplaint();
  });

  it('keeps the folders of what is dropped', { tags: 'slow' }, async () => {
    // The page listens for drops only then.
    await visit.afterFrame();
    await page.evaluate(
      `(async (bytes) => {
        const file = new File([new Uint8Array(bytes)], 'a.jpg', { type: 'image/jpeg' });
        const entry = (fullPath) => ({
          name: 'a.jpg', fullPath, isDirectory: false, file: (take) => take(file),
        });
        let rest = [entry('/trip/a.jpg'), entry('/trip/day 2/a.jpg')];
        const folder = {
          name: 'trip', fullPath: '/trip', isDirectory: true,
          createReader: () => ({ readEntries: (take) => { take(rest); rest = []; } }),
        };
        const transfer = { types: ['Files'], items: [
          { kind: 'file', webkitGetAsEntry: () => folder, getAsFile: () => null },
        ] };
        const drop = new Event('drop', { bubbles: true, cancelable: true });
        Object.defineProperty(drop, 'dataTransfer', { value: transfer });
        document.dispatchEvent(drop);
      })([${[...photo].join()}])`,
    );
    await page.getByText('2 of 2 done.').first().waitFor();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download all' }).click();
    const entries = storedEntries(await readFile(await (await downloaded).path()));
    expect([...entries.keys()]).toEqual(['trip/a.jpg', 'trip/day 2/a.jpg']);
  });

  it('makes other formats of an image when they are asked for, and returns the focus', {
    tags: 'slow',
  }, async () => {
    await choose('photo.jpg');
    await compared(page, 'photo.jpg');
    const chips = viewer().getByRole('group', { name: 'Format' });
    for (const format of ['WebP', 'AVIF']) {
      const chip = chips.getByRole('button', { name: format });
      await chip.click();
      await expect.poll(() => chip.textContent()).toMatch(/, score \d/);
      expect(await chip.getAttribute('aria-pressed')).toBe('true');
      expect(await chip.evaluate((element) => element.matches(':focus'))).toBe(true);
    }
    await chips.getByRole('button', { name: 'WebP' }).click();
    await viewer().getByRole('button', { name: 'Download WebP' }).waitFor();
    await page.keyboard.press('Escape');
    await download('photo.webp').waitFor();
    const opener = page.getByRole('button', { name: 'Compare photo.jpg' });
    expect(await opener.evaluate((element) => element.matches(':focus'))).toBe(true);
    expect(await page.getByRole('button', { name: 'Run again with these options' }).count()).toBe(
      0,
    );
  });

  it('cancels what takes long, at once, and keeps what was there', { tags: 'slow' }, async () => {
    const large = await plainPicture(3000, 2000).jpeg({ quality: 90 }).toBuffer();
    await page
      .getByLabel('Choose images')
      .setInputFiles([{ name: 'large.jpg', mimeType: 'image/jpeg', buffer: large }]);
    await download('large.jpg').waitFor();
    const chips = page.getByRole('group', { name: 'Format' });
    await chips.getByRole('button', { name: 'AVIF' }).click();
    await expect.poll(() => chips.getByRole('button', { name: 'AVIF' }).textContent()).toMatch(/%/);
    await chips.getByRole('button', { name: 'Cancel' }).click();
    await download('large.jpg').waitFor();
    expect(await chips.getByRole('button', { name: 'JPEG 9' }).count()).toBe(0);
    expect(await chips.getByRole('button', { name: /^JPEG \d/ }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    await choose('next.jpg');
    await download('next.jpg').waitFor();
    visit.expectNoComplaint();
  });

  it('asks before work that takes long, and begins it when told to', { tags: 'slow' }, async () => {
    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('Format').selectOption('avif');
    // A size is enough for a prediction.
    const buffer = Buffer.from(pngOf(9000, 6000, deflateSync(Buffer.alloc(1000))));
    await page
      .getByLabel('Choose images')
      .setInputFiles([{ name: 'large.png', mimeType: 'image/png', buffer }]);
    const row = page.locator('.image-row');
    await row.getByText(/^This will take about (?:half )?a minute on this device\./).waitFor();
    await inspect();
    await row.getByRole('button', { name: 'Cancel' }).click();
    await row.getByText('Cancelled.').waitFor();
    await inspect();
    await row.getByRole('button', { name: 'Start again' }).click();
    await page.getByText('couldn’t be optimized.').first().waitFor();
    visit.expectNoComplaint();
  });

  it('tells files of one name apart', { tags: 'slow' }, async () => {
    await choose('a.jpg', 'a.jpg');
    await page.getByText('2 of 2 done.').first().waitFor();
    for (const name of ['Remove a.jpg', 'Remove a (2).jpg']) {
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(1);
    }
  });

  it('explains files that are no images, without a bar for nothing', async () => {
    await page.getByLabel('Choose images').setInputFiles([
      { name: 'letter.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') },
      { name: 'empty.jpg', mimeType: 'image/jpeg', buffer: Buffer.alloc(0) },
    ]);
    await page.getByText('This isn’t an image.').first().waitFor();
    await page.getByText('This file is empty.').first().waitFor();
    expect(await page.locator('.workbench-foot').count()).toBe(0);
    await inspect();
  });

  it('asks before it is left with results that nobody has', { tags: 'slow' }, async () => {
    await choose('photo.jpg');
    await download('photo.jpg').waitFor();
    const asked = Promise.withResolvers<string>();
    page.on('dialog', async (dialog) => {
      asked.resolve(dialog.type());
      await dialog.dismiss();
    });
    const isAsked = () =>
      page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
    expect(await isAsked()).toBe(true);
    const saved = page.waitForEvent('download');
    await download('photo.jpg').click();
    await saved;
    await expect.poll(isAsked).toBe(false);
  });

  it('tells how close a result looks, and what that means', { tags: 'slow' }, async () => {
    await choose('photo.jpg');
    const score = page.getByRole('button', { name: /^Score \d/ });
    await score.focus();
    await page.keyboard.press('Enter');
    expect(await score.getAttribute('aria-expanded')).toBe('true');
    await page.getByText('90: nobody sees a difference').waitFor();
    for (const width of [360, 800, 1440, 1920]) {
      await page.setViewportSize({ width, height: 844 });
      await inspect();
    }
    await page.keyboard.press('Enter');
    await page.getByText('90: nobody sees a difference').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Compare photo.jpg' }).click();
    await viewer()
      .locator('.viewer-head')
      .getByText(/, score \d/)
      .waitFor();
  });

  it('asks for a look, by keys as by name, or for a size', { tags: 'slow' }, async () => {
    await page.locator('summary', { hasText: 'Options' }).click();
    const quality = page.getByLabel('Quality');
    await quality.selectOption('Target score');
    const slider = page.getByRole('slider', { name: 'Score' });
    expect(await slider.getAttribute('aria-valuetext')).toBe('77, medium');
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('Original format, score 78').waitFor();
    await page.getByRole('button', { name: 'high' }).click();
    await page.getByText('Original format, score 86').waitFor();
    for (const width of [360, 800, 1440, 1920]) {
      await page.setViewportSize({ width, height: 844 });
      await inspect();
    }
    await choose('photo.jpg');
    await download('photo.jpg').waitFor();
    await page.getByText('Get this as code').click();
    const code = page.getByRole('tabpanel', { name: 'curl' });
    expect(await code.textContent()).toContain('/v1/optimize?target=high');
    await quality.selectOption('Fit into a size');
    await page.getByLabel('At most, in KB').fill('0');
    await page.getByText('Enter a whole number from 1 to 33,554.').waitFor();
    await inspect();
    await page.getByLabel('At most, in KB').fill('50');
    await page.getByText('Get this as code').click();
    await expect.poll(() => code.textContent()).toContain('/v1/optimize?max_bytes=50000');
  });

  it('offers a size that fits where one does not, and the format that is smaller', {
    tags: 'slow',
  }, async () => {
    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('Format').selectOption('webp');
    await page.getByLabel('Quality').selectOption('Fit into a size');
    await page.getByLabel('At most, in KB').fill('1');
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
    const buffer = await sharp({
      create: { width: 400, height: 300, channels: 3, background: '#000', noise },
    })
      .jpeg({ quality: 95 })
      .toBuffer();
    await page
      .getByLabel('Choose images')
      .setInputFiles([{ name: 'noise.jpg', mimeType: 'image/jpeg', buffer }]);
    await page
      .getByText(/takes at least [\d.]+ KB and doesn’t fit/)
      .first()
      .waitFor();
    await inspect();
    await page.getByRole('button', { name: /^Allow \d+ KB$/ }).click();
    await download('noise.webp').waitFor();
    await page.getByLabel('Quality').selectOption('Automatic');
    await page.getByRole('button', { name: 'Run again with these options' }).click();
    await page.getByText('A JPEG of the same score would be smaller.').waitFor();
    await inspect();
    await page.getByRole('button', { name: 'Make it a JPEG' }).click();
    await download('noise.jpg').waitFor();
  });

  it('speaks of choosing alone to fingers, with targets of their size', {
    tags: 'slow',
  }, async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const { height: before = 0 } = (await page.locator('.drop-zone').boundingBox()) ?? {};
    const session = await visit.context.newCDPSession(page);
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await expect.poll(() => page.getByText('Drop images here').isVisible()).toBe(false);
    expect(await page.getByText('paste one').isVisible()).toBe(false);
    const zone = await page.locator('.drop-zone').boundingBox();
    const chooser = await page.locator('.chooser label').boundingBox();
    const options = await page.locator('.options-line summary').boundingBox();
    expect(zone?.height).toBeLessThan(before / 2);
    expect(chooser?.height).toBeGreaterThanOrEqual(48);
    expect(options?.height).toBeGreaterThanOrEqual(44);
    expect(options?.width).toBe(zone?.width);
    await inspect();
    await choose('photo.jpg');
    await download('photo.jpg').waitFor();
    expect(await page.getByText('Drop or paste').isVisible()).toBe(false);
    await inspect();
  });

  it('tells how to get the image that is shown by a call, also in a format chosen for it alone', {
    tags: 'slow',
  }, async () => {
    await choose('photo.jpg');
    await download('photo.jpg').waitFor();
    await page.getByText('Get this as code').click();
    const code = page.getByRole('tabpanel', { name: 'curl' });
    expect(await code.textContent()).toContain('/v1/optimize"');
    await page.getByRole('button', { name: /^AVIF/ }).click();
    await download('photo.avif').waitFor();
    expect(await code.textContent()).toContain('/v1/optimize?format=avif"');
    await page.getByText('The API gives the same bytes, unless').waitFor();
    await choose('other.jpg');
    await download('other.jpg').waitFor();
    expect(await code.textContent()).toContain('/v1/optimize?format=avif"');
    await page
      .getByText(
        'The API gives the same bytes for photo.jpg, unless the key has options of its own. 1 image made with other options.',
      )
      .waitFor();
    // Options that nothing has been made with promise nothing.
    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('Format').selectOption('webp');
    await expect.poll(() => code.textContent()).toContain('/v1/optimize?format=webp"');
    expect(await page.getByText('The API gives').count()).toBe(0);
    visit.expectNoComplaint();
  });

  it('tells how to do the same by a call', { tags: 'slow' }, async () => {
    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('Format').selectOption('webp');
    await choose('photo.jpg');
    await page.getByText('Get this as code').click();
    const code = page.getByRole('tabpanel', { name: 'curl' });
    expect(await code.textContent()).toContain('/v1/optimize?format=webp');
    await page.getByText('The API gives the same bytes').waitFor();
  });
});
