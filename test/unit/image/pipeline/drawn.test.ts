import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { optimize } from '../../../support/engine.ts';
import { sample } from '../../../support/pictures.ts';
import { Random } from '../../../support/random.ts';
import { inspected } from '../formats/byte-writing.ts';

const [width, height] = [320, 200];

/** A PNG of these colors. */
async function painted(at: (x: number, y: number) => readonly number[]) {
  const data = Buffer.from(
    Array.from({ length: width * height }, (_, i) => [
      ...at(i % width, Math.floor(i / width)),
    ]).flat(),
  );
  const png = sharp(data, { raw: { width, height, channels: 3 } }).png();
  return Uint8Array.from(await png.toBuffer());
}

/** Strokes like those of scanned text, black on white. */
const text = (() => {
  const random = new Random(3);
  const ink = new Uint8Array(width * height);
  for (let stroke = 0; stroke < 400; stroke += 1) {
    const x = Math.floor(random.between(4, width - 16));
    const y = 10 * Math.floor(random.between(1, height / 10 - 1));
    const isUpright = random.between(0, 2) < 1;
    for (let i = 0; i < 8; i += 1) ink[isUpright ? (y + i) * width + x : y * width + x + i] = 1;
  }
  return painted((x, y) => new Array(3).fill(ink[y * width + x] ? 0 : 255));
})();

const stripes = painted((x) => [(x * 255) / width, (x * 7) % 256, 255 - (x * 255) / width]);
const layers = painted((_x, y) => [(y * 255) / height, (y * 7) % 256, 255 - (y * 255) / height]);

describe('a picture that looks drawn', () => {
  it.each([
    ['of few colours', text],
    ['of equal rows', stripes],
    ['of rows without edges', layers],
  ])('becomes a lossless WebP where that is shorter: %s', async (_name, drawn) => {
    const file = await drawn;
    const exact = optimize(file, { format: 'webp', quality: 'lossless' }).bytes.length;
    for (const options of [{}, { target: 65 }]) {
      const { quality, score, bytes } = optimize(file, { format: 'webp', ...options });
      expect([quality, score]).toEqual(['lossless', 100]);
      expect(bytes.length).toBe(exact);
    }
    const lossy = optimize(file, { format: 'webp', quality: 20 });
    expect(lossy.quality).toBe(20);
    expect(lossy.bytes.length).toBeGreaterThan(exact);
  });

  it('becomes a PNG of very few colours where it is reduced and nobody sees the others', {
    tags: 'slow',
  }, async () => {
    const file = await text;
    const exact = optimize(file, { width: 200, quality: 'lossless' }).bytes.length;
    const { bytes, score } = optimize(file, { width: 200 });
    expect(bytes.length).toBeLessThan(0.7 * exact);
    expect(score).toBeGreaterThanOrEqual(75);
    expect(inspected('png', bytes).paletteSize).toBeLessThanOrEqual(16);
  });
});

describe('a photo', () => {
  it('becomes a lossy WebP', async () => {
    const photo = await sharp(await sample('photo.jpg'))
      .resize(240)
      .png()
      .toBuffer();
    expect(optimize(Uint8Array.from(photo), { format: 'webp' }).quality).toBeTypeOf('number');
  });
});
