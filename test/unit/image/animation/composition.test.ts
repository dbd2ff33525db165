import { describe, expect, it } from 'vitest';
import {
  blended,
  Composition,
  clearRegion,
  emptyCanvas,
  rowsOfRegion,
} from '../../../../src/image/animation/composition.ts';
import { wholeOf } from '../../../../src/image/animation/regions.ts';
import type { AnimationFrame } from '../../../../src/image/animation/timeline.ts';
import { runAtOnce } from '../../../../src/image/slices.ts';
import { Random } from '../../../support/random.ts';
import { canvasOf, rowsOf, rowTexts, textOf, wordRows } from './canvases.ts';

const whole = { left: 0, top: 0, width: 4, height: 2 };
const corner = { left: 2, top: 1, width: 2, height: 1 };

function frame(changes: Partial<AnimationFrame>): AnimationFrame {
  const duration = { ticks: 1, perSecond: 10 };
  return { region: whole, duration, disposal: 'keep', blend: 'over', ...changes };
}

/** What is seen after each frame. */
function shown(...frames: readonly [Partial<AnimationFrame>, ...string[]][]): string[][] {
  const composition = new Composition(whole);
  return frames.map(([changes, ...rows]) => {
    runAtOnce(composition.draw(frame(changes), rowsOf(...rows)));
    return textOf(composition.canvas);
  });
}

describe('the frames of an animation, drawn one after the other,', () => {
  it('stay where they are kept', () => {
    expect(shown([{}, 'abcd', 'efgh'], [{ region: corner }, 'xy'])).toEqual([
      ['abcd', 'efgh'],
      ['abcd', 'efxy'],
    ]);
  });

  it('let through what is below, or take its place', () => {
    const ground = [{}, 'abcd', 'efgh'] as const;
    expect(shown([...ground], [{ region: corner }, '.y'])[1]).toEqual(['abcd', 'efgy']);
    expect(shown([...ground], [{ region: corner, blend: 'replace' }, '.y'])[1]).toEqual([
      'abcd',
      'ef.y',
    ]);
  });

  it('leave nothing in their region where they are disposed of to the background', () => {
    const frames = shown(
      [{}, 'abcd', 'efgh'],
      [{ region: corner, disposal: 'background' }, 'xy'],
      [{ region: { ...corner, left: 0 } }, 'z.'],
    );
    expect(frames.slice(1)).toEqual([
      ['abcd', 'efxy'],
      ['abcd', 'zf..'],
    ]);
  });

  it('leave what was there before them where that is restored, one after the other too', () => {
    const restored = { region: corner, disposal: 'previous' } as const;
    const frames = shown(
      [{}, 'abcd', 'efgh'],
      [restored, 'xy'],
      [{ ...restored, region: { left: 1, top: 0, width: 2, height: 2 } }, 'pq', 'rs'],
      [{ region: { left: 0, top: 0, width: 1, height: 1 } }, 'z'],
    );
    expect(frames.slice(1)).toEqual([
      ['abcd', 'efxy'],
      ['apqd', 'ersh'],
      ['zbcd', 'efgh'],
    ]);
  });

  it('restore a transparent canvas where nothing was before the first of them', () => {
    const frames = shown(
      [{ disposal: 'previous' }, 'abcd', 'efgh'],
      [{ region: corner, disposal: 'previous' }, 'xy'],
      [{ region: corner }, '.z'],
    );
    expect(frames).toEqual([
      ['abcd', 'efgh'],
      ['....', '..xy'],
      ['....', '...z'],
    ]);
  });

  it('are disposed of before the next one is drawn, even where that covers the same', () => {
    const frames = shown(
      [{ disposal: 'background' }, 'abcd', 'efgh'],
      [{ disposal: 'background' }, '.b..', '....'],
      [{}, 'c...', '....'],
    );
    expect(frames[2]).toEqual(['c...', '....']);
  });
});

describe('partly transparent pixels', () => {
  const veil = (alpha: number) =>
    wordRows(4, [
      [0, 0, 0, ((alpha << 24) | 0x30) >>> 0],
      [0, 0, 0, 0],
    ]);

  it('are blended, and that is told, since decoders round it differently', () => {
    const composition = new Composition(whole);
    const draw = (alpha: number, changes: Partial<AnimationFrame> = {}) =>
      runAtOnce(composition.draw(frame(changes), veil(alpha)));
    draw(128);
    expect(composition.isRounded).toBe(false);
    expect(composition.canvas.pixels[3]).toBe(0x80000030);
    draw(0);
    draw(255);
    draw(40, { blend: 'replace' });
    expect(composition.isRounded).toBe(false);
    draw(40);
    expect(composition.isRounded).toBe(true);
  });

  it('have samples that are rounded to the nearest', () => {
    // white over black: 255 × 128 / 255
    expect(blended(0x80ffffff, 0xff000000)).toBe(0xff808080);
    // 10 × 3/255 + 20 × 252/255 = 19.88
    expect(blended(0x030a0a0a, 0xff141414)).toBe(0xff141414);
    // 0 × 7/255 + 255 × 248/255
    expect(blended(0x07000000, 0xffffffff)).toBe(0xfff8f8f8);
  });

  it('of any colours come as near to exact arithmetic as whole samples can', () => {
    const random = new Random(7);
    for (let i = 0; i < 2000; i += 1) {
      const [above, below] = [random.word() | 0x01000000, random.word() | 0x01000000];
      const result = blended(above >>> 0, below >>> 0);
      const [a, b] = [(above >>> 24) / 255, (below >>> 24) / 255];
      const alpha = a + b * (1 - a);
      expect(Math.abs(255 * alpha - (result >>> 24))).toBeLessThanOrEqual(0.5 + 1e-9);
      for (const shift of [0, 8, 16]) {
        const [over, under] = [(above >>> shift) & 255, (below >>> shift) & 255];
        const exact = (a * over + b * (1 - a) * under) / alpha;
        expect(Math.abs(exact - ((result >>> shift) & 255))).toBeLessThanOrEqual(0.5 + 1e-9);
      }
    }
  });
});

describe('a region of a canvas', () => {
  it('is cleared, and nothing else', () => {
    const canvas = canvasOf('abcd', 'efgh');
    clearRegion(canvas, corner);
    expect(textOf(canvas)).toEqual(['abcd', 'ef..']);
  });

  it('is read row by row, as often as it is wanted', () => {
    const rows = rowsOfRegion(canvasOf('abcd', 'efgh', 'ijkl'), { ...corner, height: 2 });
    expect(rowTexts(rows)).toEqual(['gh', 'kl']);
    expect(rowTexts(rows)).toEqual(['gh', 'kl']);
  });

  it('is all of it from its corner on', () => {
    expect(wholeOf(emptyCanvas({ width: 7, height: 3 }))).toEqual({
      left: 0,
      top: 0,
      width: 7,
      height: 3,
    });
  });
});
