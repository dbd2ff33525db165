import { describe, expect, it } from 'vitest';
import { DurationConverter, mergedDuration } from '../../../../src/image/animation/durations.ts';
import type { Duration, DurationLimits } from '../../../../src/image/animation/timeline.ts';

const gif: DurationLimits = { perSecond: 100, maxTicks: 65_535 };
const webp: DurationLimits = { perSecond: 1000, maxTicks: 0xff_ffff };
const apng: DurationLimits = { perSecond: null, maxTicks: 65_535 };

function duration(ticks: number, perSecond: number): Duration {
  return { ticks, perSecond };
}

/** The ticks of all parts that durations are converted to. */
function converted(durations: readonly Duration[], limits: DurationLimits): number[][] {
  const converter = new DurationConverter(limits);
  return durations.map((one) => converter.convert(one).map(({ ticks }) => ticks));
}

describe('the durations of two equal pictures', () => {
  it('are added up', () => {
    expect(mergedDuration(duration(4, 100), duration(9, 100), gif)).toEqual(duration(13, 100));
    expect(mergedDuration(duration(11, 1000), duration(20, 1000), webp)).toEqual(
      duration(31, 1000),
    );
  });

  it('are added up as fractions, in lowest terms, where the format has those', () => {
    expect(mergedDuration(duration(1, 3), duration(1, 6), apng)).toEqual(duration(1, 2));
    expect(mergedDuration(duration(1, 30), duration(1, 25), apng)).toEqual(duration(11, 150));
  });

  it.each([
    [0, 100],
    [1, 100],
    [10, 1000],
    [1, 1000],
  ])('stay two where one is %d/%d s, which browsers replace by another', (ticks, perSecond) => {
    const limits = perSecond === 100 ? gif : webp;
    const [short, long] = [duration(ticks, perSecond), duration(50, perSecond)];
    expect(mergedDuration(short, long, limits)).toBeNull();
    expect(mergedDuration(long, short, limits)).toBeNull();
  });

  it('stay two where the sum is longer than a frame can be', () => {
    expect(mergedDuration(duration(65_535 - 9, 100), duration(9, 100), gif)?.ticks).toBe(65_535);
    expect(mergedDuration(duration(65_535 - 8, 100), duration(9, 100), gif)).toBeNull();
    expect(mergedDuration(duration(0xff_fff0, 1000), duration(16, 1000), webp)).toBeNull();
  });

  it('stay two where the sum has too large a denominator', () => {
    expect(mergedDuration(duration(7000, 65_535), duration(7000, 65_534), apng)).toBeNull();
  });
});

describe('durations in another format', () => {
  it('stay what they are where that can be said', () => {
    expect(converted([duration(4, 100), duration(0, 100)], gif)).toEqual([[4], [0]]);
    const converter = new DurationConverter(apng);
    expect(converter.convert(duration(2, 60))).toEqual([duration(2, 60)]);
  });

  it('have their ends rounded, so that errors do not add up', () => {
    const thirtieths = Array.from({ length: 6 }, () => duration(1, 30));
    expect(converted(thirtieths, gif).flat()).toEqual([3, 4, 3, 3, 4, 3]);
    expect(converted(thirtieths, webp).flat()).toEqual([33, 34, 33, 33, 34, 33]);
    const many = Array.from({ length: 9000 }, () => duration(1, 1000));
    expect(
      converted(many, gif)
        .flat()
        .reduce((sum, ticks) => sum + ticks),
    ).toBe(900);
  });

  it('make up for what was rounded before, whether or not they can be said exactly', () => {
    const durations = [duration(1, 30), duration(5, 100), duration(1, 30), duration(1, 30)];
    // ends at 3.3, 8.3, 11.7 and 15
    expect(converted(durations, gif).flat()).toEqual([3, 5, 4, 3]);
  });

  it('are of no ticks where a frame ends before the next tick', () => {
    expect(converted([duration(4, 1000), duration(4, 1000)], gif)).toEqual([[0], [1]]);
  });

  it('are told in several parts where they are too long for one frame', () => {
    expect(converted([duration(1_000_000, 1000)], gif)).toEqual([[65_535, 34_465]]);
    expect(converted([duration(20_000_000, 1000)], webp)).toEqual([[0xff_ffff, 3_222_785]]);
    expect(converted([duration(131_070, 100)], gif)).toEqual([[65_535, 65_535]]);
  });

  it('become thousandths in an APNG where their fraction has too large terms', () => {
    const converter = new DurationConverter(apng);
    expect(converter.convert(duration(100_000, 1000))).toEqual([duration(100, 1)]);
    expect(converter.convert(duration(65_537, 1000))).toEqual([
      duration(65_535, 1000),
      duration(2, 1000),
    ]);
    expect(converter.convert(duration(1, 100_003))).toEqual([duration(0, 1000)]);
  });
});
