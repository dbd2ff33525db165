import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { OutputType } from '../../../../src/image/formats/facts.ts';
import type { Quality, RowEncoder } from '../../../../src/image/formats/format.ts';
import { inspect, outputFormat } from '../../../../src/image/formats/registry.ts';
import { noMetadata } from '../../../../src/image/metadata/metadata.ts';
import { type Bounded, encodersFor } from '../../../../src/image/pipeline/conversion.ts';
import type { Raster } from '../../../../src/image/pixels/raster.ts';
import { rowsOf } from '../../../../src/image/pixels/row-source.ts';
import { arena } from '../../../../src/image/wasm/arena.ts';
import { NoRoomForResult } from '../../../../src/image/wasm/codec.ts';
import { arenaCeiling } from '../../../../src/image/wasm/memory-ledger.ts';
import { difference } from '../../../support/pictures.ts';
import { Random } from '../../../support/random.ts';
import { bareFile } from '../../../support/rows.ts';

function coding(type: OutputType, quality: Quality) {
  return { type, quality, exact: quality === 'lossless', grey: false, icc: null };
}

/** Smooth colours with a little structure; `alphaAt` says where it is see-through. */
function picture(width: number, height: number, alphaAt = (_x: number, _y: number) => 255): Raster {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0, i = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, i += 4) {
      data[i] = (x * 200) / width + ((x >> 4) & 1) * 30;
      data[i + 1] = (y * 200) / height + ((y >> 4) & 1) * 30;
      data[i + 2] = 120;
      data[i + 3] = alphaAt(x, y);
    }
  }
  return { width, height, data };
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

async function decoded(file: Uint8Array): Promise<Buffer> {
  return sharp(file).ensureAlpha().raw().toBuffer();
}

function isGrid(file: Uint8Array): boolean {
  const result = inspect(file);
  return result.kind === 'image' && result.image.type === 'avif' && result.image.isGrid;
}

describe('an AVIF grid', () => {
  const [, , cells] = encodersFor({ width: 600, height: 300, hasAlpha: false }, coding('avif', 70));

  it('shows what the whole picture shows, lines between its cells included', async () => {
    const raster = picture(600, 300);
    const [whole] = encodersFor({ width: 600, height: 300, hasAlpha: false }, coding('avif', 70));
    if (!whole || !cells) throw new Error('no encoders');
    const [single, grid] = [run(whole, raster), run(cells, raster)];
    expect([isGrid(single), isGrid(grid)]).toEqual([false, true]);
    const [a, b] = [await decoded(single), await decoded(grid)];
    expect(difference(a, Buffer.from(raster.data))).toBeLessThan(2);
    expect(difference(b, Buffer.from(raster.data))).toBeLessThan(2);
  });

  it.each([
    [601, 299],
    [600, 299],
    [1025, 65],
  ])('of %i × %i, an odd side, has full chroma', async (width, height) => {
    const raster = picture(width, height);
    const [, , encoder] = encodersFor({ width, height, hasAlpha: false }, coding('avif', 70));
    if (!encoder) throw new Error('no encoder');
    const file = run(encoder, raster);
    const result = inspect(file);
    expect(result).toMatchObject({ image: { width, height, chroma: '444', isGrid: true } });
    expect(difference(await decoded(file), Buffer.from(raster.data))).toBeLessThan(2);
  });

  it('keeps every sample under lossless', async () => {
    const raster = picture(300, 290, (x) => (x % 7 === 0 ? 90 : 255));
    const shape = { width: 300, height: 290, hasAlpha: true };
    const [, , encoder] = encodersFor(shape, coding('avif', 'lossless'));
    if (!encoder) throw new Error('no encoder');
    const file = run(encoder, raster);
    expect(isGrid(file)).toBe(true);
    expect(await decoded(file)).toEqual(Buffer.from(raster.data));
  });

  it('has alpha in all of its cells when one of them is transparent', async () => {
    const raster = picture(600, 300, (x) => (x < 200 ? 0 : 255));
    const [, , encoder] = encodersFor(
      { width: 600, height: 300, hasAlpha: true },
      coding('avif', 70),
    );
    if (!encoder) throw new Error('no encoder');
    const after = await decoded(run(encoder, raster));
    const alpha = (x: number) => after[(150 * 600 + x) * 4 + 3];
    expect(alpha(100)).toBeLessThan(3);
    expect(alpha(400)).toBeGreaterThan(252);
    expect(alpha(590)).toBeGreaterThan(252);
  });

  it('keeps every sample of opaque cells beside transparent ones under lossless', async () => {
    const raster = picture(600, 300, (x) => (x < 20 ? 90 : 255));
    const shape = { width: 600, height: 300, hasAlpha: true };
    const [, , encoder] = encodersFor(shape, coding('avif', 'lossless'));
    if (!encoder) throw new Error('no encoder');
    const file = run(encoder, raster);
    expect(isGrid(file)).toBe(true);
    expect(await decoded(file)).toEqual(Buffer.from(raster.data));
  });

  it('is not made of a strip that is too thin for cells', () => {
    const [encoder] = encodersFor({ width: 2000, height: 40, hasAlpha: false }, coding('avif', 70));
    if (!encoder) throw new Error('no encoder');
    expect(isGrid(run(encoder, picture(2000, 40)))).toBe(false);
  });
});

describe('encoders', () => {
  it.each([
    ['jpeg', 95],
    ['webp', 95],
    ['webp', 'lossless'],
    ['png', 'lossless'],
  ] as const)(
    'of %s at %s tell a result that is too long from memory that ran out',
    (type, quality) => {
      const raster = noise(200, 150);
      const { write } = outputFormat(type);
      const shape = { ...raster, hasAlpha: false };
      const inArena = write.encoders(shape, coding(type, quality));
      const aside = write.asideEncoders?.(shape, coding(type, quality)) ?? [];
      const code = (encoder: RowEncoder, maxBytes: number) => {
        const appearance = { icc: null, metadata: noMetadata };
        encoder.encode(rowsOf(raster), {
          memory: arena,
          appearance,
          maxBytes,
          bufferBytes: 2 ** 30,
        });
      };
      for (const encoder of [...inArena, ...aside]) {
        arena.reserve(arenaCeiling);
        expect(() => code(encoder, 5000)).toThrow(NoRoomForResult);
        expect(() => code(encoder, 2 ** 30)).not.toThrow();
      }
    },
  );

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
      expect(large.length).toBe(type === 'avif' ? 3 : 0);
    },
  );

  it.each([
    ['jpeg', 95],
    ['webp', 95],
    ['png', 'lossless'],
  ] as const)(
    'of %s bring even noise through, if not the first one then a leaner one',
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
