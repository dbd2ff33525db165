import { describe, expect, it } from 'vitest';
import { Pace, runAtOnce, type Slices } from '../../../src/image/slices.ts';

/** The predicted times between pauses, if nothing is left of other loops. */
function pausesOf(work: Slices<unknown>): readonly number[] {
  runAtOnce(new Pace(8).after());
  return Array.from(work);
}

/** A loop of some steps, which yields the predicted time of the stretches between its pauses. */
function* loop(pace: Pace, steps: number, stepsAtOnce = 1): Slices<string> {
  for (let done = 0; done < steps; done += stepsAtOnce) yield* pace.after(stepsAtOnce);
  return 'done';
}

describe('work that pauses', () => {
  it('runs to its end at once, and has its result', () => {
    let isReleased = false;
    const work = function* (): Slices<number[]> {
      try {
        yield 8;
        return [yield* loop(new Pace(4), 5)].map((word) => word.length);
      } finally {
        isReleased = true;
      }
    };
    expect(runAtOnce(work())).toEqual([4]);
    expect(isReleased).toBe(true);
  });

  it('throws what goes wrong after any pause', () => {
    const work = function* (): Slices<void> {
      yield 8;
      throw new RangeError('a step failed');
    };
    expect(() => runAtOnce(work())).toThrow('a step failed');
  });
});

describe('the pace of a loop', () => {
  it('pauses after every eight predicted milliseconds, and tells how many they were', () => {
    expect(pausesOf(loop(new Pace(3), 10))).toEqual([9, 9, 9]);
    expect(pausesOf(loop(new Pace(8), 3))).toEqual([8, 8, 8]);
    expect(pausesOf(loop(new Pace(0.5), 40))).toEqual([8, 8]);
    expect(pausesOf(loop(new Pace(0.01), 700))).toEqual([]);
  });

  it('counts steps that are made together', () => {
    expect(pausesOf(loop(new Pace(1), 100, 50))).toEqual([50, 50]);
    expect(pausesOf(loop(new Pace(1), 15, 5))).toEqual([10]);
  });

  it('is that of all loops together, inside each other and one after the other', () => {
    const nested = function* (): Slices<void> {
      for (let i = 0; i < 4; i += 1) {
        yield* loop(new Pace(1), 3);
        yield* loop(new Pace(3), 1);
      }
    };
    expect(pausesOf(nested())).toEqual([8, 10]);
  });

  it('depends on the width of rows, not on their number', () => {
    // Rows of a thousand pixels, at 500 ms per megapixel, take half a millisecond.
    expect(pausesOf(loop(Pace.ofRows(1000, 500), 32))).toEqual([8, 8]);
    expect(pausesOf(loop(Pace.ofRows(32_000, 500), 2))).toEqual([16, 16]);
  });
});
