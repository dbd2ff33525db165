import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeGif } from '../support/animations/gif-maker.ts';
import { movingBall } from '../support/animations/moving-ball.ts';
import { makeWebp, webpStill } from '../support/animations/webp-maker.ts';
import { describeInBrowser, type Visit } from '../support/browser.ts';
import { plainPicture } from '../support/pictures.ts';

/** Different enough that lossy coding does not confuse them. */
const colors = [
  [220, 30, 30],
  [30, 200, 30],
  [30, 30, 220],
  [220, 220, 30],
] as const;

const size = { width: 300, height: 200 };
const region = { left: 0, top: 0, ...size };
const milliseconds = 300;

/** Full-canvas frames in one color after another, repeated endlessly. */
function plainGif(): Buffer {
  return makeGif({
    ...{ ...size, palette: colors, loop: 0 },
    frames: colors.map((_, i) => ({
      region,
      indices: new Uint8Array(size.width * size.height).fill(i),
      control: { delay: milliseconds / 10 },
      lzw: { blockBytes: 7 },
    })),
  });
}

async function plainWebp(): Promise<Buffer> {
  const frames = colors.map(async (color) => {
    const pixels = Buffer.alloc(4 * size.width * size.height, Buffer.of(...color, 255));
    const { chunks } = await webpStill(region, pixels);
    return { region, chunks, duration: milliseconds };
  });
  return makeWebp({ ...size, loop: 0, frames: await Promise.all(frames), unknown: true });
}

