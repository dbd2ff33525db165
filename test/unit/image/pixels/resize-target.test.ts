import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { srgbCurves } from '../../../../src/image/color/curves.ts';
import { turnInPlace } from '../../../../src/image/pixels/orientation.ts';
import {
  codedTarget,
  type Fit,
  matchingTarget,
  resizeTarget,
} from '../../../../src/image/pixels/resize-target.ts';
import { resized } from '../../../../src/image/pixels/resizer.ts';
import { Random } from '../../../support/random.ts';
import { drawn, whole } from './drawings.ts';

/** In words: what of the source becomes what. */
function inside(source: [number, number], width: number | null, height: number | null) {
  return told(source, width, height, 'inside');
}

function cover(source: [number, number], width: number | null, height: number | null) {
  return told(source, width, height, 'cover');
}

function told(
  [w, h]: [number, number],
  width: number | null,
  height: number | null,
  fit: Fit,
  position = { x: 0.5, y: 0.5 },
): string | null {
  const target = resizeTarget({ width: w, height: h }, { width, height, fit, position });
  if (!target) return null;
  const { region } = target;
  const cut = `${region.width}x${region.height}+${region.left}+${region.top}`;
  return `${cut} to ${target.width}x${target.height}`;
}

describe('a picture around a box, or stretched to it', () => {
  it('covers it in proportion', () => {
    expect(told([4032, 3024], 800, 800, 'outside')).toBe('4032x3024+0+0 to 1067x800');
    expect(told([3024, 4032], 800, 800, 'outside')).toBe('3024x4032+0+0 to 800x1067');
  });

  it('has exactly its sides', () => {
    expect(told([4032, 3024], 800, 800, 'fill')).toBe('4032x3024+0+0 to 800x800');
  });

  it('is never enlarged: it stays, or the box shrinks', () => {
    expect(told([400, 300], 500, 100, 'outside')).toBeNull();
    expect(told([400, 300], 800, 300, 'fill')).toBe('400x300+0+0 to 400x150');
    expect(told([400, 300], 400, 300, 'fill')).toBeNull();
  });

  it('is inside of one side', () => {
    for (const fit of ['outside', 'fill'] as const) {
      expect(told([4032, 3024], 400, null, fit)).toBe('4032x3024+0+0 to 400x300');
    }
  });

  it('has the sizes that sharp gives it', { tags: 'slow' }, async () => {
    const random = new Random(60);
    const upTo = (most: number) => 1 + (random.word() % most);
    for (let round = 0; round < 200; round += 1) {
      const [width, height] = [upTo(90), upTo(90)];
      const box = { width: upTo(width), height: upTo(height) };
      const picture = sharp({ create: { width, height, channels: 3, background: '#888' } }).png();
      for (const fit of ['inside', 'outside', 'cover', 'fill'] as const) {
        const { info } = await sharp(await picture.toBuffer())
          .resize({ ...box, fit })
          .toBuffer({ resolveWithObject: true });
        const target = resizeTarget(
          { width, height },
          { ...box, fit, position: { x: 0.5, y: 0.5 } },
        );
        const { width: across, height: down } = target ?? { width, height };
        expect([fit, width, height, box, across, down]).toEqual([
          fit,
          width,
          height,
          box,
          info.width,
          info.height,
        ]);
      }
    }
  });
});

describe('the position of a crop', () => {
  const at = (x: number, y: number) => told([400, 300], 100, 100, 'cover', { x, y });

  it('has the point in its middle, as far as the edges allow', () => {
    expect(at(0.5, 0.5)).toBe('300x300+50+0 to 100x100');
    expect(at(0, 0)).toBe('300x300+0+0 to 100x100');
    expect(at(1, 0.2)).toBe('300x300+100+0 to 100x100');
    expect(at(0.4, 1)).toBe('300x300+10+0 to 100x100');
    expect(told([300, 400], 90, 30, 'cover', { x: 0.3, y: 0.6 })).toBe('300x100+0+190 to 90x30');
  });
});

