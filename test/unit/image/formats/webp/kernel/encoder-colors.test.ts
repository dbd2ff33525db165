import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../support/random.ts';
import {
  decodedPixel,
  fittedLuma,
  interpolated,
  luminanceOf,
  movedLuma,
  plainLuma,
  referenceChroma,
} from './encoder-colors-reference.ts';
import { type Coded, codedColors, type Plane } from './encoder-colors-stage.ts';
import { drawn, type Picture } from './libwebp-pictures.ts';

const random = new Random(22);
const level = () => random.word() & 0xff;
const levels = Array.from({ length: 256 }, (_, i) => i);

/** Pixels of any color side by side. */
const noise = (width: number, height: number) =>
  drawn(width, height, () => [level(), level(), level(), 255]);

/** Colors that drift, with a little grain. */
const photo = (width: number, height: number) =>
  drawn(width, height, (x, y) => {
    const grain = level() >> 5;
    return [90 + x + grain, 120 + y / 2 + grain, 160 - x / 2 + grain, 255];
  });

interface Pixel {
  readonly color: readonly [number, number, number];
  readonly luma: number;
  readonly u: number;
  readonly v: number;
}

/** Each pixel with its luma and the chroma that a decoder gives it. */
function pixelsOf(picture: Picture, coded: Coded): Pixel[] {
  const { width, height, data } = picture;
  return Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    const [red = 0, green = 0, blue = 0] = data.subarray(4 * i, 4 * i + 3);
    return {
      color: [red, green, blue],
      luma: coded.luma.data[y * coded.luma.width + x] ?? 0,
      u: interpolated(coded.u, picture, x, y),
      v: interpolated(coded.v, picture, x, y),
    };
  });
}

function expectChroma(plane: Plane, exact: Float64Array, columns: number, name: string): void {
  const off = exact.map((sample, i) => {
    const at = Math.floor(i / columns) * plane.width + (i % columns);
    return Math.abs((plane.data[at] ?? 0) - sample);
  });
  // rounded: where the reference is almost halfway between two samples, either will do
  expect(Math.max(...off), name).toBeLessThan(0.51);
}

/** Luma is plain where that decodes to the right color, and else nearer to what brings luminance nearest. */
function expectLuma({ color, luma, u, v }: Pixel, name: string): void {
  const plain = plainLuma(...color);
  const decoded = decodedPixel(plain, u, v);
  if (decoded.every((value, i) => Math.abs(value - (color[i] ?? 0)) <= 2)) {
    expect(luma, name).toBe(plain);
    return;
  }
  const wanted = luminanceOf(color);
  const best = fittedLuma(wanted, u, v);
  const errorOf = (fitted: number) => Math.abs(luminanceOf(decodedPixel(fitted, u, v)) - wanted);
  // in the darks, Newton's method ends within a third of a level of gray
  const isNear = (fitted: number) =>
    (fitted >= best.least - 1 && fitted <= best.most + 1) || errorOf(fitted) - best.error < 1.3e-4;
  const fits = levels.filter(isNear).map((fitted) => movedLuma(plain, fitted));
  expect(fits, name).toContain(luma);
}

function expectRepeated(plane: Plane, width: number, height: number, name: string): void {
  const expected = plane.data.map((_, i) => {
    const x = Math.min(i % plane.width, width - 1);
    const y = Math.min(Math.floor(i / plane.width), height - 1);
    return plane.data[y * plane.width + x] ?? 0;
  });
  expect(plane.data, name).toEqual(expected);
}

const sizes = Array.from({ length: 33 }, (_, i) => i + 1);

