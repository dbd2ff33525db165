import sharp, { type Sharp } from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { type OptimizeOptions, plan } from '../../../src/image/engine.ts';
import { arena, sideArena } from '../../../src/image/wasm/arena.ts';
import { sideCeiling } from '../../../src/image/wasm/budgets.ts';
import { difference, sample } from '../../support/pictures.ts';

const mebibyte = 2 ** 20;

/** Makes a WebP of a file as a request would be answered. */
function answer(bytes: Uint8Array, options: Partial<OptimizeOptions> = {}): Uint8Array {
  const file = Uint8Array.from(bytes);
  return plan(file, { format: 'webp', ...options })
    .start(() => file.buffer)
    .finish().bytes;
}

async function photo(width: number, height: number): Promise<Sharp> {
  return sharp(await sample('photo.jpg')).resize(width, height, { fit: 'fill' });
}

/** In a size in which two pictures can be compared. */
async function small(file: Uint8Array): Promise<Buffer> {
  return sharp(file, { limitInputPixels: false })
    .autoOrient()
    .resize(600, 600, { fit: 'fill' })
    .removeAlpha()
    .raw()
    .toBuffer();
}

async function expectAlike(made: Uint8Array, source: Uint8Array): Promise<void> {
  const [is, should] = [await sharp(made).metadata(), await sharp(source).metadata()];
  expect([is.format, is.width, is.height]).toEqual([
    'webp',
    should.autoOrient.width,
    should.autoOrient.height,
  ]);
  expect(difference(await small(made), await small(source))).toBeLessThan(3);
}

describe('a large photo as a WebP', { timeout: 600_000 }, () => {
  let twelve: Sharp;
  beforeAll(async () => {
    twelve = await photo(4000, 3000);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'of 12 megapixels is turned: orientation %i',
    async (orientation) => {
      const file = await twelve
        .clone()
        .jpeg({ quality: 92 })
        .withMetadata({ orientation })
        .toBuffer();
      await expectAlike(answer(file), file);
      expect(arena.bytes).toBeLessThanOrEqual(16 * mebibyte);
    },
  );

  it('of 50 megapixels takes as much of the arenas as it may', async () => {
    const file = await (await photo(8192, 6144)).jpeg({ quality: 92 }).toBuffer();
    await expectAlike(answer(file, { quality: 90 }), file);
    expect(arena.bytes).toBeLessThanOrEqual(40 * mebibyte);
    expect(sideArena.bytes).toBeLessThanOrEqual(sideCeiling);
  });

  it.each(['jpeg', 'png', 'webp', 'progressive'] as const)(
    'of 24 megapixels comes from %s',
    async (kind) => {
      const large = await photo(6000, 4000);
      const file = await {
        jpeg: () => large.jpeg({ quality: 92 }),
        progressive: () => large.jpeg({ quality: 85, progressive: true }),
        png: () => large.png({ compressionLevel: 1, palette: true }),
        webp: () => large.webp({ quality: 95, effort: 0 }),
      }
        [kind]()
        .toBuffer();
      await expectAlike(answer(file, { quality: 80 }), file);
    },
  );
});
