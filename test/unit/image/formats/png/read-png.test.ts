import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { chunk, pixels } from '../../../../support/pictures.ts';
import { readPngRows } from '../../../../support/rows.ts';
import { layouts, type Picture, pngWith, randomNumbers } from './png-writer.ts';
import { inspection, read } from './reading.ts';

/** Three bytes per entry. */
const palette = Uint8Array.from({ length: 3 * 256 }, (_, i) => (i * 37) & 0xff);
const paletteAlpha = Uint8Array.of(0, 255, 100);

function noise(
  width: number,
  height: number,
  [colorType, bitDepth]: (typeof layouts)[number],
  interlaced: boolean,
): Picture {
  const random = randomNumbers(width * 1000 + height * 10 + bitDepth);
  const values = Array.from({ length: width * height * 4 }, () => random(2 ** bitDepth));
  const sample = (x: number, y: number, channel: number) =>
    values[(y * width + x) * 4 + channel] ?? 0;
  const size = { width, height, colorType, bitDepth, interlaced, sample };
  if (colorType !== 3) return size;
  const entries = 2 ** bitDepth;
  const transparency = paletteAlpha.subarray(0, entries);
  return { ...size, palette: palette.subarray(0, 3 * entries), transparency };
}

/** The pixels that the samples represent according to the specification. */
function expected({ width, height, colorType, bitDepth, sample }: Picture): Uint8ClampedArray {
  const rgba = new Uint8ClampedArray(4 * width * height);
  const to8 = (value: number) => Math.round((value * 255) / (2 ** bitDepth - 1));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [a = 0, b = 0, c = 0, d = 0] = [0, 1, 2, 3].map((channel) => sample(x, y, channel));
      const pixel = {
        0: [to8(a), to8(a), to8(a), 255],
        2: [to8(a), to8(b), to8(c), 255],
        3: [...palette.subarray(3 * a, 3 * a + 3), paletteAlpha[a] ?? 255],
        4: [to8(a), to8(a), to8(a), to8(b)],
        6: [to8(a), to8(b), to8(c), to8(d)],
      };
      rgba.set(pixel[colorType], 4 * (y * width + x));
    }
  }
  return rgba;
}

const sizes = [
  [1, 1],
  [2, 1],
  [1, 3],
  [4, 5],
  [5, 4],
  [9, 9],
  [33, 17],
] as const;
const cases = layouts.flatMap(([type, depth]) =>
  [false, true].map((interlaced) => ({ type, depth, interlaced })),
);

describe('the pixels of a PNG', () => {
  it.each(cases)(
    'are what was written: colour type $type, $depth bits, interlaced: $interlaced',
    ({ type, depth, interlaced }) => {
      for (const [width, height] of sizes) {
        const picture = noise(width, height, [type, depth], interlaced);
        expect(read(pngWith(picture)), `${width} × ${height}`).toEqual(expected(picture));
      }
    },
  );

  it.each(cases.filter(({ depth }) => depth <= 8))(
    'are what an independent decoder sees: colour type $type, $depth bits, interlaced: $interlaced',
    async ({ type, depth, interlaced }) => {
      const file = pngWith(noise(33, 17, [type, depth], interlaced));
      expect(Buffer.from(read(file))).toEqual(await pixels(file));
    },
  );

  it('do not depend on how the data are cut into chunks', () => {
    const picture = noise(33, 17, [2, 8], false);
    const whole = pngWith(picture);
    for (const bytes of [1, 2, 7]) {
      expect(read(pngWith(picture, undefined, bytes))).toEqual(read(whole));
    }
  });

  it.each([false, true])('come row by row in order, interlaced: %s', (interlaced) => {
    const picture = noise(9, 9, [4, 16], interlaced);
    const file = pngWith(picture);
    const image = inspection(file);
    if (image === null) throw new Error('not a PNG');
    const rows: number[][] = [];
    readPngRows(file, image, null, (row) => rows.push([...row]));
    expect(rows.map(({ length }) => length)).toEqual(Array(9).fill(4 * 9));
    expect(rows.flat()).toEqual([...expected(picture)]);
  });

  it('let an error of their receiver through', () => {
    const file = pngWith(noise(2, 2, [2, 8], false));
    const image = inspection(file);
    if (image === null) throw new Error('not a PNG');
    const sink = () => {
      throw new RangeError('full');
    };
    expect(() => readPngRows(file, image, null, sink)).toThrow('full');
  });
});

