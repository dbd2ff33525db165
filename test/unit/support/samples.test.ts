import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { encodeRaster } from '../../support/samples/encode-raster.ts';
import { renderInterface } from '../../support/samples/interface.ts';
import { renderLogo } from '../../support/samples/logo.ts';
import { renderPhoto } from '../../support/samples/photo.ts';
import { Random } from '../../support/samples/random.ts';
import { createRaster, type Raster } from '../../support/samples/raster.ts';
import { samples } from '../../support/samples/samples.ts';

const SMALL = { width: 240, height: 160 };

describe('a rendered sample', () => {
  it('has the same pixels for the same seed, on every machine', () => {
    expect(hash(renderPhoto(SMALL))).toBe('fc113ac414349e7d');
    expect(hash(renderInterface({ width: 320, height: 200 }))).toBe('ebed3a9ab4309a37');
    expect(hash(renderLogo({ width: 128, height: 128 }))).toBe('91481455d5666e17');
  });

  it('has other pixels for another seed', () => {
    expect(hash(renderPhoto({ ...SMALL, seed: 8 }))).not.toBe(hash(renderPhoto(SMALL)));
    const size = { width: 320, height: 200 };
    expect(hash(renderInterface({ ...size, seed: 12 }))).not.toBe(hash(renderInterface(size)));
  });

  it('has the size that was asked for, however small or odd', () => {
    for (const [width, height] of [
      [1, 1],
      [3, 17],
      [31, 2],
    ] as const) {
      for (const render of [renderPhoto, renderInterface, renderLogo]) {
        const raster = render({ width, height });
        expect([raster.width, raster.height]).toEqual([width, height]);
        expect(raster.data.length).toBe(width * height * raster.channels);
      }
    }
  });

  it('is refused when a side is no positive whole number', () => {
    for (const side of [0, -1, 1.5, Number.NaN]) {
      expect(() => createRaster(side, 1, 3)).toThrow(RangeError);
      expect(() => createRaster(1, side, 4)).toThrow(RangeError);
    }
  });
});

describe('the photo', () => {
  it('compresses like a photo: 1.5 to 5 bits per pixel at quality 95', async () => {
    const width = 480;
    const height = 320;
    const jpeg = await encodeRaster(renderPhoto({ width, height }), 'jpeg', { quality: 95 });
    const bitsPerPixel = (jpeg.length * 8) / (width * height);
    expect(bitsPerPixel).toBeGreaterThan(1.5);
    expect(bitsPerPixel).toBeLessThan(5);
  });

  it('uses the whole range of tones and few pixels at its ends', () => {
    const { data } = renderPhoto(SMALL);
    const dark = data.filter((value) => value < 40).length / data.length;
    const light = data.filter((value) => value > 215).length / data.length;
    const burnt = data.filter((value) => value === 255).length / data.length;
    expect(dark).toBeGreaterThan(0.02);
    expect(light).toBeGreaterThan(0.02);
    expect(burnt).toBeLessThan(0.02);
  });
});

describe('the interface', () => {
  it('has one flat colour on at least a third of its area, and many in smoothed edges', () => {
    const { data } = renderInterface();
    const counts = new Map<number, number>();
    for (let index = 0; index < data.length; index += 3) {
      const color =
        ((data[index] ?? 0) << 16) | ((data[index + 1] ?? 0) << 8) | (data[index + 2] ?? 0);
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
    expect(Math.max(...counts.values()) / (data.length / 3)).toBeGreaterThan(1 / 3);
    expect(counts.size).toBeGreaterThan(500);
  });
});

describe('the logo', () => {
  it('has transparent, half-transparent and opaque pixels', () => {
    const { data } = renderLogo();
    const alphas = data.filter((_, index) => index % 4 === 3);
    const share = (test: (alpha: number) => boolean): number =>
      alphas.filter(test).length / alphas.length;
    expect(share((alpha) => alpha === 0)).toBeGreaterThan(0.2);
    expect(share((alpha) => alpha > 0 && alpha < 255)).toBeGreaterThan(0.1);
    expect(share((alpha) => alpha === 255)).toBeGreaterThan(0.05);
  });

  it('is transparent along its border, so that no shadow is cut off', () => {
    const { width, height, data } = renderLogo();
    for (let step = 0; step < width; step++) {
      for (const pixel of [
        step,
        (height - 1) * width + step,
        step * width,
        step * width + width - 1,
      ]) {
        expect(data[pixel * 4 + 3]).toBe(0);
      }
    }
  });
});

describe('the table of samples', () => {
  it('gives PNG files that open with the signature and header of PNG, and the same from the cache', async () => {
    for (const [name, width, height, colorType] of [
      ['interface.png', 1280, 800, 2],
      ['logo.png', 512, 512, 6],
    ] as const) {
      const sample = samples.find((candidate) => candidate.name === name);
      const bytes = await sample?.render();
      expect(bytes?.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
      expect(bytes?.readUInt32BE(16)).toBe(width);
      expect(bytes?.readUInt32BE(20)).toBe(height);
      expect(bytes?.[25]).toBe(colorType);
      expect(await sample?.render()).toEqual(bytes);
    }
  });

  it('gives a photo of 12 megapixels', async () => {
    const phone = samples.find(({ name }) => name === 'phone.jpg');
    const { width, height, format } = await sharp(await phone?.render()).metadata();
    expect({ width, height, format }).toEqual({ width: 4032, height: 3024, format: 'jpeg' });
  });

  it('names each file once', () => {
    expect(samples.map((sample) => sample.name)).toEqual([
      'photo.jpg',
      'phone.jpg',
      'interface.png',
      'logo.png',
    ]);
  });
});

describe('the generator of random numbers', () => {
  it('gives a seed its own sequence, evenly spread', () => {
    const sequence = (seed: number): number[] => {
      const random = new Random(seed);
      return Array.from({ length: 4000 }, () => random.unit());
    };
    expect(sequence(1)).toEqual(sequence(1));
    expect(sequence(1)).not.toEqual(sequence(2));
    const values = sequence(3);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean).toBeCloseTo(0.5, 1);
  });
});

function hash({ data }: Raster): string {
  return createHash('sha256').update(data).digest('hex').slice(0, 16);
}
