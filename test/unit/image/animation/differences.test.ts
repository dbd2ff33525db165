import { describe, expect, it } from 'vitest';
import {
  BoundingBox,
  changedRegion,
  isChanged,
} from '../../../../src/image/animation/differences.ts';
import { aligned, union } from '../../../../src/image/animation/regions.ts';
import { canvasOf, colorOf } from './canvases.ts';

const never = () => false;

describe('the bounding box of pixels', () => {
  it('is none while there are none', () => {
    expect(new BoundingBox().region).toBeNull();
  });

  it('holds all that was added, in however many rows', () => {
    const box = new BoundingBox();
    box.add(2, 5, 5);
    expect(box.region).toEqual({ left: 5, top: 2, width: 1, height: 1 });
    box.add(4, 3, 4);
    box.add(9, 7, 8);
    expect(box.region).toEqual({ left: 3, top: 2, width: 6, height: 8 });
  });

  it('of two regions holds both', () => {
    const [a, b] = [
      { left: 2, top: 3, width: 4, height: 1 },
      { left: 5, top: 1, width: 3, height: 1 },
    ];
    expect(union(a, b)).toEqual({ left: 2, top: 1, width: 6, height: 3 });
    expect(union(a, null)).toEqual(a);
  });
});

describe('what changes from one picture to the next', () => {
  const shown = canvasOf('abcd', 'abcd', 'abcd');

  it('is nothing where they are equal', () => {
    const same = canvasOf('abcd', 'abcd', 'abcd');
    expect(changedRegion(shown, same, never)).toBeNull();
    expect(isChanged(shown, same, never)).toBe(false);
  });

  it('is the bounding box of different pixels', () => {
    expect(changedRegion(shown, canvasOf('abcd', 'axcd', 'abcx'), never)).toEqual({
      left: 1,
      top: 1,
      width: 3,
      height: 2,
    });
    expect(changedRegion(shown, canvasOf('.bcd', 'abcd', 'abcd'), never)).toEqual({
      left: 0,
      top: 0,
      width: 1,
      height: 1,
    });
  });

  it('leaves out what is near enough', () => {
    const isAcceptable = (above: number, wanted: number) =>
      above === colorOf('d') && wanted === colorOf('e');
    expect(changedRegion(shown, canvasOf('abce', 'abce', 'abce'), isAcceptable)).toBeNull();
    expect(isChanged(shown, canvasOf('abce', 'abce', 'abce'), isAcceptable)).toBe(false);
    expect(isChanged(shown, canvasOf('abcd', 'abcd', 'abcx'), isAcceptable)).toBe(true);
    expect(changedRegion(shown, canvasOf('abce', 'ebcd', 'abcd'), isAcceptable)).toEqual({
      left: 0,
      top: 1,
      width: 1,
      height: 1,
    });
  });
});

describe('an aligned region', () => {
  it('begins at multiples of the step, and ends where it ended', () => {
    const region = { left: 3, top: 5, width: 4, height: 2 };
    expect(aligned(region, 2)).toEqual({ left: 2, top: 4, width: 5, height: 3 });
    expect(aligned({ ...region, left: 4 }, 2)).toEqual({ left: 4, top: 4, width: 4, height: 3 });
    expect(aligned(region, 1)).toEqual(region);
  });
});
