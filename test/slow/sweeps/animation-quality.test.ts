import { describe, expect, it } from 'vitest';
import type { Optimized, OptimizeOptions } from '../../../src/image/engine.ts';
import { ScorePool } from '../../../src/image/metric/ssimulacra2.ts';
import type { Size } from '../../../src/image/pixels/raster.ts';
import { rowsOf } from '../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { Arena } from '../../../src/image/wasm/arena.ts';
import { generatedAnimations } from '../../support/animations/generated.ts';
import { timelineOf } from '../../support/animations/judges.ts';
import type { Timeline } from '../../support/animations/timeline.ts';
import { optimize } from '../../support/engine.ts';

const generated = await generatedAnimations(300);

/** The score that is aimed at, and by how much the pictures of one animation may be off it in the mean. */
const target = 77;
const tolerance = 5;

const memory = new Arena();

function made(file: Uint8Array<ArrayBuffer>, options: Partial<OptimizeOptions>): Optimized {
  return optimize(file.slice(), options);
}

const rowsIn = ({ width, height }: Size, pixels: Buffer) =>
  rowsOf({ width, height, data: Uint8ClampedArray.from(pixels) });

function scoreBetween(size: Size, before: Buffer, after: Buffer): number | null {
  const pool = new ScorePool(true);
  runAtOnce(pool.add(rowsIn(size, before), rowsIn(size, after), null, memory));
  return pool.score;
}

/** The mean score of the pictures that are seen for some time; null if all are too small for a score. */
function meanScore(before: Timeline, after: Timeline): number | null {
  const scores: number[] = [];
  let begin = 0;
  for (const { pixels, end } of before.pictures) {
    const middle = (begin + end) / 2;
    const shown = after.pictures.find((picture) => picture.end > middle);
    const score = end > begin && shown ? scoreBetween(before, pixels, shown.pixels) : null;
    if (score !== null) scores.push(score);
    begin = end;
  }
  return scores.length > 0 ? scores.reduce((sum, one) => sum + one, 0) / scores.length : null;
}

const lastEnd = ({ pictures }: Timeline) => pictures.at(-1)?.end ?? 0;

describe('an animation by default', () => {
  it.each(generated)('$name: looks as it shall, in no more bytes', async ({ type, file }) => {
    const before = await timelineOf(type, file);
    const { bytes } = made(Uint8Array.from(file), {});
    expect(bytes.length).toBeLessThanOrEqual(file.length);
    const after = await timelineOf(type, bytes);
    expect(after).toMatchObject({
      width: before.width,
      height: before.height,
      plays: before.plays,
    });
    expect(lastEnd(after)).toBeCloseTo(lastEnd(before), 4);
    expect(meanScore(before, after) ?? 100).toBeGreaterThan(target - tolerance);
  });

  const others = generated.filter(({ type }) => type !== 'webp');
  it.each(others)('$name: looks as it shall as a WebP', async ({ type, file }) => {
    const before = await timelineOf(type, file);
    const { bytes } = made(Uint8Array.from(file), { format: 'webp' });
    const after = await timelineOf('webp', bytes);
    expect(after.plays).toBe(Math.min(before.plays, 65_535));
    // ends of frames are rounded to milliseconds
    expect(Math.abs(lastEnd(after) - lastEnd(before))).toBeLessThanOrEqual(0.5);
    expect(meanScore(before, after) ?? 100).toBeGreaterThan(target - tolerance);
  });
});
