import { describe, expect, it } from 'vitest';
import { emptyCanvas } from '../../../../../src/image/animation/composition.ts';
import { wholeOf } from '../../../../../src/image/animation/regions.ts';
import type { Canvas } from '../../../../../src/image/animation/timeline.ts';
import {
  type ChosenColors,
  FrameColors,
  recolor,
  sharedPaletteBytes,
} from '../../../../../src/image/formats/png/shared-palette.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { Arena } from '../../../../../src/image/wasm/arena.ts';
import { Random } from '../../../../support/random.ts';
import { distance, pointOf } from './kernel/oklab.ts';

type Color = readonly [red: number, green: number, blue: number, alpha: number];

function pictureOf(width: number, height: number, colorAt: (x: number, y: number) => Color) {
  const canvas = emptyCanvas({ width, height });
  const bytes = new Uint8Array(canvas.pixels.buffer);
  for (let i = 0; i < width * height; i += 1) {
    bytes.set(colorAt(i % width, Math.floor(i / width)), 4 * i);
  }
  return canvas;
}

/** An arena with exactly as much memory as stated to be enough for pictures of this width. */
function arenaFor(width: number): Arena {
  const memory = new Arena(4);
  memory.reserve(sharedPaletteBytes(width));
  return memory;
}

/** As many colors as `most` for all pictures, which may have any error. */
function chosen(pictures: readonly Canvas[], most: number): ChosenColors {
  const counted = new FrameColors(arenaFor(Math.max(...pictures.map(({ width }) => width))));
  for (const picture of pictures) {
    runAtOnce(counted.add({ region: wholeOf(picture), picture }));
  }
  return runAtOnce(counted.chosen(most, 0));
}

function recolored(picture: Canvas, colors: Uint8Array): Canvas {
  const shown = emptyCanvas(picture);
  runAtOnce(recolor(picture, shown, colors, arenaFor(picture.width)));
  return shown;
}

const colorAt = ({ pixels }: Canvas, i: number) => [
  ...new Uint8Array(pixels.buffer, pixels.byteOffset + 4 * i, 4),
];

/** Colors that repeat from row to row, so that no row looks different below another one. */
const stripes = (height: number) =>
  pictureOf(500, height, (x) => [x & 255, (7 * x) & 255, x >> 1, x % 50 === 0 ? 0 : 255]);

describe('colours of several frames', () => {
  it('are those of one picture that shows all of them', () => {
    const whole = chosen([stripes(60)], 100);
    const parts = chosen([stripes(20), stripes(1), stripes(39)], 100);
    expect(parts).toEqual(whole);
    expect(whole.colors.length).toBe(400);
  });

  it('are counted in bounded memory, however many there are, and go on as coarsely as they were', () => {
    const random = new Random(1);
    const noise = () =>
      pictureOf(300, 200, () => [
        random.word() & 255,
        random.word() & 255,
        random.word() & 255,
        255,
      ]);
    const { colors, error } = chosen([noise(), noise(), noise()], 256);
    expect(colors.length).toBe(4 * 256);
    // A regular grid of as many colors has no smaller error.
    expect(error).toBeLessThan(3e-3);
  });

  it('hold the colours of a frame that is much smaller than others', () => {
    const red = pictureOf(12, 12, () => [250, 10, 20, 255]);
    const { colors } = chosen([stripes(60), red], 64);
    const distances = Array.from({ length: 64 }, (_, i) =>
      distance(pointOf(colors.subarray(4 * i, 4 * i + 4)), pointOf([250, 10, 20, 255])),
    );
    expect(Math.min(...distances)).toBeLessThan(4e-4);
  });
});

const photo = (seed: number) => {
  const random = new Random(seed);
  return pictureOf(160, 120, (x, y) => {
    const level = 120 + 60 * Math.sin(x / 20) + 40 * Math.cos(y / 15) + 6 * random.unit();
    return [level, 0.8 * level + 20, 255 - level, x < 30 ? 8 * x : 255];
  });
};

describe('a picture in colours of a palette', () => {
  const { colors } = chosen([photo(1)], 40);
  const palette = Array.from({ length: colors.length / 4 }, (_, i) => [
    ...colors.subarray(4 * i, 4 * i + 4),
  ]);

  it('shows each pixel in the nearest colour, or in one that is hardly another one', {
    tags: 'slow',
  }, () => {
    const picture = photo(1);
    const shown = recolored(picture, colors);
    const points = palette.map(pointOf);
    for (let i = 0; i < picture.pixels.length; i += 1) {
      const point = pointOf(colorAt(picture, i));
      const least = Math.min(...points.map((one) => distance(one, point)));
      const color = colorAt(shown, i);
      if (picture.pixels[i] === 0) expect(color).toEqual([0, 0, 0, 0]);
      else expect(palette).toContainEqual(color);
      expect(distance(pointOf(color), point)).toBeLessThan(4 * least + 4e-4);
    }
  });

  it('shows a colour at a place the same, whatever is around it', () => {
    const [one, other] = [photo(2), photo(3)];
    for (let i = 0; i < one.pixels.length; i += 3) other.pixels[i] = one.pixels[i] ?? 0;
    const [shown, beside] = [recolored(one, colors), recolored(other, colors)];
    for (let i = 0; i < one.pixels.length; i += 3) {
      expect(beside.pixels[i]).toBe(shown.pixels[i]);
    }
  });

  it('shows what is opaque opaque, and what is transparent transparent', () => {
    const shown = recolored(photo(4), colors);
    for (const [i, pixel] of photo(4).pixels.entries()) {
      if (pixel >>> 24 === 255) expect((shown.pixels[i] ?? 0) >>> 24).toBe(255);
      if (pixel >>> 24 === 0) expect(shown.pixels[i]).toBe(0);
    }
  });

  it('comes nearer to a colour between two that are close to each other than each of them', () => {
    const two = Uint8Array.of(100, 100, 100, 255, 104, 104, 104, 255);
    const between = pictureOf(64, 64, () => [102, 102, 102, 255]);
    const shown = recolored(between, two);
    const mean = shown.pixels.reduce((sum, pixel) => sum + (pixel & 255), 0) / (64 * 64);
    expect(mean).toBeCloseTo(102, 0);
    expect(new Set(shown.pixels).size).toBe(2);
  });

  it('has no pattern of two colours that are told apart', () => {
    const two = Uint8Array.of(90, 90, 90, 255, 120, 120, 120, 255);
    const between = pictureOf(64, 64, () => [103, 103, 103, 255]);
    expect(new Set(recolored(between, two).pixels).size).toBe(1);
  });
});
