import { describe, expect, it } from 'vitest';
import {
  type Sample,
  sampleBytes,
  sampleOf,
  scoreOf,
} from '../../../../src/image/metric/mosaic.ts';
import { tilePlaces } from '../../../../src/image/metric/tiles.ts';
import type { Raster } from '../../../../src/image/pixels/raster.ts';
import { rowsOf } from '../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../src/image/slices.ts';
import { Arena, arena } from '../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../src/image/wasm/budgets.ts';
import { CodecError } from '../../../../src/image/wasm/codec.ts';
import { Random } from '../../../support/random.ts';

/** The sample that is taken of a picture. */
function sampled(whole: Raster, taking: Parameters<typeof sampleOf>[1]): Sample {
  return runAtOnce(sampleOf(rowsOf(whole), taking));
}

/** Calm on the left, busy on the right. */
function picture(
  width: number,
  height: number,
  light: (x: number, y: number) => number = (x) => 100 + 60 * Math.sin(x / 90),
): Raster {
  const random = new Random(3);
  const data = new Uint8ClampedArray(4 * width * height);
  for (let at = 0; at < data.length; at += 4) {
    const x = (at >> 2) % width;
    const noise = x > width / 2 ? (random.word() & 63) - 32 : 0;
    data.fill(light(x, Math.floor((at >> 2) / width)) + noise, at, at + 3);
    data[at + 3] = 255;
  }
  return { width, height, data };
}

describe('a sample', () => {
  it.each([
    [1400, 1000],
    [3000, 200],
    [150, 2600],
    [340, 340],
  ])(
    'of %i x %i pixels consists of tiles that lie in the picture, with its pixels',
    (width, height) => {
      const whole = picture(width, height);
      for (const kind of ['one-run', 'two-runs'] as const) {
        const { mosaic, raster } = sampled(whole, { kind, tiles: 6 });
        expect(mosaic.tiles.length).toBeLessThanOrEqual(6);
        const weights = mosaic.tiles.reduce((sum, { weight }) => sum + weight, 0);
        expect(weights).toBeCloseTo(1);
        for (const [i, { region, core }] of mosaic.tiles.entries()) {
          expect(region.left + region.width).toBeLessThanOrEqual(width);
          expect(region.top + region.height).toBeLessThanOrEqual(height);
          expect(core.left + core.width).toBeLessThanOrEqual(region.width);
          for (const y of [0, region.height - 1]) {
            const at = 4 * ((region.top + y) * width + region.left);
            const own = 4 * (i * mosaic.slotHeight + y) * mosaic.width;
            const row = 4 * region.width;
            expect(raster.data.subarray(own, own + row)).toEqual(whole.data.subarray(at, at + row));
          }
        }
        expect(sampleBytes(whole, { kind, tiles: 6 })).toBeGreaterThanOrEqual(raster.data.length);
      }
    },
  );

  it('is as busy as the picture', { tags: 'slow' }, () => {
    const whole = picture(2000, 1500);
    const { mosaic } = sampled(whole, { kind: 'two-runs', tiles: 8 });
    const busy = mosaic.tiles.filter(({ region, core }) => region.left + core.left > 1000);
    const share = busy.reduce((sum, { weight }) => sum + weight, 0);
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
  });

  it('has a tile of what is busy in a corner, where all else is flat', { tags: 'slow' }, () => {
    const width = 2000;
    const { data } = picture(width, 1500);
    for (let at = 0; at < data.length; at += 4) {
      const [x, y] = [(at >> 2) % width, Math.floor((at >> 2) / width)];
      if (x < 1840 || y < 1340) data.fill(240, at, at + 3);
    }
    const { mosaic } = sampled({ width, height: 1500, data }, { kind: 'two-runs', tiles: 5 });
    const corner = mosaic.tiles.filter(
      ({ region, core }) => region.left + core.left > 1700 && region.top + core.top > 1200,
    );
    const share = corner.reduce((sum, { weight }) => sum + weight, 0);
    expect(share).toBeGreaterThan(0.004);
    expect(share).toBeLessThan(0.05);
  });

  /** How far the score of a sample is from that of the whole, when samples lose their last bits. */
  function offOf(whole: Raster): number {
    const done = ({ data, ...size }: Raster): Raster => ({
      ...size,
      data: data.map((value, at) => (at % 4 === 3 ? value : (value & ~7) + 4)),
    });
    const all = sampled(whole, { kind: 'whole' });
    const some = sampled(whole, { kind: 'two-runs', tiles: 10 });
    const [exact, estimated] = [all, some].map((sample) =>
      runAtOnce(scoreOf(sample, done(sample.raster), false, arena)),
    );
    return Math.abs(Number(estimated) - Number(exact));
  }

  it('scores what was done to all of the picture about as the whole does', { tags: 'slow' }, () => {
    const uneven = (x: number, y: number) =>
      100 + 30 * (Math.sin(x / 90 + y / 40) + Math.sin(y / 70));
    expect(offOf(picture(1400, 1000, uneven))).toBeLessThan(3);
  });

  // a known gap: where calm parts differ in nothing but how a gradient is banded, tiles tell too little
  it.fails('scores bands of a plain gradient about as the whole does', { tags: 'slow' }, () => {
    expect(offOf(picture(1400, 1000))).toBeLessThan(3);
  });
});

it('places are spread over the picture in multiples of 32 pixels', () => {
  const places = tilePlaces({ width: 4000, height: 3000 }, 64);
  expect(places.length).toBeGreaterThan(48);
  expect(places.length).toBeLessThanOrEqual(64);
  expect(places.every(({ region: { left, top } }) => left % 32 === 0 && top % 32 === 0)).toBe(true);
  expect(new Set(places.map(({ region }) => `${region.left},${region.top}`)).size).toBe(
    places.length,
  );
});

it('takes no more of the arena than it may have, however wide the picture is', () => {
  const memory = new Arena();
  const [width, height] = [60_000, 8];
  const raster = { width, height, data: new Uint8ClampedArray(4 * width * height) };
  const sample = sampled(raster, { kind: 'whole' });
  expect(() => runAtOnce(scoreOf(sample, raster, true, memory))).toThrow(CodecError);
  expect(memory.bytes).toBeLessThanOrEqual(arenaCeiling);
});
