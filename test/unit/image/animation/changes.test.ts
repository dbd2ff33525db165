import { describe, expect, it } from 'vitest';
import {
  changedBlocksWithin,
  changesWithin,
  traitsWithin,
} from '../../../../src/image/animation/changes.ts';
import { emptyCanvas } from '../../../../src/image/animation/composition.ts';
import { wholeOf } from '../../../../src/image/animation/regions.ts';
import type { Canvas } from '../../../../src/image/animation/timeline.ts';
import { canvasOf, colorOf, rowTexts } from './canvases.ts';

function traits(picture: Canvas, base: Canvas) {
  return traitsWithin(picture, base, wholeOf(picture));
}

describe('what there is to code in a frame', () => {
  it('is told by the pixels that change', () => {
    const [base, picture] = [canvasOf('abcd', 'aaaa'), canvasOf('abxy', 'aaax')];
    expect(traits(picture, base)).toEqual({
      colors: 2,
      kept: 5 / 8,
      hasAlpha: false,
      isCoverable: true,
      hasPartialAlpha: false,
    });
    const right = { left: 2, top: 0, width: 2, height: 1 };
    expect(traitsWithin(picture, base, right)).toMatchObject({ colors: 2, kept: 0 });
  });

  it('cannot be drawn over what is there where that becomes transparent', () => {
    const base = canvasOf('aa..');
    expect(traits(canvasOf('a...'), base)).toMatchObject({ isCoverable: false, hasAlpha: true });
    expect(traits(canvasOf('ab..'), base)).toMatchObject({ isCoverable: true, hasAlpha: true });
  });

  it('is partly transparent where a pixel is, whether it changes or not', () => {
    const base = canvasOf('aa');
    const veil = { ...base, pixels: Uint32Array.of(colorOf('a'), 0x80123456) };
    expect(traits(veil, base)).toMatchObject({ hasPartialAlpha: true, isCoverable: false });
    expect(traits(veil, veil)).toMatchObject({ hasPartialAlpha: true, isCoverable: true });
  });

  it('counts up to 256 colours', () => {
    const base = emptyCanvas({ width: 300, height: 2 });
    const counted = (colors: number) => {
      const pixels = base.pixels.map((_, i) => 0xff000000 + (i % colors));
      return traits({ ...base, pixels }, base).colors;
    };
    expect([1, 255, 256, 257, 300].map(counted)).toEqual([1, 255, 256, null, null]);
  });
});

describe('the rows of what changes', () => {
  const base = canvasOf('abcdefghij', 'abcdefghij', 'abcdefghij');

  it('are transparent wherever the base shows the same', () => {
    const picture = canvasOf('abcdefghij', 'abXdefghij', 'Abcdefgh.j');
    const rows = changesWithin(picture, base, wholeOf(base));
    const expected = ['..........', '..X.......', 'A.........'];
    expect(rowTexts(rows)).toEqual(expected);
    expect(rowTexts(rows)).toEqual(expected);
    const region = { left: 2, top: 1, width: 3, height: 1 };
    expect(rowTexts(changesWithin(picture, base, region))).toEqual(['X..']);
  });

  it('show blocks of 8 × 8 pixels whole in which any pixel changes', () => {
    const ground = emptyCanvas({ width: 20, height: 12 });
    ground.pixels.fill(colorOf('g'));
    const picture = { ...ground, pixels: ground.pixels.slice() };
    picture.pixels[9 * 20 + 17] = colorOf('X');
    const rows = changedBlocksWithin(picture, ground, wholeOf(ground));
    const [clear, last] = ['.'.repeat(20), `${'.'.repeat(16)}gggg`];
    const changed = `${'.'.repeat(16)}gXgg`;
    expect(rowTexts(rows)).toEqual([
      ...Array.from({ length: 8 }, () => clear),
      ...[last, changed, last, last],
    ]);
    expect(rowTexts(rows)[9]).toBe(changed);
  });

  it('have their blocks counted from the corner of the region', () => {
    const ground = emptyCanvas({ width: 20, height: 12 });
    ground.pixels.fill(colorOf('g'));
    const picture = { ...ground, pixels: ground.pixels.slice() };
    picture.pixels[9 * 20 + 17] = colorOf('X');
    const region = { left: 10, top: 3, width: 10, height: 9 };
    const rows = rowTexts(changedBlocksWithin(picture, ground, region));
    expect(rows.slice(0, 8)).toEqual([
      ...Array.from({ length: 6 }, () => `${'g'.repeat(8)}..`),
      'gggggggX..',
      `${'g'.repeat(8)}..`,
    ]);
    expect(rows[8]).toBe('.'.repeat(10));
  });
});
