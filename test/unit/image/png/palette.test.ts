import { describe, expect, it } from 'vitest';
import { orderedPalette, plteContent, trnsContent } from '../../../../src/image/png/palette.ts';

const white = [255, 255, 255, 255];
const red = [200, 0, 0, 255];
const black = [0, 0, 0, 255];
const shadow = [0, 0, 0, 90];
const nothing = [0, 0, 0, 0];

describe('the order of a palette', () => {
  it('has what is transparent first, then goes from dark to light', () => {
    const colors = Uint8Array.of(...white, ...shadow, ...black, ...nothing, ...red);
    const { palette, ranks } = orderedPalette(colors);
    expect([...palette]).toEqual([...nothing, ...shadow, ...black, ...red, ...white]);
    expect([...ranks]).toEqual([4, 1, 2, 0, 3]);
  });
});

describe('the chunks of a palette', () => {
  it('hold three samples of each entry, and alpha up to the last that is not opaque', () => {
    const palette = Uint8Array.of(...nothing, ...shadow, ...black, ...white);
    expect([...plteContent(palette)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255]);
    expect([...trnsContent(palette)]).toEqual([0, 90]);
  });

  it('say nothing of alpha where all is opaque', () => {
    expect(trnsContent(Uint8Array.of(...black, ...white))).toHaveLength(0);
  });
});
