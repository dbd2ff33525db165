import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { ScorePool, scoringBytes } from '../../../../../src/image/metric/ssimulacra2.ts';
import { decodedFile } from '../../../../../src/image/pipeline/target/trials.ts';
import type { Raster } from '../../../../../src/image/pixels/raster.ts';
import { rowsOf } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { Arena } from '../../../../../src/image/wasm/arena.ts';
import { optimize } from '../../../../support/engine.ts';
import { sample } from '../../../../support/pictures.ts';
import { Random } from '../../../../support/random.ts';

const photo = await sample('photo.jpg');
const memory = new Arena();

/** A photo of this size as PNG. */
async function photoOf(width: number, height: number, isGrey = false) {
  const resized = sharp(photo).resize(width, height);
  return Uint8Array.from(await (isGrey ? resized.greyscale() : resized).png().toBuffer());
}

function shown(file: Uint8Array<ArrayBuffer>): Raster {
  return runAtOnce(decodedFile(file.slice()));
}

function scoreOf(before: Uint8Array<ArrayBuffer>, after: Uint8Array<ArrayBuffer>): number {
  const [reference, coded] = [shown(before), shown(after)];
  memory.reserve(scoringBytes(reference, false));
  const pool = new ScorePool(false);
  runAtOnce(pool.add(rowsOf(reference), rowsOf(coded), null, memory));
  return pool.score ?? Number.NaN;
}

describe('a small picture', () => {
  it.each([
    ['jpeg', [8, 16, 40, 112, 224]],
    ['webp', [8, 16, 40, 112, 224]],
    ['avif', [8, 112]],
  ] as const)('has the wanted score and states it: %s', { tags: 'slow' }, async (format, sides) => {
    for (const side of sides) {
      for (const isGrey of [false, true]) {
        const file = await photoOf(side, side, isGrey);
        const { bytes, quality, score } = optimize(file, { format });
        expect(quality).toEqual(expect.any(Number));
        const name = `${side} pixels, ${isGrey ? 'grey' : 'color'}`;
        expect(Math.abs(scoreOf(file, bytes.slice()) - Number(score)), name).toBeLessThan(0.1);
        expect(Number(score), name).toBeGreaterThan(77 - 2.5);
        // Of a few blocks, fewer bytes may look better.
        expect(Number(score), name).toBeLessThan(side < 32 ? 87 : 77 + 2.5);
      }
    }
  });

  it.each([
    ['jpeg', [112, 224]],
    ['webp', [104, 224]],
    ['avif', [112]],
  ] as const)(
    'takes about as many bytes as one that is a pixel larger: %s',
    { tags: 'slow' },
    async (format, sides) => {
      for (const side of sides) {
        for (const isGrey of [false, true]) {
          const [less, more] = await Promise.all(
            [side, side + 1].map(async (one) => {
              const file = await photoOf(one, one, isGrey);
              return optimize(file, { format }).bytes.length;
            }),
          );
          const name = `${side} pixels, ${isGrey ? 'grey' : 'color'}: ${less}, ${more} bytes`;
          expect(Number(more) / Number(less), name).toBeGreaterThan(1 / 1.2);
          expect(Number(more) / Number(less), name).toBeLessThan(1.2);
        }
      }
    },
  );

  it('keeps the edges of a checkerboard', async () => {
    const side = 40;
    const data = Buffer.from(
      Array.from({ length: side * side }, (_, i) =>
        (((i % side) >> 2) + (Math.floor(i / side) >> 2)) % 2 === 0 ? 0 : 255,
      ),
    );
    const raw = { width: side, height: side, channels: 1 } as const;
    const file = Uint8Array.from(await sharp(data, { raw }).jpeg({ quality: 95 }).toBuffer());
    const [before, after] = [shown(file), shown(optimize(file, {}).bytes.slice())];
    const errors = before.data.map((value, i) => Math.abs(value - (after.data[i] ?? 0)));
    expect(errors.reduce((sum, one) => sum + one, 0) / errors.length).toBeLessThan(8);
  });

  it.each([
    [600, 20],
    [20, 500],
  ])('may have a single short side: %i × %i pixels', { tags: 'slow' }, async (width, height) => {
    const file = await photoOf(width, height);
    for (const wanted of [{}, { target: 50 }, { maxBytes: 2000 }]) {
      const { bytes, score } = optimize(file, { format: 'webp', ...wanted });
      expect(Math.abs(scoreOf(file, bytes.slice()) - Number(score))).toBeLessThan(0.1);
    }
  });

  it('keeps its colors where a palette would show', async () => {
    const random = new Random(4);
    const data = Buffer.from(Array.from({ length: 3 * 90 * 90 }, () => random.word() & 255));
    const raw = { width: 90, height: 90, channels: 3 } as const;
    const noise = Uint8Array.from(await sharp(data, { raw }).png().toBuffer());
    expect(optimize(noise, { format: 'png' }).score).toBe(100);
    const smooth = await photoOf(90, 90);
    const { bytes, quality, score } = optimize(smooth, { format: 'png' });
    expect(quality).toEqual(expect.any(Number));
    expect(Math.abs(scoreOf(smooth, bytes.slice()) - Number(score))).toBeLessThan(0.1);
  });
});
