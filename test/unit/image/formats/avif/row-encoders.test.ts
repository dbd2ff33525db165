import sharp from 'sharp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ssimulacra2 } from '../../../../../bench/likeness/ssimulacra2.ts';
import { joinBytes } from '../../../../../src/image/container/assemble.ts';
import { cellsOf, columnsAtOnce } from '../../../../../src/image/formats/avif/codec/cells.ts';
import { avifOfRows } from '../../../../../src/image/formats/avif/codec/picture-encoder.ts';
import { avifEncoders } from '../../../../../src/image/formats/avif/codec/row-encoders.ts';
import type { Coding, Encoded, EncodingRun } from '../../../../../src/image/formats/coding.ts';
import { inspect, readMetadata } from '../../../../../src/image/formats/registry.ts';
import type { Orientation } from '../../../../../src/image/metadata/exif-block.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import { turnedSize, turnInPlace } from '../../../../../src/image/pixels/orientation.ts';
import type { Raster } from '../../../../../src/image/pixels/raster.ts';
import { pacedRows, rowsOf } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../src/image/wasm/budgets.ts';
import { itForEach } from '../../../../support/each.ts';
import { difference } from '../../../../support/pictures.ts';
import { Random } from '../../../../support/random.ts';
import { bareFile } from '../../../../support/rows.ts';

const usual: Coding = { quality: 72, exact: false, grey: false, icc: null, speed: 3 };
const mebibyte = 2 ** 20;

interface Options extends Partial<Coding> {
  readonly hasAlpha?: boolean;
  /** In cells of at most 256 × 256 pixels. */
  readonly isSmall?: boolean;
  readonly bufferBytes?: number;
  /** Rows come as they lie before it, and are put into small cells. */
  readonly turn?: Orientation;
  readonly appearance?: { icc: Uint8Array | null; metadata: typeof noMetadata };
}

/** Makes an AVIF of a picture as the service does. */
function made(raster: Raster, options: Options = {}): Encoded & { readonly file: Uint8Array } {
  const { hasAlpha = false, isSmall = false, turn = 1 } = options;
  const { bufferBytes = 32 * mebibyte, ...rest } = options;
  const { appearance = { icc: null, metadata: noMetadata } } = options;
  const coding = { ...usual, ...rest };
  const run = { memory: arena, appearance, maxBytes: 32 * mebibyte, bufferBytes, turn };
  const encoded = isSmall
    ? inSmallCells(raster, coding, hasAlpha, run)
    : asMade(raster, coding, hasAlpha, run);
  return { ...encoded, file: joinBytes(...encoded.parts) };
}

function asMade(raster: Raster, coding: Coding, hasAlpha: boolean, run: EncodingRun): Encoded {
  const [encoder] = avifEncoders({ ...raster, hasAlpha }, coding);
  if (!encoder) throw new Error('there is no encoder');
  arena.reserve(Math.min(encoder.maxBytes, arenaCeiling));
  return runAtOnce(encoder.encode(rowsOf(raster), run));
}

const asWished = { chroma: 'full', kind: 'detailed', speed: 0, cellMs: 1 } as const;

function inSmallCells(
  raster: Raster,
  coding: Coding,
  hasAlpha: boolean,
  run: EncodingRun,
): Encoded {
  const shape = turnedSize(raster, run.turn ?? 1);
  const cells = cellsOf(shape, (height) => (256 * 256) / height);
  arena.reserve(40 * mebibyte);
  return runAtOnce(avifOfRows(rowsOf(raster), { ...asWished, ...coding, cells, hasAlpha }, run));
}

type Pixel = readonly [number, number, number, number];

function drawn(width: number, height: number, colorAt: (x: number, y: number) => Pixel): Raster {
  const data = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < width * height; i += 1) {
    data.set(colorAt(i % width, Math.floor(i / width)), 4 * i);
  }
  return { width, height, data };
}

const drawing = { density: 0.05, isDrawn: true };
const photo = { density: 0.2, isDrawn: false };

/** Red strokes of two pixels on blue, as letters have them. */
const redOnBlue = drawn(160, 120, (x, y) => {
  const [column, row] = [x % 12, y % 24];
  const isStroke =
    row < 16 && (column < 2 || (row < 2 && column < 8) || Math.abs(2 * column - row) < 2);
  return isStroke ? [230, 20, 20, 255] : [20, 30, 200, 255];
});

/** Slow waves of color, all of them seen but for a corner. */
function waves(width: number, height: number, alphaAt = (_x: number, _y: number) => 255): Raster {
  return drawn(width, height, (x, y) => [
    128 + 100 * Math.sin(x / 40),
    128 + 100 * Math.sin(y / 50),
    128 + 100 * Math.sin((x + y) / 60),
    alphaAt(x, y),
  ]);
}

async function shown(file: Uint8Array): Promise<Raster> {
  const { data, info } = await sharp(file)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8ClampedArray(data) };
}

function imageOf(file: Uint8Array) {
  const inspected = inspect(file);
  if (inspected.kind !== 'image' || inspected.image.type !== 'avif') throw new Error('no AVIF');
  return inspected.image;
}