describe('a picture inside a box', () => {
  it('keeps its proportion, on whichever side the box is tight', () => {
    expect(inside([4032, 3024], 800, 800)).toBe('4032x3024+0+0 to 800x600');
    expect(inside([3024, 4032], 800, 800)).toBe('3024x4032+0+0 to 600x800');
    expect(inside([4032, 3024], 9000, 300)).toBe('4032x3024+0+0 to 400x300');
  });

  it('follows the one side that is given', () => {
    expect(inside([4032, 3024], 400, null)).toBe('4032x3024+0+0 to 400x300');
    expect(inside([4032, 3024], null, 400)).toBe('4032x3024+0+0 to 533x400');
    expect(inside([1000, 667], 500, null)).toBe('1000x667+0+0 to 500x334');
  });

  it('is at least one pixel thick', () => {
    expect(inside([16_383, 1], 10, null)).toBe('16383x1+0+0 to 10x1');
    expect(inside([10_000, 20], 100, 100)).toBe('10000x20+0+0 to 100x1');
    expect(inside([20, 10_000], 100, 100)).toBe('20x10000+0+0 to 1x100');
  });

  it('stays when it fits, or when nothing is asked', () => {
    expect(inside([800, 600], 800, 600)).toBeNull();
    expect(inside([800, 600], 5000, null)).toBeNull();
    expect(inside([800, 600], null, 600)).toBeNull();
    expect(inside([800, 600], null, null)).toBeNull();
    expect(cover([800, 600], null, null)).toBeNull();
  });
});

describe('a picture that covers a box', () => {
  it('is cut from its middle on the side that is too long', () => {
    expect(cover([4000, 3000], 300, 300)).toBe('3000x3000+500+0 to 300x300');
    expect(cover([3000, 4000], 300, 300)).toBe('3000x3000+0+500 to 300x300');
    expect(cover([4000, 3000], 400, 100)).toBe('4000x1000+0+1000 to 400x100');
  });

  it('is not cut when the box has its proportion', () => {
    expect(cover([4000, 3000], 400, 300)).toBe('4000x3000+0+0 to 400x300');
    expect(cover([4000, 3000], 4000, 3000)).toBeNull();
  });

  it('is never enlarged: the box shrinks in its own proportion', () => {
    expect(cover([1000, 500], 800, 800)).toBe('500x500+250+0 to 500x500');
    expect(cover([1000, 500], 2000, 2000)).toBe('500x500+250+0 to 500x500');
    expect(cover([1000, 500], 3000, 1000)).toBe('1000x333+0+83 to 1000x333');
    expect(cover([1000, 500], 4000, 2000)).toBeNull();
  });

  it('follows a single side as if it were to fit inside', () => {
    expect(cover([4000, 3000], 400, null)).toBe('4000x3000+0+0 to 400x300');
  });

  it('always gets a region that holds the target and lies in the source', () => {
    for (const [w, h] of [
      [1, 1],
      [1, 50],
      [7, 5],
      [640, 481],
      [65_535, 3],
    ] as const) {
      for (const [width, height] of [
        [1, 1],
        [2, 9],
        [99, 4],
        [640, 480],
        [16_383, 1],
      ] as const) {
        for (const fit of ['inside', 'cover'] as const) {
          const target = resizeTarget(
            { width: w, height: h },
            { width, height, fit, position: { x: 0.5, y: 0.5 } },
          );
          if (!target) continue;
          const { region } = target;
          expect(target.width).toBeLessThanOrEqual(Math.min(region.width, width));
          expect(target.height).toBeLessThanOrEqual(Math.min(region.height, height));
          expect(Math.min(target.width, target.height)).toBeGreaterThanOrEqual(1);
          expect(Math.min(region.left, region.top)).toBeGreaterThanOrEqual(0);
          expect(region.left + region.width).toBeLessThanOrEqual(w);
          expect(region.top + region.height).toBeLessThanOrEqual(h);
        }
      }
    }
  });
});

