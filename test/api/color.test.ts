import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectPicture, expectProblem } from '../support/answers.ts';
import { itForEach } from '../support/each.ts';
import {
  displayP3Profile,
  falseSrgbProfile,
  greyProfile,
  srgbProfile,
  withJpegProfile,
  withPngProfile,
} from '../support/icc.ts';
import { plainPicture, sample } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';
import { blockDifferences, percentile, shownColors } from '../support/shown-colors.ts';

const formats = ['jpeg', 'png', 'webp', 'avif'] as const;
const corpus = process.env.CORPUS ?? '';
const swappedChannels = join(corpus, 'jpeg-odd/rgb-to-gbr-test.jpg');

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

/** Checks that the result looks like the source after conversion to sRGB. */
async function expectSameColors(source: Uint8Array, query: string): Promise<Buffer> {
  const result = await expectPicture(await service.optimize(Uint8Array.from(source), query));
  const differences = blockDifferences(await shownColors(source), await shownColors(result));
  expect(differences.length).toBeGreaterThan(50);
  expect(percentile(differences, 0.5), `median, ${query}`).toBeLessThanOrEqual(2);
  expect(percentile(differences, 0.95), `95th percentile, ${query}`).toBeLessThanOrEqual(6);
  return result;
}

async function photo(): Promise<Sharp> {
  return sharp(await sample('photo.jpg')).resize(480);
}

describe('what a colour-managed viewer shows', () => {
  itForEach(formats, 'of a wide-gamut photo stays as %s', async (format) => {
    const jpeg = await (await photo()).jpeg({ quality: 92 }).toBuffer();
    const wide = withJpegProfile(jpeg, displayP3Profile());
    const result = await expectSameColors(wide, `?format=${format}`);
    expect((await sharp(result).metadata()).icc).toEqual(Buffer.from(displayP3Profile()));
  });

  itForEach(formats, 'of one whose profile only calls itself sRGB stays as %s', async (format) => {
    const jpeg = await (await photo()).jpeg({ quality: 92 }).toBuffer();
    const named = withJpegProfile(jpeg, falseSrgbProfile());
    const result = await expectSameColors(named, `?format=${format}`);
    expect((await sharp(result).metadata()).icc).toEqual(Buffer.from(falseSrgbProfile()));
  });

  itForEach(formats, 'of a grey photo under a grey profile stays as %s', async (format) => {
    const grey = await (await photo()).greyscale().jpeg({ quality: 92 }).toBuffer();
    await expectSameColors(withJpegProfile(grey, greyProfile()), `?format=${format}`);
  });

  itForEach(formats, 'stays in a reduced %s', async (format) => {
    const jpeg = await (await photo()).jpeg({ quality: 92 }).toBuffer();
    const wide = withJpegProfile(jpeg, displayP3Profile());
    const query = `?format=${format}&width=320&quality=90`;
    const result = await expectPicture(await service.optimize(wide, query));
    const reduced = await sharp(wide).keepIccProfile().resize(320).png().toBuffer();
    const differences = blockDifferences(await shownColors(reduced), await shownColors(result));
    expect(percentile(differences, 0.5)).toBeLessThanOrEqual(2);
    expect(percentile(differences, 0.95)).toBeLessThanOrEqual(6);
  });

  describe.runIf(existsSync(swappedChannels))('under a profile that swaps the channels', () => {
    itForEach(formats, 'stays in %s', async (format) => {
      await expectSameColors(readFileSync(swappedChannels), `?format=${format}`);
    });
  });
});

describe('a profile', () => {
  itForEach(formats, 'that is sRGB goes without saying in %s', async (format) => {
    const jpeg = await (await photo()).jpeg({ quality: 92 }).toBuffer();
    const result = await expectSameColors(
      withJpegProfile(jpeg, srgbProfile()),
      `?format=${format}`,
    );
    expect((await sharp(result).metadata()).icc).toBeUndefined();
  });

  itForEach(['png', 'webp', 'avif'] as const, 'goes on into a lossless %s too', async (format) => {
    // Various lengths: every other file has an odd length.
    for (const width of [101, 150, 207, 244]) {
      const jpeg = await (await photo()).resize(width).jpeg({ quality: 92 }).toBuffer();
      const wide = withJpegProfile(jpeg, displayP3Profile());
      const query = `?format=${format}&quality=lossless`;
      const result = await expectPicture(await service.optimize(wide, query));
      expect((await sharp(result).metadata()).icc).toEqual(Buffer.from(displayP3Profile()));
    }
  });

  it('for RGB counts for nothing in a grey PNG, before and after', { tags: 'slow' }, async () => {
    const grey = await (await photo()).greyscale().toColourspace('b-w').png().toBuffer();
    const tagged = Uint8Array.from(withPngProfile(Uint8Array.from(grey), falseSrgbProfile()));
    const before = await sharp(grey).toColourspace('srgb').raw().toBuffer();
    for (const query of ['', '?format=webp&quality=lossless']) {
      const result = await expectPicture(await service.optimize(tagged, query));
      expect((await sharp(result).metadata()).icc, query).toBeUndefined();
      const after = await sharp(result).removeAlpha().toColourspace('srgb').raw().toBuffer();
      expect(Buffer.compare(after, before), query).toBe(0);
    }
  });

  it('for RGB never stands in a grey PNG, whose readers would ignore it', {
    tags: 'slow',
  }, async () => {
    const grey = await (await photo()).greyscale().toColourspace('srgb').png().toBuffer();
    const tagged = await sharp(grey).toColourspace('srgb').jpeg({ quality: 100 }).toBuffer();
    const wide = withJpegProfile(tagged, displayP3Profile());
    const result = await expectSameColors(wide, '?format=png');
    // Color type: RGB, palette or RGBA.
    expect([2, 3, 6]).toContain(result[25]);
  });
});

describe('the colours of a CMYK photo', () => {
  it('are its inks, kept in JPEG and sRGB elsewhere', async () => {
    const cmyk = await plainPicture(80, 60).toColourspace('cmyk').jpeg().toBuffer();
    const result = await expectPicture(await service.optimize(cmyk));
    expect((await sharp(result).metadata()).space).toBe('cmyk');
    for (const query of ['?format=webp', '?format=avif', '?format=png', '?width=40']) {
      const made = await expectPicture(await service.optimize(cmyk, query));
      const { space, icc } = await sharp(made).metadata();
      expect([space, icc]).toEqual(['srgb', undefined]);
    }
    const exact = await service.optimize(cmyk, '?format=png&quality=lossless');
    expect((await expectProblem(exact, 'invalid_options')).detail).toContain('CMYK');
  });

  it('cut short are refused, though in JPEG only coefficients are decoded', async () => {
    const cmyk = await plainPicture(80, 60).toColourspace('cmyk').jpeg().toBuffer();
    const cut = Uint8Array.from(cmyk.subarray(0, cmyk.length / 2));
    await expectProblem(await service.optimize(cut), 'invalid_image');
  });
});
