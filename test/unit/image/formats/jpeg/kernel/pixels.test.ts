import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { colorSamplings, type Factors } from '../../../../../support/jpeg-maker/content.ts';
import { makeJpeg } from '../../../../../support/jpeg-maker/jpeg-maker.ts';
import { alone, blockOf, type Coefficients, coefficients } from './made-coefficients.ts';
import { begun, type Kind, kinds, rgba, rowsOf } from './pixel-stage.ts';

const sizes = [
  [1, 1],
  [2, 2],
  [3, 5],
  [5, 3],
  [17, 1],
  [1, 17],
  [16, 16],
  [15, 33],
  [37, 18],
  [97, 61],
  [250, 17],
] as const;

const grey: Factors = [[1, 1]];
const full = colorSamplings['4:4:4'];
const halved = colorSamplings['4:2:0'];

describe('at full size', () => {
  it.each<readonly [string, Kind, Factors]>([
    ['grey', 'grey', grey],
    ...Object.entries(colorSamplings).map(([name, factors]) => [name, 'ycc', factors] as const),
    ['RGB', 'rgb', full],
    [
      'RGB of which green has the most samples',
      'rgb',
      [
        [1, 1],
        [2, 2],
        [1, 1],
      ],
    ],
  ])('gives the pixels of libjpeg: %s', async (_name, kind, sampling) => {
    for (const [width, height] of sizes) {
      const picture = coefficients(width, height, sampling);
      const expected = await sharp(jpegOf(picture, kind))
        .toColourspace('srgb')
        .ensureAlpha()
        .raw()
        .toBuffer();
      expect(rgba(picture, 0, kind).equals(expected), `${width} × ${height}`).toBe(true);
    }
  });

  it('takes the nearest sample where pixels are no multiple of samples', () => {
    const [height, width] = [9, 100];
    const picture = coefficients(width, height, [
      [3, 1],
      [2, 1],
      [2, 1],
    ]);
    const pixels = rgba(picture, 0, 'rgb');
    const across = Math.ceil((width * 2) / 3);
    const samples = rgba(alone(picture, 1, across, height), 0, 'grey');
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const nearest = Math.floor(((x + 0.5) * 2) / 3);
        expect(pixels[4 * (y * width + x) + 1]).toBe(samples[4 * (y * across + nearest)]);
      }
    }
  });

  it.each([
    [1023, 255],
    [-1023, 0],
  ])('clamps a block of only %i to %i', (level, expected) => {
    const picture = coefficients(8, 8, grey);
    picture.components[0]?.blocks.fill(0).fill(level, 0, 1);
    picture.components[0]?.steps.fill(16, 0, 1);
    expect([...rgba(picture, 0, 'grey')]).toEqual(
      Array.from({ length: 64 }, () => [expected, expected, expected, 255]).flat(),
    );
  });

  it('gives each row as soon as all that it depends on is there', () => {
    const picture = coefficients(20, 40, halved);
    expect(rowsPerMcuRow(picture, 0, 'ycc')).toEqual([15, 16, 9]);
    expect(rowsPerMcuRow(picture, 1, 'ycc')).toEqual([8, 8, 4]);
    expect(rowsPerMcuRow(picture, 0, 'grey')).toEqual([16, 16, 8]);
  });
});

describe('reduced', () => {
  it.each([1, 2, 3])(
    'each pixel is the mean of those it stands for, halved %i times',
    (halvings) => {
      const picture = coefficients(104, 64, grey, 0.3);
      const side = 1 << halvings;
      const whole = rgba(picture, 0, 'grey');
      const reduced = rgba(picture, halvings, 'grey');
      for (let y = 0; y < 64 / side; y += 1) {
        for (let x = 0; x < 104 / side; x += 1) {
          let sum = 0;
          for (let v = 0; v < side; v += 1) {
            for (let u = 0; u < side; u += 1) {
              sum += whole[4 * ((y * side + v) * 104 + x * side + u)] ?? Number.NaN;
            }
          }
          const difference = (reduced[4 * ((y * 104) / side + x)] ?? Number.NaN) - sum / side ** 2;
          expect(Math.abs(difference)).toBeLessThan(1);
        }
      }
    },
  );

  it('takes halved components as they are at half the size', () => {
    const [width, height] = [53, 39];
    const picture = coefficients(width, height, halved);
    const pixels = rgba(picture, 1, 'rgb');
    const [across, down] = [Math.ceil(width / 2), Math.ceil(height / 2)];
    for (const c of [1, 2]) {
      const samples = rgba(alone(picture, c, across, down), 0, 'grey');
      expect(channel(pixels, c)).toEqual(channel(samples, 0));
    }
  });

  it.each([1, 2, 3])('has its size rounded up, halved %i times', (halvings) => {
    for (const [width, height] of sizes) {
      const [across, down] = [width, height].map((side) => Math.ceil(side / 2 ** halvings));
      const pixels = rgba(coefficients(width, height, halved), halvings, 'ycc');
      expect(pixels.length).toBe(4 * (across ?? 0) * (down ?? 0));
    }
  });
});

describe('what cannot be', () => {
  it('is fewer components than colors', () => {
    expect(begun(coefficients(8, 8, grey)).beginPixels(0, kinds.ycc, 0)).toBe(0);
  });

  it('is a picture wider than there is room', () => {
    expect(begun(coefficients(60000, 8, grey), 256).beginPixels(0, kinds.grey, 0)).toBe(1);
    expect(begun(coefficients(60000, 8, grey), 18).beginPixels(0, kinds.grey, 0)).toBe(0);
  });
});

function rowsPerMcuRow(picture: Coefficients, halvings: number, kind: Kind): number[] {
  return rowsOf(picture, halvings, kind).map((rows) => rows.length);
}

function channel(pixels: Buffer, c: number): number[] {
  return [...pixels].filter((_, i) => i % 4 === c);
}

/** Three components are YCbCr where no segment says otherwise. */
function jpegOf(picture: Coefficients, kind: Kind): Uint8Array {
  return makeJpeg({
    ...picture,
    components: picture.components.map(({ horizontal, vertical }, table) => {
      return { horizontal, vertical, table };
    }),
    tables: picture.components.map(({ steps }) => steps),
    coefficients: (c, x, y) => blockOf(picture, c, x, y),
    ...(kind === 'rgb' ? { adobe: 0 } : {}),
  });
}
