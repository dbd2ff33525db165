import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../../../../../bench/codecs/png/coders.ts';
import { plainDecoded } from '../../../../../bench/codecs/png/plain-decoder.ts';
import type { PngInspection } from '../../../../../src/image/formats/png/inspect.ts';
import { inspect } from '../../../../../src/image/formats/registry.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../src/image/wasm/budgets.ts';
import { itForEach } from '../../../../support/each.ts';
import { displayP3Profile, greyProfile, withPngProfile } from '../../../../support/icc.ts';
import { withPngChunk } from '../../../../support/pictures.ts';
import { Random } from '../../../../support/random.ts';
import { channelCounts, filteredRows, layouts, type Picture, pngWith } from './png-writer.ts';

type Sample = Picture['sample'];

beforeAll(() => arena.reserve(arenaCeiling));

/** A file that is so large that the original is never the shortest. */
function uncompressedPng(picture: Picture): Uint8Array<ArrayBuffer> {
  const png = pngWith(picture, deflateSync(filteredRows(picture), { level: 0 }));
  return Uint8Array.from(withPngChunk(png, 'teXt', new Uint8Array(3000)));
}

function inspected(file: Uint8Array): PngInspection {
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== 'png') throw new Error('not a PNG');
  return result.image;
}

function written(file: Uint8Array<ArrayBuffer>, quality: Parameters<typeof answer>[1]) {
  const result = answer(file, quality);
  if (!result) throw new Error('refused');
  return result;
}

/** Color type and bit depth of the written file. */
function kind(file: Uint8Array<ArrayBuffer>, quality: Parameters<typeof answer>[1] = 'lossless') {
  const { colorType, bitDepth } = inspected(written(file, quality));
  return [colorType, bitDepth];
}

const size = { width: 37, height: 29 };
const rgba = { ...size, colorType: 6, bitDepth: 8 } as const;
const random = new Random(11);
const noise = Array.from({ length: 4 * 37 * 29 }, () => Math.floor(random.unit() * 65_536));
const noisy: Sample = (x, y, channel) => noise[4 * (y * 37 + x) + channel] ?? 0;

/** Examples of samples of a bit depth. */
const contents: readonly (readonly [string, (bitDepth: number, channels: number) => Sample])[] = [
  ['noise', (bitDepth) => (x, y, c) => noisy(x, y, c) % 2 ** bitDepth],
  ['a gradient', (bitDepth) => (x, y) => (x + y) % 2 ** bitDepth],
  ['one colour', (bitDepth) => () => 2 ** bitDepth - 1],
  [
    'few colours',
    (bitDepth) => (x, y, c) => ((x >> 3) + (y >> 3) * c) % Math.min(5, 2 ** bitDepth),
  ],
  [
    'equal bytes in each sample, transparency that is all or nothing',
    (bitDepth, channels) => (x, y, c) => {
      const value = noisy(x, y, c) & 255;
      const shown = channels % 2 === 0 && c === channels - 1 ? 255 * (value & 1) : value;
      return bitDepth === 16 ? shown * 257 : shown % 2 ** bitDepth;
    },
  ],
];

