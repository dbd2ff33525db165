import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeJpeg } from '../../../src/image/formats/jpeg/encode.ts';
import { runJpegKernel } from '../../../src/image/formats/jpeg/kernel.ts';
import { jpegEncodingBytes, maxJpegBytes } from '../../../src/image/formats/jpeg/memory.ts';
import { codedHead } from '../../../src/image/formats/jpeg/rewrap.ts';
import { type JpegSettings, pixelSamplings } from '../../../src/image/formats/jpeg/sampling.ts';
import { noMetadata } from '../../../src/image/metadata/metadata.ts';
import type { Raster } from '../../../src/image/pixels/raster.ts';
import { rowsOf } from '../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../src/image/wasm/budgets.ts';
import { Random } from '../../support/random.ts';
import { withoutRoomForTokens } from '../../unit/image/formats/jpeg/recoding.ts';

beforeAll(() => arena.reserve(arenaCeiling));

const sizes = [
  [1, 1],
  [301, 203],
  [1000, 600],
  [65_500, 8],
  [8, 65_500],
] as const;

const ways: readonly JpegSettings[] = [40, 75, 90, 100].flatMap((quality) =>
  [false, true].map((grey) => ({ quality, grey })),
);

describe('the arena that coding pixels as a JPEG is predicted to take', () => {
  it.each(sizes)('is enough for noise, and hardly too much: %s × %s', (width, height) => {
    const raster = noise(width, height);
    for (const settings of ways) {
      for (const lowMemory of [false, true]) {
        const how = { ...settings, lowMemory };
        const predicted = jpegEncodingBytes(raster, how).max;
        const taken = takenFor(raster, how);
        expect(predicted).toBeGreaterThanOrEqual(taken);
        // the kernel's own margins, and the tokens that noise has less than the worst coefficients could
        expect(predicted).toBeLessThanOrEqual((lowMemory ? 1.8 : 3) * taken + 120_000);
      }
    }
  });

  it('is less for a photo than for noise, and less still where nothing is kept', () => {
    const size = { width: 2400, height: 1800 };
    for (const settings of ways) {
      const { expected, max } = jpegEncodingBytes(size, settings);
      // of the finest steps a busy photo has hardly less than noise
      const share = settings.quality === 100 ? 1 : 0.85;
      expect(expected).toBeLessThanOrEqual(share * max);
      expect(max).toBeLessThan(arenaCeiling);
      const streamed = jpegEncodingBytes(size, { ...settings, lowMemory: true }).max;
      expect(streamed).toBeLessThan(0.7 * max);
    }
  });

  it('rises with the quality', () => {
    const bytes = [10, 50, 77, 90, 100].map(
      (quality) =>
        jpegEncodingBytes({ width: 800, height: 600 }, { quality, grey: false }).expected,
    );
    expect(bytes).toEqual(bytes.toSorted((a, b) => a - b));
  });
});

describe.skipIf(!process.env.CORPUS)('photos', () => {
  const folder = join(process.env.CORPUS ?? '', 'photos');
  const photos = process.env.CORPUS ? readdirSync(folder) : [];

  it.each(photos)('take no more of the arena than expected: %s', async (name) => {
    const { data, info } = await sharp(join(folder, name))
      .resize(1100, 1100, { fit: 'inside' })
      .toColourspace('srgb')
      .flatten()
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const raster = { width: info.width, height: info.height, data: new Uint8ClampedArray(data) };
    for (const settings of ways) {
      const { expected } = jpegEncodingBytes(raster, settings);
      expect(takenFor(raster, settings)).toBeLessThanOrEqual(expected);
    }
  });
});

const bare = {
  head: codedHead({ icc: null, metadata: noMetadata }),
  maxBytes: Number.MAX_SAFE_INTEGER,
};

/** The most that one of the samplings takes with its result; with `lowMemory` nothing is kept. */
function takenFor(raster: Raster, settings: JpegSettings): number {
  const totals = pixelSamplings(settings).map((sampling) =>
    runAtOnce(
      runJpegKernel(new Uint8Array(), function* (kernel) {
        const changed = settings.lowMemory ? withoutRoomForTokens(kernel) : kernel;
        const coded = yield* encodeJpeg(changed, rowsOf(raster), settings, sampling, bare);
        if (coded.kind === 'too-colorful') return 0;
        if (coded.kind !== 'coded') throw new Error(coded.kind);
        expect(coded.bytes.length).toBeLessThanOrEqual(maxJpegBytes(raster, settings));
        return kernel.taken() + coded.bytes.length;
      }),
    ),
  );
  return Math.max(...totals);
}

/** Opaque, of black and white in each color. */
function noise(width: number, height: number): Raster {
  const random = new Random(7);
  const data = new Uint8ClampedArray(4 * width * height);
  for (const i of data.keys()) data[i] = i % 4 === 3 || random.word() < 2 ** 31 ? 255 : 0;
  return { width, height, data };
}