describe('samples of 16 bits', () => {
  it('are rounded, every one of them', { tags: 'slow' }, () => {
    const picture: Picture = {
      ...{ width: 256, height: 256, colorType: 0, bitDepth: 16 },
      sample: (x, y) => 256 * y + x,
    };
    expect(read(pngWith(picture))).toEqual(expected(picture));
  });

  it.each([0, 2, 4, 6] as const)(
    'go through a table, but never alpha: colour type %i',
    (colorType) => {
      const halves = Uint8Array.from({ length: 65_536 }, (_, sample) => sample >> 9);
      const picture = noise(9, 5, [colorType, 16], false);
      const halved = expected(picture).map((_, i) => {
        const pixel = i >> 2;
        const channel = colorType === 0 || colorType === 4 ? 0 : i & 3;
        return picture.sample(pixel % 9, Math.floor(pixel / 9), channel) >> 9;
      });
      const plain = expected(picture);
      const wanted = halved.map((value, i) => ((i & 3) === 3 ? (plain[i] ?? 0) : value));
      expect(read(pngWith(picture), halves)).toEqual(wanted);
    },
  );
});

describe('a transparent colour', () => {
  const alphas = (file: Uint8Array) => [...read(file)].filter((_, i) => i % 4 === 3).map(Number);

  it('is found among grey samples of each depth, of which only the low bits count', () => {
    for (const bitDepth of [1, 2, 4, 8]) {
      const last = 2 ** bitDepth - 1;
      const picture: Picture = {
        ...{ width: 3, height: 1, colorType: 0, bitDepth },
        sample: (x) => (x === 1 ? last : last - 1),
        transparency: Uint8Array.of(3, 255),
      };
      expect(alphas(pngWith(picture))).toEqual([255, 0, 255]);
    }
  });

  it('is compared in all three samples', async () => {
    const colors = [0x010203, 0x010204, 0x010303, 0x020203];
    const picture: Picture = {
      ...{ width: 4, height: 1, colorType: 2, bitDepth: 8 },
      sample: (x, _, channel) => ((colors[x] ?? 0) >> (16 - 8 * channel)) & 0xff,
      transparency: Uint8Array.of(9, 1, 9, 2, 9, 3),
    };
    const file = pngWith(picture);
    expect(alphas(file)).toEqual([0, 255, 255, 255]);
    expect(Buffer.from(read(file))).toEqual(await pixels(file));
  });

  it('is compared in all 16 bits', () => {
    const grey: Picture = {
      ...{ width: 3, height: 1, colorType: 0, bitDepth: 16 },
      sample: (x) => 0x0102 + x - 1,
      transparency: Uint8Array.of(1, 2),
    };
    expect(alphas(pngWith(grey))).toEqual([255, 0, 255]);
    const color: Picture = {
      ...{ width: 4, height: 1, colorType: 2, bitDepth: 16 },
      sample: (x, _, channel) => 0x0102 + (x === channel ? 1 : 0),
      transparency: Uint8Array.of(1, 2, 1, 2, 1, 2),
    };
    expect(alphas(pngWith(color))).toEqual([255, 255, 255, 0]);
  });

  it('counts when it stands before the pixels, the first of two', async () => {
    const picture: Picture = {
      ...{ width: 3, height: 1, colorType: 0, bitDepth: 8 },
      sample: (x) => x,
    };
    const file = pngWith(picture);
    const data = 8 + 25;
    const key = (value: number) => chunk('tRNS', Uint8Array.of(0, value));
    const [head, body, end] = [
      file.subarray(0, data),
      file.subarray(data, -12),
      file.subarray(-12),
    ];
    expect(alphas(Buffer.concat([head, body, key(1), end]))).toEqual([255, 255, 255]);
    const both = Buffer.concat([head, key(1), key(2), body, end]);
    expect(alphas(both)).toEqual([255, 0, 255]);
    expect(Buffer.from(read(both))).toEqual(await pixels(both));
  });

  it('means nothing beside an alpha channel', () => {
    const picture: Picture = {
      ...{ width: 2, height: 1, colorType: 4, bitDepth: 16 },
      sample: (_, __, channel) => (channel === 0 ? 0x0102 : 0xffff),
      transparency: Uint8Array.of(1, 2),
    };
    expect(alphas(pngWith(picture))).toEqual([255, 255]);
  });
});

describe('an index beyond the palette', () => {
  it('is opaque black, as an independent decoder sees it', async () => {
    const picture: Picture = {
      ...{ width: 3, height: 1, colorType: 3, bitDepth: 8 },
      sample: (x) => [0, 2, 255][x] ?? 0,
      palette: Uint8Array.of(10, 20, 30, 40, 50, 60),
      transparency: Uint8Array.of(128),
    };
    const file = pngWith(picture);
    expect([...read(file)]).toEqual([10, 20, 30, 128, 0, 0, 0, 255, 0, 0, 0, 255]);
    expect(Buffer.from(read(file))).toEqual(await sharp(file).ensureAlpha().raw().toBuffer());
  });
});
