import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { avifRowDecoder } from '../../../../../src/image/formats/avif/codec/row-decoder.ts';
import { readAvifItems } from '../../../../../src/image/formats/avif/container/items.ts';
import { writeAvif } from '../../../../../src/image/formats/avif/container/writer.ts';
import type { Raster } from '../../../../../src/image/pixels/raster.ts';
import { forEachRowOf, gathered } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../src/image/wasm/budgets.ts';
import { CodecError } from '../../../../../src/image/wasm/codec.ts';
import { avifEncoder } from '../../../../support/avif-encoder.ts';
import {
  type AvifChoice,
  avifOf,
  gridAvif,
  painted,
  withoutBoxes,
} from '../../../../support/avif-files.ts';
import { libavifPixels } from '../../../../support/libavif.ts';
import { Random } from '../../../../support/random.ts';
import { inspected } from '../byte-writing.ts';
import { rewrapped } from '../pictures.ts';
import { corpus, hasCorpus } from '../samples.ts';

const how = { halvings: 0, deepSamples: null } as const;

/** What the service makes of a file's pixels. */
function decoded(file: Uint8Array): Raster {
  const image = inspected('avif', file);
  arena.reserve(Math.min(arenaCeiling, avifRowDecoder.arenaBytes(image, file.length)));
  return runAtOnce(avifRowDecoder.open(file, image, how, arena, gathered));
}

function worstDifference(a: Raster, b: Raster): number {
  expect([a.width, a.height]).toEqual([b.width, b.height]);
  return a.data.reduce((worst, code, i) => Math.max(worst, Math.abs(code - (b.data[i] ?? 0))), 0);
}

/** Full of color. */
const drawn = (width: number, height: number) =>
  painted(width, height, (x, y) => [
    (5 * x) & 255,
    (7 * y) & 255,
    (x * y) & 255,
    255 - ((x + y) & 127),
  ]);
/** With odd sides. */
const picture = drawn(151, 97);

/** An opaque 4:4:4 file with these code points for its samples, whatever they are. */
function withCodePoints(matrix: number, fullRange: boolean): Uint8Array {
  const { width, height, data } = picture;
  arena.reserve(arenaCeiling);
  const copy = avifEncoder.encode(
    { width, height, data: Uint8ClampedArray.from(data) },
    { quality: 90, chroma: 'full' },
  );
  const at = Buffer.from(copy).indexOf('nclx');
  copy.set([0, matrix, fullRange ? 0x80 : 0], at + 8);
  return copy;
}

function occurrences(type: string, file: Uint8Array): number {
  return Buffer.from(file).toString('latin1').split(type).length - 1;
}

/** A file with free space behind it: what is mended never makes a file longer. */
function withSpace(file: Uint8Array): Uint8Array {
  const space = Buffer.alloc(200);
  space.writeUInt32BE(space.length);
  space.write('free', 4, 'latin1');
  return Uint8Array.from(Buffer.concat([file, space]));
}

describe('the pixels of an AVIF', () => {
  it.each<[string, AvifChoice]>([
    ['4:2:0', { chroma: '4:2:0' }],
    ['4:4:4', { chroma: '4:4:4' }],
    ['4:2:0 with alpha', { chroma: '4:2:0', hasAlpha: true }],
    ['4:4:4 with alpha', { hasAlpha: true }],
    ['4:4:4 without loss', { lossless: true }],
  ])('are those of libavif: %s', async (_kind, choice) => {
    const file = await avifOf(picture, choice);
    expect(inspected('avif', file).coding.decoder).toBe('dav1d');
    // its single precision rounds another way now and then
    expect(worstDifference(decoded(file), libavifPixels(file))).toBeLessThanOrEqual(1);
  });

  it.each([
    [0, true],
    [0, false],
    [1, true],
    [1, false],
    [5, false],
    [9, true],
    [9, false],
  ])('are those of libavif by matrix %i, full range: %s', { tags: 'slow' }, (matrix, fullRange) => {
    const file = withCodePoints(matrix, fullRange);
    expect(inspected('avif', file).coding.decoder).toBe('dav1d');
    expect(worstDifference(decoded(file), libavifPixels(file))).toBeLessThanOrEqual(1);
  });

  it.each<[string, AvifChoice]>([
    ['10 bits, 4:2:0', { chroma: '4:2:0', bitDepth: 10 }],
    ['10 bits with alpha', { bitDepth: 10, hasAlpha: true }],
    ['12 bits', { bitDepth: 12 }],
    ['12 bits, 4:2:0 with alpha', { chroma: '4:2:0', bitDepth: 12, hasAlpha: true }],
  ])('are those of libavif, by libaom: %s', async (_kind, choice) => {
    const file = await avifOf(picture, choice);
    expect(inspected('avif', file).coding.decoder).toBe('libaom');
    expect(worstDifference(decoded(file), libavifPixels(file))).toBeLessThanOrEqual(1);
  });

  it('are those of libavif in YCgCo, and refused by ICtCp, of which libavif makes black', () => {
    const file = withCodePoints(8, true);
    expect(worstDifference(decoded(file), libavifPixels(file))).toBeLessThanOrEqual(1);
    expect(() => decoded(withCodePoints(14, true))).toThrow(CodecError);
  });

  it('are straight where they were premultiplied', async () => {
    for (const bitDepth of [8, 10] as const) {
      const file = premultiplied(await avifOf(picture, { bitDepth, hasAlpha: true }));
      expect(worstDifference(decoded(file), libavifPixels(file))).toBeLessThanOrEqual(3);
    }
  });

  it('come as often as they are wanted, whatever becomes of a row', async () => {
    for (const bitDepth of [8, 10] as const) {
      const file = await avifOf(picture, { bitDepth });
      const image = inspected('avif', file);
      arena.reserve(avifRowDecoder.arenaBytes(image, file.length));
      const [first, second] = runAtOnce(
        avifRowDecoder.open(file, image, how, arena, function* (rows) {
          const once = yield* gathered(rows);
          yield* forEachRowOf(rows, (row) => row.fill(0));
          return [once, yield* gathered(rows)];
        }),
      );
      expect(second).toEqual(first);
    }
  });
});