describe('a PNG that is written anew without loss', () => {
  const kinds = layouts.flatMap(([colorType, bitDepth]) =>
    [false, true].map((interlaced) => ({ colorType, bitDepth, interlaced })),
  );

  itForEach(
    // with alpha and interlaced first
    kinds.toReversed(),
    'keeps every sample: $colorType of $bitDepth bits, interlaced $interlaced',
    (layout) => {
      const { colorType, bitDepth } = layout;
      for (const [, content] of contents) {
        const sample = content(bitDepth, channelCounts[colorType]);
        const colors = Uint8Array.from({ length: 3 * 2 ** bitDepth }, (_, i) => i * 73);
        const palette =
          colorType === 3 ? { palette: colors, transparency: colors.subarray(5, 7) } : {};
        const key = Uint8Array.from([0, 1, 0, 1, 0, 1]).subarray(0, colorType === 0 ? 2 : 6);
        const keyed = colorType === 0 || colorType === 2 ? [{}, { transparency: key }] : [{}];
        for (const transparency of keyed) {
          const file = uncompressedPng({ ...size, ...layout, sample, ...palette, ...transparency });
          const result = written(file, 'lossless');
          expect(result.length).toBeLessThan(file.length);
          expect(plainDecoded(result)).toEqual(plainDecoded(file));
        }
      }
    },
  );

  it('has the fewest samples that hold it', () => {
    const opaque: Sample = (x, y, c) => (c === 3 ? 255 : noisy(x, y, c) & 255);
    const grey: Sample = (x, y, c) => (c === 3 ? 255 : noisy(x, y, 0) & 255);
    const greyAlpha: Sample = (x, y, c) => noisy(x, y, c === 3 ? 3 : 0) & 255;
    expect(kind(uncompressedPng({ ...rgba, sample: opaque }))).toEqual([2, 8]);
    expect(kind(uncompressedPng({ ...rgba, sample: grey }))).toEqual([0, 8]);
    expect(kind(uncompressedPng({ ...rgba, sample: greyAlpha }))).toEqual([4, 8]);
    expect(kind(uncompressedPng({ ...rgba, sample: (x, y, c) => noisy(x, y, c) & 255 }))).toEqual([
      6, 8,
    ]);
    const black = (x: number, y: number) => 255 * (noisy(x, y, 0) & 1);
    expect(
      kind(uncompressedPng({ ...rgba, sample: (x, y, c) => (c === 3 ? 255 : black(x, y)) })),
    ).toEqual([0, 1]);
  });

  it('has a key for what is transparent, where nothing opaque has its colour', () => {
    const shown: Sample = (x, y, c) => {
      const isHidden = (noisy(x, y, 3) & 3) === 0;
      if (c === 3) return isHidden ? 0 : 255;
      return isHidden ? 9 : 10 + (noisy(x, y, c) % 240);
    };
    const file = uncompressedPng({ ...rgba, sample: shown });
    expect(kind(file)).toEqual([2, 8]);
    expect(inspected(written(file, 'lossless')).hasAlpha).toBe(true);
    const clash: Sample = (x, y, c) => (x + y === 0 && c < 3 ? 9 : shown(x, y, c));
    const opaqueCorner: Sample = (x, y, c) => (x + y === 0 && c === 3 ? 255 : clash(x, y, c));
    expect(kind(uncompressedPng({ ...rgba, sample: opaqueCorner }))).toEqual([6, 8]);
  });

  it('stays of the kind that its profile is for', () => {
    const grey = uncompressedPng({
      ...rgba,
      sample: (x, y, c) => (c === 3 ? 255 : noisy(x, y, 0) & 255),
    });
    expect(kind(withPngProfile(grey, displayP3Profile()))).toEqual([3, 8]);
    const greys = { ...size, colorType: 0, bitDepth: 8 } as const;
    const few = uncompressedPng({
      ...greys,
      sample: (x, y) => [3, 77, 200][noisy(x, y, 0) % 3] ?? 0,
    });
    expect(kind(withPngProfile(few, greyProfile()))).toEqual([0, 8]);
  });

  it('keeps colours that nobody sees, and clears them otherwise', () => {
    const sample: Sample = (x, y, c) => (c === 3 && (x & 1) === 0 ? 0 : noisy(x, y, c) & 255);
    const file = uncompressedPng({ ...rgba, sample });
    expect(plainDecoded(written(file, 'lossless'))).toEqual(plainDecoded(file));
    const [before, after] = [plainDecoded(file), plainDecoded(written(file, 'auto'))];
    const hidden = before.data.findIndex((value, i) => i % 4 === 3 && value === 0) - 3;
    expect([...before.data.subarray(hidden, hidden + 3)]).not.toEqual([0, 0, 0]);
    expect([...after.data.subarray(hidden, hidden + 4)]).toEqual([0, 0, 0, 0]);
  });

  it('is the same for files that are large enough to be written in other ways', {
    tags: 'slow',
    timeout: 240_000,
  }, () => {
    for (const [width, height] of [
      [2600, 1700],
      [700, 500],
      [70_000, 3],
      [3, 70_000],
    ] as const) {
      const sample: Sample = (x, y, c) => ((x >> 4) ^ (y >> 3)) * 40 + c;
      const file = uncompressedPng({
        width,
        height,
        colorType: 2,
        bitDepth: 8,
        sample: (x, y, c) => sample(x, y, c) & 255,
      });
      expect(plainDecoded(written(file, 'lossless'))).toEqual(plainDecoded(file));
      expect(plainDecoded(written(file, 'auto'))).toEqual(plainDecoded(file));
    }
  });
});