describe("the lossy encoder's colours", () => {
  it.each<[string, (size: number) => [number, number]]>([
    ['square', (size) => [size, size]],
    ['one pixel wide', (size) => [1, size]],
    ['one pixel high', (size) => [size, 1]],
    ['wide and high in turns', (size) => [size, 34 - size]],
  ])('are as defined in all small sizes: %s', { tags: 'slow' }, (_, sizeOf) => {
    for (const size of sizes) {
      const [width, height] = sizeOf(size);
      const name = `${width} × ${height}`;
      const picture = noise(width, height);
      const coded = codedColors(picture);
      const columns = (width + 1) >> 1;
      const rows = (height + 1) >> 1;
      const chroma = referenceChroma(picture, false);
      expectChroma(coded.u, chroma.u, columns, name);
      expectChroma(coded.v, chroma.v, columns, name);
      for (const pixel of pixelsOf(picture, coded)) expectLuma(pixel, name);
      expectRepeated(coded.luma, width, height, name);
      expectRepeated(coded.u, columns, rows, name);
      expectRepeated(coded.v, columns, rows, name);
      expect(coded.counted, name).toBe(coded.taken);
    }
  });

  it('are as defined in a photo, where most luma is plain', () => {
    const picture = photo(70, 50);
    const coded = codedColors(picture);
    const chroma = referenceChroma(picture, false);
    expectChroma(coded.u, chroma.u, 35, 'U');
    expectChroma(coded.v, chroma.v, 35, 'V');
    for (const pixel of pixelsOf(picture, coded)) expectLuma(pixel, 'luma');
  });

  it('have the luminance of the source in fine patterns, far nearer than with plain luma', () => {
    const picture = drawn(64, 48, () => [130 + (level() >> 2), 130 + (level() >> 2), 120, 255]);
    let fitted = 0;
    let plain = 0;
    for (const { color, luma, u, v } of pixelsOf(picture, codedColors(picture))) {
      const wanted = luminanceOf(color);
      fitted += (luminanceOf(decodedPixel(luma, u, v)) - wanted) ** 2;
      plain += (luminanceOf(decodedPixel(plainLuma(...color), u, v)) - wanted) ** 2;
    }
    expect(fitted).toBeLessThan(plain / 50);
  });

  it('stay strong in thin lines and beside them', () => {
    const red = [220, 20, 30, 255] as const;
    const white = [255, 255, 255, 255] as const;
    const leastRed = (line: readonly number[], ground: readonly number[]) => {
      const picture = drawn(48, 48, (x) => (x % 16 === 7 ? line : ground));
      const reds = pixelsOf(picture, codedColors(picture)).filter(({ color }) => color[1] === 20);
      return Math.min(
        ...reds.map(({ luma, u, v }) => {
          const [r, g] = decodedPixel(luma, u, v);
          return r - g;
        }),
      );
    };
    // of 200; chroma by light and luma that is moved in full leave 39 and 87
    expect(leastRed(red, white)).toBeGreaterThanOrEqual(60);
    expect(leastRed(white, red)).toBeGreaterThanOrEqual(110);
  });

  it('are plain luma and no chroma where the source is grey', () => {
    const ramp = drawn(64, 16, (x, y) => [...Array(3).fill(64 * (y & 3) + x), 255]);
    const edges = drawn(37, 29, () => [...Array(3).fill(level()), 255]);
    for (const picture of [ramp, edges]) {
      const coded = codedColors(picture);
      expect(new Set([...coded.u.data, ...coded.v.data])).toEqual(new Set([128]));
      for (const { color, luma } of pixelsOf(picture, coded)) {
        expect(luma).toBe(plainLuma(...color));
      }
      expect(coded.colorful).toBe(0);
    }
  });

  it('are the same in each run', () => {
    const picture = drawn(45, 52, () => [level(), level(), level(), level() & 0x81]);
    for (const hasAlpha of [false, true]) {
      expect(codedColors(picture, { hasAlpha, runs: 3 })).toEqual(
        codedColors(picture, { hasAlpha }),
      );
    }
  });

  it('wait for two rows below a row of macroblocks, or the end', () => {
    const complete = (height: number) => codedColors(photo(5, height)).complete;
    const changes = (height: number) =>
      complete(height).flatMap((count, y, all) =>
        count === (all[y - 1] ?? 0) ? [] : [[y, count]],
      );
    expect(changes(1)).toEqual([[0, 1]]);
    expect(changes(16)).toEqual([[15, 1]]);
    expect(changes(17)).toEqual([[16, 2]]);
    expect(changes(18)).toEqual([[17, 2]]);
    expect(changes(33)).toEqual([
      [17, 1],
      [32, 3],
    ]);
    expect(changes(50)).toEqual([
      [17, 1],
      [33, 2],
      [49, 4],
    ]);
  });
});

describe('blocks that halved chroma does not serve', () => {
  const redOnBlue = drawn(64, 48, (x, y) =>
    (x >> 1) % 3 === 0 || y % 5 === 0 ? [230, 20, 20, 255] : [10, 20, 200, 255],
  );

  it('are those of red text on blue, and none of a photo', () => {
    expect(codedColors(redOnBlue).colorful).toBe(4 * 3);
    expect(codedColors(photo(64, 48)).colorful).toBe(0);
  });

  it('are those whose decoded colours are off by more than 6 levels RMS', () => {
    const width = 320;
    const picture = drawn(width, 31, (x) => {
      const grain = (level() * (x >> 4)) >> 8;
      return [120 + grain, 120 - grain, 130 + 2 * grain, 255];
    });
    const coded = codedColors(picture);
    const squares = new Float64Array(20 * 2);
    for (const [i, { color, luma, u, v }] of pixelsOf(picture, coded).entries()) {
      const block = 20 * (i >= 16 * width ? 1 : 0) + ((i % width) >> 4);
      const rows = i >= 16 * width ? 15 : 16;
      for (const [c, value] of decodedPixel(luma, u, v).entries()) {
        squares[block] = (squares[block] ?? 0) + (value - (color[c] ?? 0)) ** 2 / (3 * 16 * rows);
      }
    }
    const beyond = (rms: number) => squares.filter((square) => Math.sqrt(square) > rms).length;
    expect(coded.colorful).toBeGreaterThanOrEqual(beyond(6.1));
    expect(coded.colorful).toBeLessThanOrEqual(beyond(5.9));
    expect(beyond(6)).toBeGreaterThan(5);
    expect(beyond(6)).toBeLessThan(35);
  });

  it('count at the right edge over the pixels that exist', () => {
    // left of it is the mean of red and blue, so that nothing is blended over the edge
    const edge = drawn(17, 16, (x, y) =>
      x < 16 ? [188, 0, 188, 255] : y & 1 ? [255, 0, 0, 255] : [0, 0, 255, 255],
    );
    expect(codedColors(edge).colorful).toBe(1);
  });

  it('count less, the more of what is off is transparent', () => {
    const faded = (alpha: number) =>
      drawn(64, 48, (x, y) => {
        if (y % 16 > 7) return [188, 0, 188, 255];
        return x & 1 ? [210, 0, 160, alpha] : [160, 0, 210, alpha];
      });
    const count = (alpha: number) => codedColors(faded(alpha), { hasAlpha: true }).colorful;
    expect(count(255)).toBe(4 * 3);
    expect(count(4)).toBe(0);
    expect(count(0)).toBe(0);
  });
});
