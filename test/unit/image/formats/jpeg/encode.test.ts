import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeJpeg } from '../../../../../src/image/formats/jpeg/encode.ts';
import { runJpegKernel } from '../../../../../src/image/formats/jpeg/kernel.ts';
import { maxJpegBytes } from '../../../../../src/image/formats/jpeg/memory.ts';
import { codedHead } from '../../../../../src/image/formats/jpeg/rewrap.ts';
import {
  type JpegSettings,
  pixelSamplings,
} from '../../../../../src/image/formats/jpeg/sampling.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import type { Raster } from '../../../../../src/image/pixels/raster.ts';
import { rowsOf } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { CodecError } from '../../../../../src/image/wasm/codec.ts';
import { Random } from '../../../../support/random.ts';
import { jpegEncoder } from '../../../../support/rows.ts';
import { drawing } from './drawing.ts';
import { jpegInspection } from './inspected.ts';
import { painted } from './painted.ts';
import { colorSamples, likeness, worstError } from './raster-likeness.ts';
import { type Change, withoutRoomForResult, withoutRoomForTokens } from './recoding.ts';

const color = { quality: 75, grey: false };

describe('a JPEG of pixels', () => {
  beforeAll(() => arena.reserve(48 * 2 ** 20));

  it.each([
    [40, 33],
    [75, 36],
    [90, 37.5],
    [100, 46],
  ])('is like them: quality %s', async (quality, least) => {
    const raster = drawn(203, 157);
    expect(
      await likeness(raster, jpegEncoder.encode(raster, { quality, grey: false })),
    ).toBeGreaterThan(least);
  });

  it.each([
    [1, 1],
    [1, 40],
    [40, 1],
    [7, 9],
    [16, 16],
    [17, 33],
  ])('is like them to the last column and row: %s × %s', async (width, height) => {
    const raster = slopes(width, height);
    for (const settings of [color, { quality: 95, grey: false }]) {
      const file = jpegEncoder.encode(raster, settings);
      expect(await worstError(raster, file)).toBeLessThanOrEqual(settings.quality === 95 ? 5 : 14);
    }
  });

  it('has the colours of its pixels', async () => {
    for (const [r, g, b] of [
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
      [255, 255, 0],
      [0, 255, 255],
      [255, 0, 255],
      [255, 255, 255],
      [0, 0, 0],
    ] as const) {
      const raster = filled(20, 12, [r, g, b, 255]);
      for (const quality of [90, 100]) {
        const file = jpegEncoder.encode(raster, { quality, grey: false });
        expect(await worstError(raster, file), `${r} ${g} ${b}`).toBeLessThanOrEqual(3);
      }
    }
  });

  it('is grey where they are', async () => {
    const { data, ...size } = slopes(61, 47);
    const raster = { ...size, data: data.map((_, i) => data[i & ~3] ?? 0) };
    const ofThree = await colorSamples(jpegEncoder.encode(raster, color), 3);
    for (let i = 0; i < ofThree.length; i += 3) {
      expect(ofThree[i + 1]).toBe(ofThree[i]);
      expect(ofThree[i + 2]).toBe(ofThree[i]);
    }
    const file = jpegEncoder.encode(raster, { ...color, grey: true });
    expect(jpegInspection(file).colorSpace).toBe('grey');
    expect(await colorSamples(file, 3)).toEqual(ofThree);
  });

  it('says that it is JFIF, and has a sample of chroma for four pixels where that will do', () => {
    const raster = drawn(64, 64);
    const file = jpegEncoder.encode(raster, color);
    const start = [
      0xff,
      0xd8,
      0xff,
      0xe0,
      0,
      16,
      ...Buffer.from('JFIF\0'),
      1,
      1,
      0,
      0,
      1,
      0,
      1,
      0,
      0,
    ];
    expect([...file.subarray(0, 20)]).toEqual(start);
    expect([...jpegEncoder.encode(raster, { ...color, grey: true }).subarray(0, 20)]).toEqual(
      start,
    );
    expect(lumaSampling(file)).toEqual([2, 2]);
    expect(lumaSampling(jpegEncoder.encode(raster, { quality: 90, grey: false }))).toEqual([1, 1]);
    expect(lumaSampling(jpegEncoder.encode(redLines(64, 64), color))).toEqual([1, 1]);
  });

  it.each([
    ['tokens', withoutRoomForTokens],
    ['the result beside them', withoutRoomForResult],
  ])(
    'is the same, and hardly longer, where there is no room for %s',
    { tags: 'slow' },
    async (_what, change) => {
      const raster = drawn(403, 305);
      for (const settings of [color, { quality: 85, grey: false }, { quality: 60, grey: true }]) {
        const kept = jpegEncoder.encode(raster, settings);
        const streamed = encodedWith(change, raster, { ...settings, lowMemory: true });
        expect(jpegInspection(streamed).process).not.toBe('progressive');
        expect(await colorSamples(streamed, 3)).toEqual(await colorSamples(kept, 3));
        expect(streamed.length).toBeLessThan(1.2 * kept.length);
        expect(() => encodedWith(change, raster, settings)).toThrow(CodecError);
      }
    },
  );

  it('keeps to what is said of its length, whatever the picture', { tags: 'slow' }, () => {
    const raster = noise(301, 203);
    for (const quality of [5, 30, 60, 75, 90, 100]) {
      for (const grey of [false, true]) {
        for (const lowMemory of [false, true]) {
          const settings = { quality, grey, lowMemory };
          const { length } = jpegEncoder.encode(raster, settings);
          const most = maxJpegBytes(raster, settings);
          expect(length).toBeLessThanOrEqual(most);
          expect(length).toBeGreaterThan(0.5 * most - 4096);
        }
      }
    }
  });
});