describe('a PNG that is written anew with loss', () => {
  it('keeps every colour where there are no more than 256', () => {
    const sample: Sample = (x, y, c) => (c === 0 ? x * 6 : c === 1 ? (y >> 2) * 30 : 99);
    const file = uncompressedPng({ ...size, colorType: 2, bitDepth: 8, sample });
    expect(plainDecoded(written(file, 'auto'))).toEqual(plainDecoded(file));
  });

  it('has fewer colours below that', { tags: 'slow' }, () => {
    const colors = (quality: number) => {
      const grain = Array.from({ length: 40_000 }, () => Math.floor(random.unit() * 200));
      const sample: Sample = (x, y, c) => ((grain[y * 200 + x] ?? 0) + 17 * c) & 255;
      const file = uncompressedPng({ width: 200, height: 200, colorType: 2, bitDepth: 8, sample });
      return inspected(written(file, quality)).paletteSize;
    };
    expect(colors(45)).toBeLessThan(200);
    expect(colors(10)).toBeLessThan(colors(45));
  });

  it('is no palette under a profile for grey', () => {
    const sample: Sample = (x, y, c) => (c === 1 ? noisy(x, y, 1) & 255 : x * 6);
    const file = uncompressedPng({ ...size, colorType: 4, bitDepth: 8, sample });
    expect(kind(withPngProfile(file, greyProfile()), 50)).toEqual([4, 8]);
  });

  it('becomes a palette where that is not seen, and 8 bits', { tags: 'slow' }, () => {
    const grain = Array.from({ length: 45_000 }, () => Math.floor(random.unit() * 2500));
    const sample: Sample = (x, y, c) => 30_000 + (grain[3 * (y * 150 + x) + c] ?? 0);
    const file = uncompressedPng({ width: 150, height: 100, colorType: 2, bitDepth: 16, sample });
    expect(kind(file, 'auto')).toEqual([3, 8]);
    const [before, after] = [plainDecoded(file), plainDecoded(written(file, 'auto'))];
    const differences = before.data.map((value, i) => Math.abs(value - (after.data[i] ?? 0)));
    expect(Math.max(...differences)).toBeLessThan(0.03 * 65_535);
  });

  it('stays what it is where a palette would show', () => {
    const random = new Random(8);
    const sample: Sample = () => random.word() & 255;
    const file = uncompressedPng({ width: 90, height: 70, colorType: 2, bitDepth: 8, sample });
    expect(kind(file, 'auto')).toEqual([2, 8]);
  });
});

describe.runIf(process.env.CORPUS)('every sample of every real PNG', { tags: 'slow' }, () => {
  const corpus = process.env.CORPUS ?? '';
  for (const folder of ['pngsuite', 'ui', 'alpha', 'kodak']) {
    it(`of ${folder} stays without loss`, () => {
      let read = 0;
      for (const name of readdirSync(join(corpus, folder)).filter((file) =>
        file.endsWith('.png'),
      )) {
        const file = Uint8Array.from(readFileSync(join(corpus, folder, name)));
        const result = answer(file, 'lossless');
        if (!result) continue;
        read += 1;
        expect(result.length, name).toBeLessThanOrEqual(file.length);
        const [before, after] = [plainDecoded(file), plainDecoded(result)];
        expect(Buffer.compare(bytes(after.data), bytes(before.data)), name).toBe(0);
      }
      expect(read).toBeGreaterThan(10);
    }, 120_000);
  }
});

function bytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