describe('a grid', () => {
  const shape = { columns: 3, rows: 2, cellWidth: 64, cellHeight: 64 };
  // where samples of color are shared, libavif wants even sides
  const even = drawn(150, 98);

  it.each<[string, AvifChoice & { alphaByCell?: boolean }]>([
    ['4:2:0', { chroma: '4:2:0' }],
    ['4:4:4', {}],
    ['with alpha', { chroma: '4:2:0', hasAlpha: true }],
    ['with the alpha of each cell', { hasAlpha: true, alphaByCell: true }],
  ])('is put together from its cells: %s', async (_kind, choice) => {
    const file = await gridAvif(even, { ...shape, ...choice });
    expect(inspected('avif', file)).toMatchObject({
      isGrid: true,
      hasAlpha: choice.hasAlpha ?? false,
      coding: { cells: { columns: 3, rows: 2, width: 64, height: 64 }, decoder: 'dav1d' },
    });
    expect(worstDifference(decoded(file), libavifPixels(file))).toBeLessThanOrEqual(1);
  });

  it('of cells with odd sides is refused where these share samples of colour, as by libavif', async () => {
    const odd = { ...shape, cellWidth: 67 };
    for (const bitDepth of [8, 10] as const) {
      const halved = await gridAvif(picture, { ...odd, bitDepth, chroma: '4:2:0' });
      const full = await gridAvif(picture, { ...odd, bitDepth, chroma: '4:4:4' });
      expect(() => libavifPixels(halved)).toThrow();
      expect(() => decoded(halved)).toThrow(CodecError);
      expect(worstDifference(decoded(full), libavifPixels(full))).toBeLessThanOrEqual(1);
    }
  });

  it('of 10 bits is put together by libaom', async () => {
    for (const choice of [{ chroma: '4:2:0' }, { hasAlpha: true, alphaByCell: true }] as const) {
      const file = await gridAvif(even, { ...shape, ...choice, bitDepth: 10 });
      expect(inspected('avif', file).coding.decoder).toBe('libaom');
      expect(worstDifference(decoded(file), libavifPixels(file))).toBeLessThanOrEqual(1);
    }
  });

  it('takes memory for its samples and for one cell', async () => {
    const file = await gridAvif(picture, { ...shape, chroma: '4:2:0' });
    const image = inspected('avif', file);
    const large = { ...image, width: 4032, height: 3024 };
    const cells = { columns: 8, rows: 6, width: 512, height: 512 };
    const ofGrid = avifRowDecoder.arenaBytes({ ...large, coding: { ...image.coding, cells } }, 0);
    expect(ofGrid).toBeGreaterThan(1.5 * 4032 * 3024);
    expect(ofGrid).toBeLessThan(1.5 * 4032 * 3024 + 8_000_000);
  });
});

