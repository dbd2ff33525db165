import { describe, expect, it } from 'vitest';
import {
  countBorders,
  orderByBorders,
  orderByLuma,
  orderedPalette,
  plteContent,
  trnsContent,
} from '../../../../../src/image/formats/png/palette.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';

const white = [255, 255, 255, 255];
const red = [200, 0, 0, 255];
const black = [0, 0, 0, 255];
const shadow = [0, 0, 0, 90];
const nothing = [0, 0, 0, 0];

describe('the order of a palette by luma', () => {
  it('has what is transparent first, then goes from dark to light', () => {
    const colors = Uint8Array.of(...white, ...shadow, ...black, ...nothing, ...red);
    const { palette, ranks } = orderedPalette(colors, orderByLuma(colors));
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

describe('the order of a palette by borders', () => {
  it('counts neighbours beside and above one another', () => {
    const borders = runAtOnce(countBorders(Uint8Array.of(0, 0, 1, 2, 0, 1), 3, 3));
    expect([...borders]).toEqual([0, 2, 2, 2, 0, 0, 2, 0, 0]);
  });

  it('puts colours that meet often beside one another', () => {
    // A path 3–1–4–0–2 of colors that only meet their neighbors in it.
    const path = [3, 1, 4, 0, 2];
    const borders = new Float64Array(25);
    for (const [i, color] of path.entries()) {
      const next = path[i + 1];
      if (next === undefined) continue;
      borders[color * 5 + next] = 10 + i;
      borders[next * 5 + color] = 10 + i;
    }
    const order = orderByBorders(borders, 5);
    expect([path.join(), path.toReversed().join()]).toContain(order.join());
  });
});
