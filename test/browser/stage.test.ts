import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { comparisonLabel } from '../../src/cabinet/text/interface.ts';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { plainPicture } from '../support/pictures.ts';
import { compared } from '../support/viewer.ts';

describeInBrowser('an image before and after', (stage) => {
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
    await visit.signIn(stage.service, `looks-${people}@example.com`);
    await page.goto('/cabinet/try');
    await page
      .getByLabel('Choose images')
      .setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo });
  });
  afterEach(() => visit.end());

  const viewer = () => page.getByRole('dialog');

  /** The difference in levels between original and result, both shown at the same position. */
  async function difference(pane: Locator): Promise<number> {
    const divider = viewer().getByRole('slider');
    await divider.focus();
    await page.keyboard.press('End');
    const before = await pane.screenshot();
    await page.keyboard.press('Home');
    const after = await pane.screenshot();
    // Excludes the divider at either side, and the labels below.
    const pixels = async (shot: Buffer) => {
      const { width, height } = await sharp(shot).metadata();
      const inner = { left: 60, top: 0, width: width - 120, height: height - 60 };
      return sharp(shot).extract(inner).removeAlpha().raw().toBuffer();
    };
    const [one, other] = await Promise.all([pixels(before), pixels(after)]);
    return one.reduce((sum, level, i) => sum + Math.abs(level - (other[i] ?? 0)), 0) / one.length;
  }

  const scale = () => viewer().getByRole('status', { name: 'Scale' }).textContent();

  it('shows the same pixels on both sides at 200%, wherever they were moved to', {
    tags: 'slow',
  }, async () => {
    const pane = await compared(page, 'photo.jpg');
    await viewer().getByRole('button', { name: '200%' }).click();
    expect(await scale()).toBe('200%');
    const [still, box] = [await pane.screenshot(), await pane.boundingBox()];
    if (!box) throw new Error('nothing is shown');
    expect(await difference(pane)).toBeLessThan(3);

    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await compared(page, 'photo.jpg');
    await pane.focus();
    for (let step = 0; step < 12; step += 1) await page.keyboard.press('+');
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowRight');
    expect(await scale()).toBe('800%');
    expect((await pane.screenshot()).equals(still)).toBe(false);
    expect(await difference(pane)).toBeLessThan(3);

    await pane.focus();
    await page.keyboard.press('2');
    expect(await scale()).toBe('200%');
    await page.mouse.move(box.x + 200, box.y + 200);
    await page.mouse.wheel(0, -400);
    await expect.poll(scale).toBe('544%');
    await page.mouse.down();
    await page.mouse.move(box.x + 260, box.y + 150, { steps: 3 });
    await page.mouse.up();
    expect(await difference(pane)).toBeLessThan(3);
    visit.expectNoComplaint();
  });

  it('shows the original alone while the space bar is held', { tags: 'slow' }, async () => {
    const pane = await compared(page, 'photo.jpg');
    await pane.focus();
    const after = viewer().getByRole('img', { name: 'photo.jpg, after' });
    await page.keyboard.down(' ');
    await after.waitFor({ state: 'hidden' });
    await page.keyboard.up(' ');
    await after.waitFor();
  });

  it('keeps the focus on its divider meanwhile, and leaves keys of the browser to it', {
    tags: 'slow',
  }, async () => {
    await compared(page, 'photo.jpg');
    const divider = viewer().getByRole('slider', { name: comparisonLabel });
    await divider.focus();
    await page.keyboard.down(' ');
    const after = viewer().getByRole('img', { name: 'photo.jpg, after' });
    await after.waitFor({ state: 'hidden' });
    await page.keyboard.up(' ');
    await after.waitFor();
    await page.keyboard.press('ArrowUp');
    expect(await divider.getAttribute('aria-valuenow')).toBe('52');
    await page.keyboard.press('ArrowDown');
    expect(await divider.getAttribute('aria-valuenow')).toBe('50');
    const before = await scale();
    await page.keyboard.press('Control+2');
    expect(await scale()).toBe(before);
  });

  it('is moved and zoomed by touch', { tags: 'slow' }, async () => {
    const pane = await compared(page, 'photo.jpg');
    const before = await scale();
    await page.evaluate(`{
      const element = document.querySelector('dialog .viewer-stage');
      const box = element.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const send = (type, pointerId, by) =>
        element.dispatchEvent(
          new PointerEvent(type, {
            pointerId, pointerType: 'touch', clientX: x + by, clientY: y, bubbles: true,
          }),
        );
      element.setPointerCapture = () => {};
      send('pointerdown', 1, -50);
      send('pointerdown', 2, 50);
      send('pointermove', 1, -150);
      send('pointermove', 2, 150);
      send('pointerup', 1, -150);
      send('pointerup', 2, 150);
    }`);
    await expect.poll(scale).toBe('300%');
    expect(before).toBe('100%');
    expect(await difference(pane)).toBeLessThan(3);
  });
});
