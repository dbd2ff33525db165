import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JpegKernel } from '../../../../../src/image/formats/jpeg/kernel.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { itForEach } from '../../../../support/each.ts';
import type { Factors } from '../../../../support/jpeg-maker/content.ts';
import { drawing } from './drawing.ts';
import { jpegInspection } from './inspected.ts';
import { inkSamplings, layouts, made, samplings } from './made-jpegs.ts';
import {
  outcome,
  recoded,
  samples,
  withoutRoomForResult,
  withoutRoomForTokens,
} from './recoding.ts';

/** Room for all that is coded here. */
const arenaBytes = 24 * 2 ** 20;

const named = Object.entries<Factors>({ ...samplings, ...inkSamplings });

describe('a JPEG coded anew without loss', () => {
  beforeAll(() => arena.reserve(arenaBytes));

  it.each(Object.entries(layouts))('has the same samples: %s', async (_name, layout) => {
    for (const [name, factors] of named) {
      const file = made(83, 57, factors, layout(factors.length));
      expect(await samples(recoded(file)), name).toEqual(await samples(file));
    }
  });

  itForEach(named, 'has them at any size: %s', async (_name, factors) => {
    for (const [width, height] of [
      [1, 1],
      [1, 40],
      [40, 1],
      [33, 16],
    ] as const) {
      const file = made(width, height, factors);
      const what = `${width} × ${height}`;
      expect(await samples(recoded(file)), what).toEqual(await samples(file));
    }
  });

  itForEach(named, 'has them where its coefficients are not kept: %s', async (_name, factors) => {
    for (const layout of Object.values(layouts)) {
      const content = layout(factors.length);
      // a progressive picture has to be kept
      if (Array.isArray(content.scans) && content.scans.some(({ se }) => se < 63)) continue;
      const file = made(83, 57, factors, content);
      const streamed = recoded(file, 'lossless', withoutRoomForTokens);
      expect(jpegInspection(streamed).process).not.toBe('progressive');
      expect(await samples(streamed)).toEqual(await samples(file));
    }
  });

  it('has them where its coefficients have been kept for nothing', async () => {
    const file = made(200, 300, samplings['4:2:0']);
    const again = recoded(file, 'lossless', withoutRoomForResult);
    expect(await samples(again)).toEqual(await samples(file));
  });

  it('has them whatever its inks are', async () => {
    for (const adobe of [0, 2] as const) {
      const file = made(50, 40, inkSamplings['four components'], { adobe });
      const again = recoded(file);
      expect(jpegInspection(again).colorSpace).toBe(adobe === 2 ? 'ycck' : 'cmyk');
      expect(await samples(again)).toEqual(await samples(file));
    }
  });

  it('is shorter than one with the tables of T.81', async () => {
    const { data, ...size } = drawing(640, 480);
    const file = await sharp(data, { raw: { ...size, channels: 3 } })
      .jpeg()
      .toBuffer();
    expect(recoded(file).length).toBeLessThan(0.97 * file.length);
  });

  it('is given up where it gets too long, or coefficients have no code', () => {
    const file = made(83, 57, samplings['4:2:0']);
    expect(outcome(file, 'lossless', (kernel) => kernel, 500)).toEqual({ kind: 'too-long' });
    expect(outcome(file, 'lossless', withoutRoomForTokens, 500)).toEqual({ kind: 'too-long' });
    for (const [place, value] of [
      [5, 1024],
      [0, 2048],
    ] as const) {
      const coefficients = (_c: number, bx: number, by: number) =>
        Array.from({ length: 64 }, (_, k) => (k === place && bx + by === 0 ? value : 0));
      const wide = made(83, 57, samplings['4:2:0'], { coefficients });
      for (const change of [(kernel: JpegKernel) => kernel, withoutRoomForTokens]) {
        expect(outcome(wide, 'lossless', change)).toEqual({ kind: 'not-codable' });
      }
    }
  });
});
