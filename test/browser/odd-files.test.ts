import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/local/browsers.ts';
import { isAcceptedProfile } from '../../src/image/color/accepted-profile.ts';
import type { OutputType } from '../../src/image/formats/facts.ts';
import { orientationBlock } from '../../src/image/metadata/exif-block.ts';
import { PictureBrowser, type ShownPicture } from '../support/browser-pictures.ts';
import { itForEach } from '../support/each.ts';
import { optimize } from '../support/engine.ts';
import { madeGif } from '../support/gif-maker/gif-maker.ts';
import { gammaCurve, matrixProfile, withJpegProfile } from '../support/icc.ts';
import { acceptedProfiles, unacceptedProfiles } from '../support/odd-profiles.ts';
import { chunk, encoderAvif, withPngChunk } from '../support/pictures.ts';
import { rewrapped } from '../unit/image/formats/pictures.ts';

/** The mean of each channel, in 8-bit codes. */
function means({ rgba }: ShownPicture): number[] {
  const sums = [0, 0, 0, 0];
  for (const [i, sample] of rgba.entries()) sums[i % 4] = (sums[i % 4] ?? 0) + sample;
  return sums.map((sum) => (4 * sum) / rgba.length);
}

/** The largest difference between the means of a channel. */
function colorDifference(a: ShownPicture, b: ShownPicture): number {
  const others = means(b);
  return Math.max(...means(a).map((mean, i) => Math.abs(mean - (others[i] ?? 0))));
}

/** A flat green, which a profile of Display P3 would shift by 29 codes. */
const green = sharp({
  create: { width: 32, height: 24, channels: 3, background: { r: 90, g: 160, b: 60 } },
});

describe.skipIf(findChromium() === null)('Chromium', () => {
  let browser: PictureBrowser;
  beforeAll(async () => {
    browser = await PictureBrowser.open();
  });
  afterAll(() => browser?.close());

  /** What it shows. @throws if it shows nothing */
  async function shown(file: Uint8Array, type: string): Promise<ShownPicture> {
    const picture = await browser.show(file, type);
    if (!picture) throw new Error(`This ${type} is not shown.`);
    return picture;
  }

  describe('shows results as it shows sources with a profile', () => {
    const kinds = [
      ...Object.entries(unacceptedProfiles).map(
        (kind) => [...kind, ['avif', 'webp', 'jxl']] as const,
      ),
      // Its JPEG XL decoder does not apply curves and tables of all kinds.
      ...Object.entries(acceptedProfiles).map((kind) => [...kind, ['avif', 'webp']] as const),
    ];
    itForEach(kinds, 'with %s', async (_, icc, formats) => {
      const jpeg = withJpegProfile(await green.clone().jpeg({ quality: 95 }).toBuffer(), icc);
      const before = await shown(jpeg, 'jpeg');
      for (const format of formats) {
        const { bytes } = optimize(Uint8Array.from(jpeg), { format });
        const after = await browser.show(bytes, format);
        // Other versions have no JPEG XL.
        if (format === 'jxl' && !after) continue;
        if (!after) throw new Error(`The ${format} is not shown.`);
        expect(colorDifference(before, after), format).toBeLessThan(6);
      }
    });
  });

  it('refuses exactly the AVIFs whose profile we do not accept', { tags: 'slow' }, async () => {
    const file = encoderAvif.lossless;
    for (const [name, icc] of Object.entries({ ...unacceptedProfiles, ...acceptedProfiles })) {
      // The writer leaves out what is not accepted, so a profile of the same length holds its place.
      const place = new Uint8Array(icc.length);
      place.set(matrixProfile({ name: '', primaries: 'srgb', curve: gammaCurve(2) }));
      const avif = Buffer.from(rewrapped(file, { icc: place }));
      avif.set(icc, avif.indexOf('prof') + 4);
      expect((await browser.show(avif, 'avif')) !== null, name).toBe(isAcceptedProfile(icc));
    }
  });

  itForEach([1, 4, 6, 8, 11, 13, 14, 15], 'shows cICP transfer %d alike', async (transfer) => {
    const png = withPngChunk(
      await green.clone().png().toBuffer(),
      'cICP',
      Uint8Array.of(1, transfer, 0, 1),
    );
    const before = await shown(png, 'png');
    for (const format of ['webp', 'avif', 'jpeg', 'png'] as const) {
      const { bytes } = optimize(Uint8Array.from(png), { format, quality: 95 });
      expect(colorDifference(before, await shown(bytes, format)), format).toBeLessThan(4);
    }
  });

  /** Fails unless results in these formats have the size and colors of the source. */
  async function expectAlike(
    file: Uint8Array,
    type: string,
    formats: readonly OutputType[],
  ): Promise<ShownPicture> {
    const before = await shown(file, type);
    for (const format of formats) {
      const { bytes } = optimize(Uint8Array.from(file), { format, quality: 95 });
      const after = await shown(bytes, format);
      expect([after.width, after.height], format).toEqual([before.width, before.height]);
      expect(colorDifference(before, after), format).toBeLessThan(4);
    }
    return before;
  }

  it('rotates a PNG by eXIf before its image data, and by no other', async () => {
    const plain = await green.clone().png().toBuffer();
    const exif = Buffer.from(orientationBlock(6));
    const late = Buffer.concat([plain.subarray(0, -12), chunk('eXIf', exif), plain.subarray(-12)]);
    const prefixed = withPngChunk(plain, 'eXIf', Buffer.concat([Buffer.from('Exif\0\0'), exif]));
    const formats = ['png', 'webp', 'avif', 'jpeg'] as const;
    expect((await expectAlike(withPngChunk(plain, 'eXIf', exif), 'png', formats)).width).toBe(24);
    expect((await expectAlike(late, 'png', formats)).width).toBe(32);
    expect((await expectAlike(prefixed, 'png', formats)).width).toBe(32);
  });

  it('shows alpha of a lossy WebP only if its header announces it', async () => {
    const file = await green
      .clone()
      .ensureAlpha(128 / 255)
      .webp()
      .toBuffer();
    const formats = ['webp', 'png', 'avif'] as const;
    expect((await expectAlike(file, 'webp', formats)).rgba[3]).toBe(128);
    file[20] = 0;
    expect((await expectAlike(file, 'webp', formats)).rgba[3]).toBe(255);
  });

  it.each([undefined, 1, 3])(
    'shows indices beyond the table of a GIF, %s transparent',
    async (at) => {
      const indices = [0, 1, 2, 3];
      const control = at === undefined ? {} : { control: { transparent: at } };
      const frame = { width: 4, height: 1, indices, minCodeSize: 2, ...control };
      const globalTable = [250, 20, 30, 20, 250, 30];
      const file = madeGif({ width: 4, height: 1, globalTable, frames: [frame] });
      const before = await shown(file, 'gif');
      for (const format of ['png', 'webp', 'avif', 'keep'] as const) {
        const { bytes } = optimize(Uint8Array.from(file), { format, quality: 'lossless' });
        const after = await shown(bytes, format === 'keep' ? 'gif' : format);
        expect([...after.rgba], format).toEqual([...before.rgba]);
      }
    },
  );
});