describe('chroma', () => {
  it('is full where halving would wash colours out', { tags: 'slow' }, async () => {
    const { file } = made(redOnBlue, { speed: 1 });
    expect(imageOf(file)).toMatchObject({ chroma: '444', isGrid: false });
    expect(Buffer.from(file.subarray(0, 64)).toString('latin1')).toContain('MA1A');
    expect(ssimulacra2(redOnBlue, await shown(file))).toBeGreaterThanOrEqual(75);
  });

  it('is halved in what is smooth', () => {
    const { file, quality } = made(waves(200, 100), { isAutomatic: true });
    expect([imageOf(file).chroma, quality]).toEqual(['420', 72]);
  });

  it('is full in what is busy, unless time is short', { tags: 'slow' }, () => {
    const random = new Random(4);
    const busy = drawn(128, 128, (x, y) => {
      const level = 90 + 20 * Math.sin((x + y) / 9) + (random.word() & 31);
      return [level + (random.word() & 7), level, level - 20, 255];
    });
    const chromaAndQuality = (options: Options) => {
      const { file, quality } = made(busy, options);
      return [imageOf(file).chroma, quality];
    };
    expect(chromaAndQuality({ speed: 0 })).toEqual(['444', 72]);
    expect(chromaAndQuality({ speed: 0, isAutomatic: true })).toEqual(['444', 72]);
    expect(chromaAndQuality({ speed: 2, isAutomatic: true })).toEqual(['420', 72]);
  });

  /** Noise of gray levels, with a tint. */
  const noise = (tint: number, random = new Random(4)) =>
    drawn(128, 128, () => {
      const level = 90 + (random.word() & 63);
      return [level + tint, level, level - tint, 255];
    });

  it('is halved in what is busy but has one tint', () => {
    const { file, quality } = made(noise(20), { speed: 0, isAutomatic: true });
    expect([imageOf(file).chroma, quality]).toEqual(['420', 72]);
  });

  it('is absent where every pixel is gray, also without loss, in fewer bytes', async () => {
    expect(imageOf(made(noise(0), { speed: 0 }).file).chroma).toBe('400');
    const [grey, tinted] = [0, 1].map((tint) => made(noise(tint), { quality: 'lossless' }).file);
    if (!grey || !tinted) throw new Error('nothing was made');
    expect(imageOf(grey).chroma).toBe('400');
    expect(Buffer.from((await shown(grey)).data).equals(Buffer.from(noise(0).data))).toBe(true);
    expect(grey.length).toBeLessThan(0.6 * tinted.length);
  });

  it.each([
    [1025, 700],
    [1024, 701],
  ])('is full in cells of %i × %i, an odd side', { tags: 'slow' }, async (width, height) => {
    const [, small] = avifEncoders(
      { width, height, hasAlpha: false },
      { ...usual, detail: drawing },
    );
    if (!small) throw new Error('there is no encoder');
    arena.reserve(Math.min(small.maxBytes, arenaCeiling));
    const file = bareFile(small, waves(width, height));
    expect(imageOf(file)).toMatchObject({ width, height, chroma: '444', isGrid: true });
    expect(
      difference(Buffer.from((await shown(file)).data), Buffer.from(waves(width, height).data)),
    ).toBeLessThan(2);
  });
});

describe('what is drawn', () => {
  /** Glyphs of noise, each of which comes again and again. */
  const random = new Random(2);
  const glyphs = Array.from({ length: 6 }, () =>
    Array.from({ length: 256 }, () => (random.word() & 1 ? 20 : 235)),
  );
  const text = drawn(320, 320, (x, y) => {
    const glyph = glyphs[((x >> 4) * 7 + (y >> 4) * 3) % glyphs.length];
    const level = glyph?.[((y & 15) << 4) | (x & 15)] ?? 0;
    return [level, level, level, 255];
  });

  it('has its copies found', { tags: 'slow' }, () => {
    const [copied, plain] = [drawing, photo].map((detail) => made(text, { detail, speed: 0 }).file);
    expect(copied?.length).toBeLessThan(0.5 * (plain?.length ?? 0));
  });

  it('does without copies where memory is short', () => {
    const shape = { width: 1600, height: 1200, hasAlpha: false };
    const plans = avifEncoders(shape, { ...usual, detail: drawing }).map(
      ({ maxBytes }) => maxBytes,
    );
    const [photo] = avifEncoders(shape, usual);
    expect(plans.at(-1)).toBe(photo?.maxBytes);
    expect(photo?.maxBytes).toBeLessThanOrEqual(arenaCeiling);
  });
});

describe('a sample', () => {
  /** The chroma of a sample of a picture with this width. */
  const chromaOf = (width: number) => {
    const sampleOf = { shape: { width, height: 1201, hasAlpha: false }, speed: 0 } as const;
    const { file } = made(waves(128, 256), { speed: 1, sampleOf });
    return imageOf(file).chroma;
  };

  it('keeps all chroma where its picture has to: odd sides in several cells', () => {
    expect(chromaOf(4601)).toBe('444');
  });

  it('may halve chroma where its picture fits into one cell', () => {
    expect(chromaOf(301)).toBe('420');
  });
});

