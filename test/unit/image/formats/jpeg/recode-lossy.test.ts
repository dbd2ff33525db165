import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import type { Factors } from '../../../../support/jpeg-maker/content.ts';
import { drawing } from './drawing.ts';
import { jpegInspection } from './inspected.ts';
import { inkSamplings, made, samplings } from './made-jpegs.ts';
import { recoded, samples, withoutRoomForResult, withoutRoomForTokens } from './recoding.ts';

/** Room for all that is coded here. */
const arenaBytes = 24 * 2 ** 20;

const named = Object.entries<Factors>({ ...samplings, ...inkSamplings });

describe('a JPEG coded anew with loss', () => {
  const [width, height] = [256, 192];
  const picture = drawing(width, height);
  const raw = { width, height, channels: 3 } as const;
  const source = (options: object) =>
    sharp(picture.data, { raw })
      .jpeg({ quality: 95, ...options })
      .toBuffer();

  beforeAll(() => arena.reserve(arenaBytes));

  it.each([
    ['4:2:0', { chromaSubsampling: '4:2:0' }],
    ['4:4:4', { chromaSubsampling: '4:4:4' }],
    ['progressive', { chromaSubsampling: '4:4:4', progressive: true }],
  ])('is next to its source, and the closer the better its quality: %s', async (_name, options) => {
    const file = await source(options);
    const original = await samples(file);
    let last = Number.POSITIVE_INFINITY;
    for (const quality of [30, 60, 77, 85]) {
      const error = meanError(await samples(recoded(file, quality)), original);
      const libjpeg = await sharp(file).jpeg({ quality }).toBuffer();
      expect(error).toBeLessThan(1 + 2 * meanError(await samples(libjpeg), original));
      expect(error).toBeLessThanOrEqual(last + 0.1);
      expect(error).toBeLessThan(6);
      last = error;
    }
  });

  it('comes out the same whether its coefficients are kept or not', async () => {
    for (const chromaSubsampling of ['4:2:0', '4:4:4']) {
      const file = await source({ chromaSubsampling });
      for (const quality of [50, 90]) {
        const kept = await samples(recoded(file, quality));
        const streamed = await samples(recoded(file, quality, withoutRoomForTokens));
        expect(streamed).toEqual(kept);
        expect(await samples(recoded(file, quality, withoutRoomForResult))).toEqual(kept);
      }
    }
  });

  it('keeps every sampling but that of chroma which it halves', () => {
    for (const [name, factors] of named) {
      const file = made(83, 57, factors, factors.length === 3 ? { jfif: true } : {});
      const before = jpegInspection(file);
      const after = jpegInspection(recoded(file, 90));
      expect(after.colorSpace, name).toBe(before.colorSpace);
      // of a single component they mean nothing
      if (factors.length > 1) expect(after.components.map(sampling)).toEqual(factors);
      expect(after.components.map(({ id }) => id)).toEqual(before.components.map(({ id }) => id));
    }
  });

  it('has one sample of chroma for four pixels where the quality is low', async () => {
    for (const chromaSubsampling of ['4:4:4', '4:2:0']) {
      const file = await source({ chromaSubsampling });
      expect(jpegInspection(recoded(file, 60)).components.map(sampling)).toEqual([
        [2, 2],
        [1, 1],
        [1, 1],
      ]);
    }
  });

  it('stays red, green and blue, each with all of its samples', async () => {
    const components = [...'RGB'].map((id) => ({ id: id.charCodeAt(0) }));
    const file = made(64, 48, samplings['4:4:4'], { components });
    const again = recoded(file, 60);
    expect(jpegInspection(again)).toMatchObject({ colorSpace: 'rgb', components });
    expect(meanError(await samples(again), await samples(file))).toBeLessThan(12);
  });

  it('keeps to the inks that it had', async () => {
    for (const adobe of [0, 2] as const) {
      const file = made(64, 48, inkSamplings['four components'], { adobe });
      const again = recoded(file, 60);
      expect(jpegInspection(again).colorSpace).toBe(adobe === 2 ? 'ycck' : 'cmyk');
      expect(meanError(await samples(again), await samples(file))).toBeLessThan(12);
    }
  });
});

function meanError(one: Buffer, other: Buffer): number {
  expect(one.length).toBe(other.length);
  return one.reduce((sum, sample, i) => sum + Math.abs(sample - (other[i] ?? 0)), 0) / one.length;
}

function sampling({ horizontal, vertical }: { horizontal: number; vertical: number }) {
  return [horizontal, vertical];
}
