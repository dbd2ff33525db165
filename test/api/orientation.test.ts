import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectPicture } from '../support/answers.ts';
import { describeForEach } from '../support/each.ts';
import { isFull } from '../support/full.ts';
import { difference, plainPicture } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

const formats = ['jpeg', 'png', 'webp', 'avif'] as const;
const corpus = process.env.CORPUS ?? '';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

/** Upright, as shown by viewers that apply the tag or the container's own transforms. */
async function shown(file: Uint8Array): Promise<{ size: string; data: Buffer }> {
  const { data, info } = await sharp(file)
    .autoOrient()
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { size: `${info.width}×${info.height}`, data };
}

/**
 * Only a file in the source's own format may keep the tag; otherwise nothing may apply the orientation a second time.
 */
async function expectUpright(file: Uint8Array, source: Uint8Array, format: string, most: number) {
  const before = await shown(source);
  const result = await expectPicture(await service.optimize(file, `?format=${format}&quality=90`));
  const after = await shown(result);
  expect(after.size, format).toBe(before.size);
  expect(difference(after.data, before.data), format).toBeLessThan(most);
  const [{ format: own }, { orientation = 1, exif, format: type }] = await Promise.all([
    sharp(file).metadata(),
    sharp(result).metadata(),
  ]);
  if (own !== type) expect([orientation, exif], format).toEqual([1, undefined]);
}

describeForEach([[6], [1], [2], [3], [4], [5], [7], [8]], 'orientation %i', (orientation) => {
  it.each(formats)('shows the same upright as %s', async (format) => {
    const tagged = await plainPicture(61, 40)
      .jpeg({ quality: 97, chromaSubsampling: '4:4:4' })
      .withMetadata({ orientation })
      .toBuffer();
    await expectUpright(tagged, tagged, format, 6);
  });

  it('of a PNG and a WebP is kept in their own format and applied in others', async () => {
    for (const make of ['png', 'webp'] as const) {
      const tagged = await plainPicture(40, 61)
        .toFormat(make, { lossless: true })
        .withMetadata({ orientation })
        .toBuffer();
      for (const format of ['keep', 'jpeg', 'avif']) {
        await expectUpright(tagged, tagged, format, 7);
      }
    }
  });

  it('holds for the sides of a reduced picture', async () => {
    const tagged = await plainPicture(120, 80)
      .jpeg({ quality: 97 })
      .withMetadata({ orientation })
      .toBuffer();
    const upright = await sharp(tagged).autoOrient().toBuffer();
    const { width = 0, height = 0 } = await sharp(upright).metadata();
    for (const format of formats) {
      const query = `?format=${format}&quality=95&width=${width / 2}`;
      const result = await expectPicture(await service.optimize(tagged, query));
      const after = await shown(result);
      expect(after.size).toBe(`${width / 2}×${height / 2}`);
      const reduced = await shown(
        await sharp(upright)
          .resize(width / 2)
          .png()
          .toBuffer(),
      );
      expect(difference(after.data, reduced.data), format).toBeLessThan(12);
    }
  });
});

describe.runIf(corpus)('photos of every orientation', { tags: 'slow' }, () => {
  const folder = join(corpus, 'orientation');
  const names = corpus ? readdirSync(folder).filter((name) => name.includes('examples')) : [];

  // The formats alternate, so that eight pictures try each of them twice; `npm run test:full` tries all.
  const cases = names.map((name, turn) => ({
    name,
    tried: formats.filter((_, i) => isFull || (turn + (turn >> 2)) % formats.length === i),
  }));

  it.each(cases)(
    '$name is the upright one in $tried',
    async ({ name, tried }) => {
      const file = readFileSync(join(folder, name));
      // The same scene by the same photographer, already upright.
      const first = readFileSync(join(folder, name.replace(/\d\.jpg$/, '1.jpg')));
      for (const format of tried) await expectUpright(file, file, format, 4);
      const [turned, upright] = await Promise.all([small(file), small(first)]);
      expect(difference(turned, upright)).toBeLessThan(4);
    },
    120_000,
  );

  function small(file: Uint8Array): Promise<Buffer> {
    return sharp(file).autoOrient().resize(60, 60, { fit: 'fill' }).raw().toBuffer();
  }
});