describe('a picture in cells', () => {
  it('is the same picture, with lines that are not seen', async () => {
    const raster = waves(700, 330);
    const { file } = made(raster, { isSmall: true });
    expect(imageOf(file)).toMatchObject({ width: 700, height: 330, isGrid: true });
    const after = await shown(file);
    let most = 0;
    for (let i = 0; i < raster.data.length; i += 1) {
      most = Math.max(most, Math.abs((raster.data[i] ?? 0) - (after.data[i] ?? 0)));
    }
    expect(most).toBeLessThanOrEqual(12);
  });

  it.each([
    ['opaque', () => 255],
    ['transparent in one cell', (x: number) => (x < 20 ? 100 : 255)],
    ['transparent everywhere', () => 100],
    ['transparent in its last cell', (x: number, y: number) => (x > 590 && y > 290 ? 0 : 255)],
  ])('keeps its samples under lossless: %s', async (_, alphaAt) => {
    const raster = waves(600, 300, alphaAt);
    const { file } = made(raster, {
      quality: 'lossless',
      exact: true,
      hasAlpha: true,
      isSmall: true,
    });
    const { data } = await shown(file);
    expect(Buffer.from(data).equals(Buffer.from(raster.data))).toBe(true);
  });

  it('has alpha of exactly what is opaque beside what is not', async () => {
    const raster = waves(600, 300, (x) => (x < 20 ? 0 : 255));
    const { data } = await shown(made(raster, { hasAlpha: true, isSmall: true }).file);
    for (let x = 256; x < 600; x += 1) expect(data[4 * (150 * 600 + x) + 3]).toBe(255);
    expect(data[4 * (150 * 600 + 5) + 3]).toBeLessThan(4);
  });

  it('carries a profile and metadata', () => {
    const icc = new Uint8Array(200).fill(7);
    const xmp = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"></x:xmpmeta>');
    const appearance = { icc, metadata: { ...noMetadata, xmp } };
    for (const isSmall of [false, true]) {
      const { file } = made(waves(600, 300), { appearance, isSmall });
      const image = imageOf(file);
      expect(image.isGrid).toBe(isSmall);
      expect(image.icc).not.toBeNull();
      expect(Buffer.from(readMetadata(image, file).xmp ?? []).equals(xmp)).toBe(true);
    }
  });

  it('is the same picture where groups of its columns take runs of their own', {
    tags: 'slow',
  }, async () => {
    const wide = waves(40_000, 192);
    const cells = cellsOf(wide, (height) => 1_000_000 / height);
    expect(columnsAtOnce(wide, cells)).toBeLessThan(cells.columns);
    arena.reserve(arenaCeiling);
    const run = { memory: arena, appearance: { icc: null, metadata: noMetadata }, maxBytes: 1e6 };
    const wish = { ...asWished, ...usual, cells, hasAlpha: false };
    const { parts } = runAtOnce(avifOfRows(rowsOf(wide), wish, { ...run, bufferBytes: 1e6 }));
    const after = await shown(joinBytes(...parts));
    expect(difference(Buffer.from(after.data), Buffer.from(wide.data))).toBeLessThan(2);
  });

  itForEach(
    [6, 2, 3, 4, 5, 7, 8] as const,
    'is turned cell by cell into the very file that it makes upright: orientation %i',
    (turn) => {
      const lying = waves(600, 330, (x, y) => (x < 90 && y < 40 ? 80 : 255));
      const upright = turnInPlace({ ...lying, data: lying.data.slice() }, turn);
      const options = { hasAlpha: true, isSmall: true };
      const { file } = made(lying, { ...options, turn });
      expect(Buffer.from(file).equals(Buffer.from(made(upright, options).file))).toBe(true);
    },
  );

  it('leaves none of them behind where it is ended', () => {
    const raster = waves(200, 128);
    const cells = { columns: 2, rows: 2, cellWidth: 128, cellHeight: 64 };
    arena.reserve(40 * mebibyte);
    const appearance = { icc: null, metadata: noMetadata };
    const run = { memory: arena, appearance, maxBytes: mebibyte, bufferBytes: mebibyte };
    const wish = { ...asWished, ...usual, cells, hasAlpha: false };
    const work = avifOfRows(pacedRows(rowsOf(raster), 100), wish, run);
    // before a strip, after each of its cells, and before the next strip
    for (let pause = 0; pause < 1 + 2 + 1; pause += 1) work.next();
    const freed = vi.spyOn(ArrayBuffer.prototype, 'transfer');
    onTestFinished(() => freed.mockRestore());
    work.return({ parts: [], quality: 0 });
    // the files of its cells; the strip has been freed with the last of them
    expect(freed).toHaveBeenCalledTimes(2);
  });

  it('is given up where its cells have no room', () => {
    const exhausted = expect.objectContaining({ name: 'CodecError', exhausted: true });
    expect(() => made(waves(600, 300), { isSmall: true, bufferBytes: 1000 })).toThrow(exhausted);
  });
});
