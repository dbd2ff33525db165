import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectPicture, expectProblem } from '../support/answers.ts';
import { itForEach } from '../support/each.ts';
import { difference, pixels, plainPicture } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

const formats = ['jpeg', 'png', 'webp', 'avif'] as const;

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

describe.each([
  [1, 1],
  [1, 2],
  [3, 1],
  [7, 5],
  [33, 17],
  [65, 255],
  [1, 16_383],
  [16_383, 1],
  [16_383, 3],
])('a picture of %i × %i', (width, height) => {
  it.each(formats)('goes from %s into every format and back', { tags: 'slow' }, async (from) => {
    const source = await plainPicture(width, height).toFormat(from, { quality: 95 }).toBuffer();
    const before = await pixels(source);
    for (const format of ['keep', ...formats]) {
      const response = await service.optimize(
        Uint8Array.from(source),
        `?format=${format}&quality=90`,
      );
      const result = await expectPicture(response);
      const size = await sharp(result).metadata();
      expect([size.width, size.height], format).toEqual([width, height]);
      // Chroma subsampling loses the colors of single pixels.
      expect(difference(await pixels(result), before), format).toBeLessThan(22);
    }
  });
});

describe('a line with alpha', () => {
  it.each([
    [16_383, 1],
    [1, 16_383],
    [8000, 1],
  ])(
    'of %i × %i goes from every format into every other',
    { tags: 'slow' },
    async (width, height) => {
      const data = Buffer.alloc(width * height * 4, 120);
      const line = sharp(data, { raw: { width, height, channels: 4 } });
      // libaom's tables for alpha, in addition to those for color, leave no room for the longest lines.
      const sources = Math.max(width, height) > 15_000 ? ['png', 'webp'] : ['png', 'webp', 'avif'];
      for (const from of sources as ('png' | 'webp' | 'avif')[]) {
        const source = Uint8Array.from(
          await line.clone().toFormat(from, { quality: 80 }).toBuffer(),
        );
        for (const format of ['keep', 'png', 'webp', 'avif']) {
          const result = await expectPicture(await service.optimize(source, `?format=${format}`));
          const { channels } = await sharp(result).metadata();
          expect(channels, `${from} to ${format}`).not.toBe(3);
        }
      }
    },
  );
});

describe('a picture without a visible pixel', () => {
  itForEach(['png', 'webp', 'avif'] as const, 'stays so from %s', async (from) => {
    const data = Buffer.from(
      Uint8Array.from({ length: 60 * 40 * 4 }, (_, i) => (i % 4 === 3 ? 0 : i * 7)),
    );
    const source = await sharp(data, { raw: { width: 60, height: 40, channels: 4 } })
      .toFormat(from, { quality: 80 })
      .toBuffer();
    for (const query of ['', '?format=png', '?format=webp', '?format=avif', '?width=20']) {
      const result = await expectPicture(await service.optimize(Uint8Array.from(source), query));
      const alpha = await sharp(result).ensureAlpha().extractChannel('alpha').raw().toBuffer();
      expect(Math.max(...alpha), query).toBe(0);
    }
    const jpeg = await service.optimize(
      Uint8Array.from(source),
      '?format=jpeg&background=%23336699&quality=95',
    );
    const [red, green, blue] = await pixels(await expectPicture(jpeg));
    for (const [is, be] of [
      [red, 0x33],
      [green, 0x66],
      [blue, 0x99],
    ] as const) {
      expect(Math.abs((is ?? 0) - be)).toBeLessThanOrEqual(2);
    }
    await expectProblem(
      await service.optimize(Uint8Array.from(source), '?format=jpeg'),
      'invalid_options',
    );
  });
});

describe('what cannot be', () => {
  it('is refused as an option: a side beyond the format, samples that it cannot hold', {
    tags: 'slow',
  }, async () => {
    const long = await plainPicture(16_385, 2).png().toBuffer();
    await expectProblem(await service.optimize(long, '?format=webp'), 'invalid_options');
    await expectPicture(await service.optimize(long, '?format=webp&width=16383'));
    const longer = await plainPicture(65_501, 1).png().toBuffer();
    await expectProblem(await service.optimize(longer, '?format=jpeg'), 'invalid_options');
    const auto = await service.optimize(long, '?format=auto', { Accept: 'image/webp,image/avif' });
    expect((await expectPicture(auto)).length).toBeGreaterThan(0);
    const deep = await plainPicture(8, 8).toColourspace('rgb16').png().toBuffer();
    for (const format of ['webp', 'avif', 'jpeg']) {
      const query = `?format=${format}&quality=lossless`;
      await expectProblem(await service.optimize(deep, query), 'invalid_options');
    }
  });
});
