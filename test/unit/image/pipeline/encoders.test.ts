import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { RowEncoder } from '../../../../src/image/formats/coding.ts';
import type { OutputType } from '../../../../src/image/formats/facts.ts';
import type { Quality } from '../../../../src/image/formats/inspection.ts';
import { type Bounded, encodersFor } from '../../../../src/image/pipeline/conversion.ts';
import type { Raster } from '../../../../src/image/pixels/raster.ts';
import { arena } from '../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../src/image/wasm/budgets.ts';
import { Random } from '../../../support/random.ts';
import { bareFile } from '../../../support/rows.ts';

function coding(type: OutputType, quality: Quality) {
  return { type, quality, exact: quality === 'lossless', grey: false, icc: null };
}

function noise(width: number, height: number): Raster {
  const random = new Random(5);
  const data = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < data.length; i += 1) data[i] = i % 4 === 3 ? 255 : random.unit() * 256;
  return { width, height, data };
}

function run(encoder: Bounded<RowEncoder>, raster: Raster): Uint8Array {
  arena.reserve(encoder.arenaBytes);
  return bareFile(encoder, raster);
}

describe('encoders', () => {
  it.each([
    ['jpeg', 80],
    ['webp', 80],
    ['avif', 60],
  ] as const)(
    'of %s never ask for more than the arena may have, and end where a photo does not fit',
    (type, quality) => {
      for (const megapixels of [0.1, 1, 3, 10, 100]) {
        const shape = { width: 1000 * megapixels, height: 1000, hasAlpha: false };
        for (const { arenaBytes } of encodersFor(shape, coding(type, quality))) {
          expect(arenaBytes).toBeLessThanOrEqual(arenaCeiling);
        }
      }
      const large = encodersFor(
        { width: 20_000, height: 20_000, hasAlpha: false },
        coding(type, quality),
      );
      expect(large.length > 0).toBe(type === 'avif');
    },
  );

  it.each([
    ['jpeg', 95],
    ['webp', 95],
    ['png', 'lossless'],
  ] as const)(
    'of %s bring even noise through, if not the first one then a leaner one',
    { tags: 'slow' },
    async (type, quality) => {
      const raster = noise(1600, 1400);
      const shape = { width: raster.width, height: raster.height, hasAlpha: false };
      let file: Uint8Array | undefined;
      for (const encoder of encodersFor(shape, coding(type, quality))) {
        try {
          file ??= run(encoder, raster);
        } catch (error) {
          expect(error).toMatchObject({ name: 'CodecError', exhausted: true });
        }
      }
      expect((await sharp(file).metadata()).width).toBe(1600);
    },
  );
});