describeInBrowser('animations in the workbench', (stage) => {
  let visit: Visit;
  let page: Page;
  let people = 0;
  beforeEach(async () => {
    visit = await stage.visit({ colorScheme: 'light', width: 1440 });
    page = visit.page;
    people += 1;
    await visit.signIn(stage.service, `moves-${people}@example.com`);
    await page.goto('/cabinet/try');
    await page.getByRole('heading', { level: 1, name: 'Try it' }).waitFor();
  });
  afterEach(() => visit.end());

  const choose = (name: string, mimeType: string, buffer: Uint8Array) =>
    page
      .getByLabel('Choose images')
      .setInputFiles([{ name, mimeType, buffer: Buffer.from(buffer) }]);
  const download = (name: string) => page.getByRole('link', { name: `Download ${name}` });

  /** The indices of the colors visible left and right of the divider, sampled several times. */
  async function seenColors(pane: ReturnType<Page['locator']>): Promise<(readonly number[])[]> {
    const seen: (readonly number[])[] = [];
    for (let shot = 0; shot < 8; shot += 1) {
      const { data, info } = await sharp(await pane.screenshot())
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      const middle = Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2);
      seen.push([-60, 60].map((x) => nearest([...data.subarray(3 * (middle + x)).subarray(0, 3)])));
      await page.waitForTimeout(130);
    }
    return seen;
  }

  function nearest(color: readonly number[]): number {
    const distances = colors.map((one) =>
      one.reduce((sum, level, i) => sum + Math.abs(level - (color[i] ?? 0)), 0),
    );
    const least = Math.min(...distances);
    return least < 60 ? distances.indexOf(least) : -1;
  }

  it.each([
    ['moving.gif', 'image/gif', async () => plainGif()],
    ['moving.webp', 'image/webp', plainWebp],
  ] as const)(
    'play on both sides of the divider at the same time: %s',
    { tags: 'slow' },
    async (name, type, make) => {
      await choose(name, type, await make());
      await page.getByText('animation, 4 frames.').waitFor();
      await page.getByRole('button', { name: `Compare ${name}` }).click();
      const viewer = page.getByRole('dialog');
      await viewer.getByRole('img', { name: `${name}, after` }).waitFor();
      await viewer.getByText('animation, 4 frames').waitFor();
      const pane = viewer.locator('.viewer-stage');
      const both = await seenColors(pane);
      for (const [left, right] of both) expect(left, JSON.stringify(both)).toBe(right);
      expect(new Set(both.flat()).size, JSON.stringify(both)).toBeGreaterThan(1);
      expect(both.flat()).not.toContain(-1);

      // A result that is created later also starts in sync with the original.
      const other = type === 'image/gif' ? 'WebP' : 'GIF';
      await viewer.getByRole('button', { name: new RegExp(`^${other}`) }).click();
      await viewer.getByRole('button', { name: new RegExp(`^Download ${other}`) }).waitFor();
      await viewer.getByText(new RegExp(`^${other}, 300 × 200`)).waitFor();
      await viewer.getByRole('img', { name: `${name}, after` }).waitFor();
      const again = await seenColors(pane);
      for (const [left, right] of again) expect(left, JSON.stringify(again)).toBe(right);
      expect(new Set(again.flat()).size).toBeGreaterThan(1);
      visit.expectNoComplaint();
    },
  );

  it('can become what moves, and stills what does not', { tags: 'slow' }, async () => {
    await choose('ball.gif', 'image/gif', (await movingBall('gif')).file);
    await download('ball.gif').waitFor();
    await page.getByRole('button', { name: 'Compare ball.gif' }).click();
    const viewer = page.getByRole('dialog');
    const chips = viewer
      .getByRole('group', { name: 'Format' })
      .getByRole('button', { disabled: false })
      .filter({ hasNotText: 'Cancel' });
    await expect.poll(() => chips.count()).toBe(3);
    expect((await chips.allTextContents()).map((text) => text.split(' ')[0])).toEqual([
      ...['GIF', 'PNG', 'WebP'],
    ]);
    await page.getByRole('button', { name: 'Close' }).click();
    await choose('photo.jpg', 'image/jpeg', await plainPicture(200, 150).jpeg().toBuffer());
    await download('photo.jpg').waitFor();
    await page.getByRole('button', { name: 'Compare photo.jpg' }).click();
    await expect.poll(() => chips.count()).toBe(5);
    expect(
      (await chips.allTextContents()).map((text) => text.replace(/\s*(\d.*|Try.*)?$/, '')),
    ).toEqual([...['JPEG', 'PNG', 'WebP', 'AVIF', 'JPEG XL']]);
    visit.expectNoComplaint();
  });

  it('become their first frame where the form says so, and are told of in its words', {
    tags: 'slow',
  }, async () => {
    const { file } = await movingBall('gif');
    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('Format').selectOption({ label: 'AVIF' });
    await choose('ball.gif', 'image/gif', file);
    await page
      .getByRole('listitem')
      .filter({
        hasText:
          'Animations cannot become AVIF: choose a format that moves, or choose “First frame” under “Animations”.',
      })
      .waitFor();
    await page.getByLabel('Animations').selectOption({ label: 'First frame' });
    await page.getByRole('button', { name: 'Run again with these options' }).click();
    await download('ball.avif').waitFor();
    await page.getByText('first of 12 frames.').waitFor();
    await visit.expectGoodForEveryone();
    visit.expectNoComplaint();
  });
});

describeInBrowser('an animation on the front page', (stage) => {
  it('can be tried, and plays before it is done and after', { tags: 'slow' }, async () => {
    const visit = await stage.visit({ colorScheme: 'light', width: 1440 });
    const { page } = visit;
    await page.goto('/');
    const chooser = page.getByLabel('Choose images');
    expect(await chooser.getAttribute('accept')).toContain('image/gif');
    const { file } = await movingBall('gif', { width: 320, height: 240 });
    await chooser.setInputFiles([
      { name: 'ball.gif', mimeType: 'image/gif', buffer: Buffer.from(file) },
    ]);
    await page.getByRole('img', { name: 'ball.gif, after' }).waitFor();
    expect(await page.getByText('animation, 12 frames').count()).toBe(2);
    expect(
      await page
        .locator('.payoff')
        .getByText(/% smaller$/)
        .count(),
    ).toBe(1);
    visit.expectNoComplaint();
    await visit.end();
  });
});