describe('a container that strict readers refuse', () => {
  it.each([
    ['depths', false],
    ['the depths of a grid', true],
  ])('is read without %s, and sent with them', { tags: 'slow' }, async (_what, isGrid) => {
    for (const bitDepth of [8, 10] as const) {
      const choice = { bitDepth, hasAlpha: true } as const;
      const shape = { columns: 2, rows: 2, cellWidth: 76, cellHeight: 64 };
      const whole = isGrid
        ? await gridAvif(picture, { ...shape, ...choice })
        : await avifOf(picture, choice);
      const file = withoutBoxes(whole, 'pixi');
      expect(() => libavifPixels(file)).toThrow();
      expect(decoded(file)).toEqual(decoded(whole));
      expect(libavifPixels(rewrapped(withSpace(file)))).toEqual(libavifPixels(whole));
      expect(rewrapped(file).length).toBeLessThanOrEqual(file.length);
    }
  });

  it('is read where alpha does not state its size', { tags: 'slow' }, async () => {
    for (const bitDepth of [8, 10] as const) {
      const whole = await avifOf(picture, { bitDepth, hasAlpha: true });
      const file = withoutSizeOfAlpha(whole);
      expect(() => libavifPixels(file)).toThrow();
      expect(decoded(file)).toEqual(decoded(whole));
      expect(libavifPixels(rewrapped(withSpace(file)))).toEqual(libavifPixels(whole));
      // the size of the picture is that of its alpha, too
      expect(occurrences('ispe', rewrapped(withSpace(file)))).toBe(1);
    }
  });

  it('is read without the depths of many cells, and sent with one box for all of them', {
    tags: 'slow',
  }, async () => {
    const shape = { columns: 6, rows: 4, cellWidth: 64, cellHeight: 64, alphaByCell: true };
    const whole = await gridAvif(drawn(384, 256), { ...shape, hasAlpha: true });
    const file = withoutBoxes(whole, 'pixi');
    // of three channels, and of alpha
    expect(occurrences('pixi', rewrapped(file))).toBe(2);
    expect(libavifPixels(rewrapped(file))).toEqual(libavifPixels(whole));
  });

  it.skipIf(!hasCorpus)('may come from libheif before version 1.12', () => {
    const file = readFileSync(join(corpus, 'avif/example.avif'));
    expect(() => libavifPixels(file)).toThrow();
    expect(decoded(file)).toMatchObject({ width: 800, height: 533 });
  });

  it.skipIf(!hasCorpus)('may be cut at odd places', () => {
    const file = readFileSync(join(corpus, 'avif/kimono.crop.avif'));
    const image = inspected('avif', file);
    expect(image.cleanAperture).toEqual({ left: 272, top: 39, width: 385, height: 330 });
    expect(() => libavifPixels(file)).toThrow();
    expect(decoded(file)).toMatchObject({ width: 722, height: 1024 });
  });
});

/** The same file, whose colors are said to be premultiplied by the alpha of the second item. */
function premultiplied(file: Uint8Array): Uint8Array {
  const all = readAvifItems(file);
  if (!all) throw new Error('no items');
  const items = [...all.items.values()].map(({ id, entry, extents, associations }) => {
    if (!extents) throw new Error('no data');
    return { id, entry, data: { from: 'file', extents }, associations } as const;
  });
  const { handler, primaryId, references } = all;
  const alpha = references.find(({ type }) => type === 'auxl')?.from ?? 0;
  return writeAvif(file, {
    ...{ brands: ['avif', 'mif1', 'miaf'], handler, primaryId, items },
    references: [...references, { type: 'prem', from: primaryId, to: [alpha] }],
  });
}

/** The association of the second item with its `ispe` says that there is no property. */
function withoutSizeOfAlpha(file: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = Uint8Array.from(file);
  const text = Buffer.from(copy.buffer);
  const ipco = text.indexOf('ipco');
  const ipma = text.indexOf('ipma');
  // which property is the first `ispe`
  let number = 0;
  let sizeNumber = 0;
  for (let at = ipco + 4; at < ipma - 4; at += text.readUInt32BE(at)) {
    number += 1;
    if (text.toString('latin1', at + 4, at + 8) === 'ispe') sizeNumber = number;
  }
  // version, flags and count, then the row of the first item
  let at = ipma + 12;
  at += 3 + (text[at + 2] ?? 0);
  for (let i = 0; i < (text[at + 2] ?? 0); i += 1) {
    if (((copy[at + 3 + i] ?? 0) & 0x7f) === sizeNumber) copy[at + 3 + i] = 0;
  }
  return copy;
}

describe('damaged grids', () => {
  it('are decoded or refused, in little memory', { tags: 'slow' }, async () => {
    const small = painted(150, 130, (x, y) => [x, y, (x * y) & 255, (x + y) & 255]);
    const shape = { columns: 2, rows: 2, cellWidth: 76, cellHeight: 66, hasAlpha: true };
    const files = await Promise.all([
      gridAvif(small, { ...shape, chroma: '4:2:0' }),
      gridAvif(small, { ...shape, alphaByCell: true }),
    ]);
    const random = new Random(7);
    const below = (limit: number) => Math.floor(random.unit() * limit);
    for (let round = 0; round < 200; round += 1) {
      const file = Uint8Array.from(files[round % 2] ?? []);
      // half of them in the tables
      const reach = round % 4 < 2 ? 1200 : file.length;
      for (let left = 1 + below(6); left > 0; left -= 1) file[below(reach)] = below(256);
      expectAnswer(round % 5 === 0 ? file.subarray(0, below(file.length)) : file);
    }
    expect(arena.bytes).toBeLessThanOrEqual(2 ** 26);
  });
});

/** Nothing but an error that says that the file is damaged may come of it. */
function expectAnswer(file: Uint8Array): void {
  try {
    decoded(file);
  } catch (error) {
    const isRefused = error instanceof Error && error.message.startsWith('not a');
    if (!(error instanceof CodecError || isRefused)) throw error;
  }
}