describe('a target in coded pixels', () => {
  const coded = drawn(23, 17, (x, y) => [x * 10, y * 14, (x ^ y) * 8, 255]);
  const base = { left: 3, top: 2, width: 19, height: 12 };
  const orientations = [1, 2, 3, 4, 5, 6, 7, 8] as const;

  it.each(orientations)('shows under orientation %i what the turned picture would', (turn) => {
    for (const shown of [null, base]) {
      const part = shown ?? whole(coded);
      const cut = resized(coded, part, part, srgbCurves);
      const upright = turnInPlace(cut, turn);
      const target = { region: { left: 1, top: 4, width: 9, height: 7 }, width: 9, height: 7 };
      const expected = resized(upright, target.region, target, srgbCurves);
      const early = codedTarget(target, coded, shown, turn);
      expect(early).not.toBeNull();
      if (!early) return;
      const late = turnInPlace(resized(coded, early.region, early, srgbCurves), turn);
      expect(late).toEqual(expected);
    }
  });

  it('exchanges the sides of what it is reduced to, from orientation 5 on', () => {
    const target = { region: { left: 0, top: 0, width: 17, height: 23 }, width: 8, height: 11 };
    expect(codedTarget(target, coded, null, 6)).toEqual({
      region: { left: 0, top: 0, width: 23, height: 17 },
      width: 11,
      height: 8,
    });
  });

  it('cuts to the base where the size stays, and is nothing without one', () => {
    expect(codedTarget(null, coded, base, 6)).toEqual({ region: base, width: 19, height: 12 });
    expect(codedTarget(null, coded, null, 6)).toBeNull();
    expect(codedTarget(null, coded, whole(coded), 1)).toBeNull();
  });
});

describe('what a second picture that covers the same becomes', () => {
  const first = { width: 4000, height: 3000 };
  const matching = (
    [left, top, width, height]: readonly [number, number, number, number],
    to: readonly [number, number],
    second: readonly [number, number],
  ) => {
    const target = { region: { left, top, width, height }, width: to[0], height: to[1] };
    const { region, ...size } = matchingTarget(target, first, {
      width: second[0],
      height: second[1],
    });
    const cut = `${region.width}x${region.height}+${region.left}+${region.top}`;
    return `${cut} to ${size.width}x${size.height}`;
  };

  it('is the same part of it, reduced as much', () => {
    expect(matching([0, 0, 4000, 3000], [800, 600], [1000, 750])).toBe('1000x750+0+0 to 200x150');
    expect(matching([500, 0, 3000, 3000], [300, 300], [1000, 750])).toBe('750x750+125+0 to 75x75');
    expect(matching([0, 0, 4000, 3000], [800, 600], [4000, 3000])).toBe('4000x3000+0+0 to 800x600');
  });

  it('begins and ends within a pixel where it has to', () => {
    expect(matching([502, 2, 2999, 2990], [300, 299], [1000, 750])).toBe(
      '749.75x747.5+125.5+0.5 to 75x75',
    );
  });

  it('has whole pixels where they stay as large as they are', () => {
    expect(matching([502, 300, 400, 2000], [400, 2000], [1000, 750])).toBe(
      '100x500+125+75 to 100x500',
    );
  });

  it('has a pixel at least, and never more than there are', () => {
    expect(matching([3999, 2999, 1, 1], [1, 1], [1000, 750])).toBe('1x1+999+749 to 1x1');
    expect(matching([0, 0, 4000, 3000], [3, 2], [10, 7])).toBe('10x7+0+0 to 1x1');
    expect(matching([100, 100, 50, 50], [40, 40], [1, 1])).toBe('1x1+0+0 to 1x1');
  });

  it('lies within it, whatever is cut', () => {
    const random = new Random(5);
    const upTo = (most: number) => 1 + Math.floor(most * random.unit());
    for (let i = 0; i < 2000; i += 1) {
      const [width, height] = [upTo(4000), upTo(3000)];
      const region = {
        left: Math.floor((4001 - width) * random.unit()),
        top: Math.floor((3001 - height) * random.unit()),
        width,
        height,
      };
      const second = { width: upTo(1500), height: upTo(1500) };
      const target = { region, width: upTo(width), height: upTo(height) };
      const made = matchingTarget(target, first, second);
      for (const [start, length, side, result] of [
        [made.region.left, made.region.width, second.width, made.width],
        [made.region.top, made.region.height, second.height, made.height],
      ] as const) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(start + length).toBeLessThanOrEqual(side);
        expect(length).toBeGreaterThanOrEqual(1);
        expect(Number.isInteger(result) && result >= 1 && result <= length).toBe(true);
      }
    }
  });
});