describe.skipIf(!process.env.CORPUS)('a JPEG of a photo', { tags: 'slow' }, () => {
  beforeAll(() => arena.reserve(48 * 2 ** 20));

  it.each(['kodim05', 'kodim13', 'kodim23'])(
    'is no worse than that of libjpeg, and shorter: %s',
    async (name) => {
      const file = readFileSync(join(process.env.CORPUS ?? '', 'kodak', `${name}.png`));
      const { data, info } = await sharp(file)
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      const raster = { width: info.width, height: info.height, data: new Uint8ClampedArray(data) };
      for (const quality of [60, 75, 90]) {
        const chromaSubsampling = quality < 80 ? '4:2:0' : '4:4:4';
        const theirs = await sharp(file).jpeg({ quality, chromaSubsampling }).toBuffer();
        const ours = jpegEncoder.encode(raster, { quality, grey: false });
        // it is made to look as good, not to have the least error
        expect(await likeness(raster, ours)).toBeGreaterThan(
          (await likeness(raster, theirs)) - 1.5,
        );
        expect(ours.length).toBeLessThan(0.95 * theirs.length);
      }
    },
  );
});

/** Coded in the first sampling, by a kernel that is changed. */
function encodedWith(change: Change, raster: Raster, settings: JpegSettings): Uint8Array {
  const [sampling = []] = pixelSamplings(settings);
  const writing = {
    head: codedHead({ icc: null, metadata: noMetadata }),
    maxBytes: Number.MAX_SAFE_INTEGER,
  };
  const coded = runAtOnce(
    runJpegKernel(new Uint8Array(), (kernel) =>
      encodeJpeg(change(kernel), rowsOf(raster), settings, sampling, writing),
    ),
  );
  if (coded.kind !== 'coded') throw new Error(coded.kind);
  return coded.bytes.slice();
}

function drawn(width: number, height: number): Raster {
  const { data } = drawing(width, height);
  return painted(width, height, (x, y) => [...data.subarray(3 * (y * width + x)).subarray(0, 3)]);
}

/** Colors that rise across and down, so that no edge is like another. */
function slopes(width: number, height: number): Raster {
  return painted(width, height, (x, y) => [30 + 3 * x + y, 200 - 2 * y, 90 + x + y]);
}

function filled(width: number, height: number, color: readonly number[]): Raster {
  return painted(width, height, () => color);
}

/** Lines as thin as can be, of a red as bright as the gray between them. */
function redLines(width: number, height: number): Raster {
  return painted(width, height, (x) => (x % 2 === 0 ? [255, 0, 0] : [76, 76, 76]));
}

function noise(width: number, height: number): Raster {
  const random = new Random(3);
  return painted(width, height, () => [0, 0, 0].map(() => (random.word() < 2 ** 31 ? 0 : 255)));
}

function lumaSampling(file: Uint8Array): number[] {
  const [luma] = jpegInspection(file).components;
  return [luma?.horizontal ?? 0, luma?.vertical ?? 0];
}
