import { describe, expect, it } from 'vitest';
import {
  merged,
  sameTimeline,
  type Timeline,
  timelineDifference,
} from '../../support/animations/timeline.ts';

/** Pictures of one gray pixel: its level, its alpha, and the end. */
function greys(...pictures: readonly (readonly [number, number, number])[]): Timeline {
  return {
    width: 1,
    height: 1,
    plays: 0,
    pictures: pictures.map(([grey, alpha, end]) => ({
      pixels: Buffer.from([grey, grey, grey, alpha]),
      end,
    })),
  };
}

const two = greys([1, 255, 100], [2, 255, 200]);

describe('two timelines', () => {
  it('are the same where equal pictures in a row are one or several', () => {
    const four = greys([1, 255, 0], [1, 255, 30], [1, 255, 100], [2, 255, 150], [2, 255, 200]);
    expect(merged(four)).toEqual(two);
    expect(timelineDifference(four, two)).toBeNull();
    expect(timelineDifference(two, four)).toBeNull();
  });

  it('differ in size and in number of plays', () => {
    expect(timelineDifference({ ...two, width: 2 }, two)).toBe('is 2 × 1, expected 1 × 1');
    expect(timelineDifference({ ...two, plays: 3 }, two)).toBe(
      'is played 3 times, expected without end',
    );
  });

  it('differ in a pixel, which is named with its instant', () => {
    expect(timelineDifference(greys([1, 255, 100], [3, 255, 200]), two)).toBe(
      'picture 1, at 100 ms: pixel (0, 0) is rgba 3,3,3,255, expected 2,2,2,255',
    );
  });

  it('differ in the end of a picture, or else in no more than the rounding', () => {
    const other = greys([1, 255, 104], [2, 255, 200]);
    expect(timelineDifference(other, two)).toBe(
      'picture 0, at 0 ms: ends at 104 ms, expected 100 ms',
    );
    expect(sameTimeline(other, two, { rounding: 3 })).toBe(false);
    expect(sameTimeline(other, two, { rounding: 4 })).toBe(true);
    expect(sameTimeline(greys([1, 255, 100], [2, 255, 201]), two)).toBe(false);
  });

  it('differ where one of them goes on', () => {
    const longer = greys([1, 255, 100], [2, 255, 200], [3, 255, 200]);
    expect(timelineDifference(longer, two)).toContain('3 distinct pictures, expected 2');
    expect(timelineDifference(two, longer)).toContain('2 distinct pictures, expected 3');
    expect(sameTimeline(greys(), two)).toBe(false);
    expect(sameTimeline(greys(), greys())).toBe(true);
  });

  it('differ in a picture of no duration, wherever it stands', () => {
    const flash = [9, 255] as const;
    for (const other of [
      greys([...flash, 0], [1, 255, 100], [2, 255, 200]),
      greys([1, 255, 100], [...flash, 100], [2, 255, 200]),
      greys([1, 255, 50], [...flash, 50], [1, 255, 100], [2, 255, 200]),
      greys([1, 255, 100], [2, 255, 200], [...flash, 200]),
    ]) {
      expect(sameTimeline(other, two)).toBe(false);
      expect(sameTimeline(two, other)).toBe(false);
      expect(sameTimeline(two, other, { tolerance: 3 })).toBe(false);
      expect(sameTimeline(other, other)).toBe(true);
    }
  });

  it('differ in the order of pictures of no duration', () => {
    const one = greys([1, 255, 0], [2, 255, 0], [3, 255, 10]);
    expect(sameTimeline(greys([2, 255, 0], [1, 255, 0], [3, 255, 10]), one)).toBe(false);
  });

  it('do not differ in colours under full transparency', () => {
    expect(sameTimeline(greys([7, 0, 50], [8, 0, 100]), greys([9, 0, 100]))).toBe(true);
    expect(sameTimeline(greys([7, 1, 100]), greys([9, 0, 100]))).toBe(false);
  });

  it('may differ by the tolerance, colours weighted by alpha', () => {
    const one = greys([100, 255, 10]);
    expect(sameTimeline(greys([103, 255, 10]), one, { tolerance: 2 })).toBe(false);
    expect(sameTimeline(greys([103, 255, 10]), one, { tolerance: 3 })).toBe(true);
    expect(sameTimeline(greys([100, 252, 10]), one, { tolerance: 2 })).toBe(false);
    const faint = greys([100, 2, 10]);
    expect(sameTimeline(greys([200, 2, 10]), faint, { tolerance: 1 })).toBe(true);
    expect(sameTimeline(greys([200, 2, 10]), faint)).toBe(false);
  });

  it('are alike where pictures within the tolerance are one or several', () => {
    const several = greys([1, 255, 30], [2, 255, 30], [1, 255, 100], [50, 255, 200]);
    const one = greys([2, 255, 100], [51, 255, 150], [50, 255, 200]);
    expect(sameTimeline(several, one, { tolerance: 1 })).toBe(true);
    expect(sameTimeline(one, several, { tolerance: 1 })).toBe(true);
    expect(sameTimeline(one, several)).toBe(false);
    const late = greys([1, 255, 30], [2, 255, 110], [50, 255, 200]);
    expect(sameTimeline(late, one, { tolerance: 1 })).toBe(false);
    expect(sameTimeline(late, one, { tolerance: 1, rounding: 10 })).toBe(true);
  });

  it('are not alike where pictures are that are not seen at one instant', () => {
    const early = greys([1, 255, 50], [3, 255, 200]);
    const late = greys([1, 255, 100], [2, 255, 200]);
    expect(sameTimeline(early, late, { tolerance: 1 })).toBe(false);
    expect(sameTimeline(late, early, { tolerance: 1 })).toBe(false);
    expect(sameTimeline(early, late, { tolerance: 2 })).toBe(true);
  });

  it('are the same where fractions were added in another order', () => {
    const sum = 1000 / 3 + 1000 / 30 + 1000 / 3;
    expect(sameTimeline(greys([1, 255, 700]), greys([1, 255, sum]))).toBe(true);
  });
});
