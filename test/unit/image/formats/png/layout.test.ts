import { describe, expect, it } from 'vitest';
import {
  exactLayouts,
  type PngLayout,
  type Traits,
} from '../../../../../src/image/formats/png/layout.ts';

const manyPixels = 2 ** 22;
const fewPixels = 2 ** 10;

const photo: Traits = {
  colors: null,
  isGrey: false,
  greyDepth: 8,
  isOpaque: true,
  key: null,
};

function named(layout: PngLayout): string {
  if (layout.kind === 'palette') return `palette of ${layout.bitDepth} bits`;
  const key = layout.kind === 'samples' && layout.key !== null ? ' with a key' : '';
  return `${layout.bitDepth} bits of type ${layout.colorType}${key}`;
}

function layouts(
  traits: Partial<Traits>,
  pixels = manyPixels,
  kinds: 'any' | 'grey' | 'colored' = 'any',
) {
  return exactLayouts({ ...photo, ...traits }, pixels, kinds).map(named);
}

describe('the layouts that hold a picture exactly', () => {
  it('are RGB, and RGBA where it is not opaque', () => {
    expect(layouts({})).toEqual(['8 bits of type 2']);
    expect(layouts({ isOpaque: false })).toEqual(['8 bits of type 6']);
  });

  it('have a key where one colour can stand for transparency', () => {
    expect(layouts({ isOpaque: false, key: 0 })).toEqual(['8 bits of type 2 with a key']);
    expect(layouts({ isOpaque: false, isGrey: true, key: 0 })).toEqual([
      '8 bits of type 0 with a key',
    ]);
  });

  it('are grey where all pixels are, in the fewest bits', () => {
    expect(layouts({ isGrey: true })).toEqual(['8 bits of type 0']);
    expect(layouts({ isGrey: true, greyDepth: 2, colors: 4 })).toEqual(['2 bits of type 0']);
    expect(layouts({ isGrey: true, isOpaque: false })).toEqual(['8 bits of type 4']);
  });

  it('are a palette where there are few colours, in the fewest bits', () => {
    expect(layouts({ colors: 2 })).toEqual(['palette of 1 bits']);
    expect(layouts({ colors: 4 })).toEqual(['palette of 2 bits']);
    expect(layouts({ colors: 16 })).toEqual(['palette of 4 bits']);
    expect(layouts({ colors: 17 })).toEqual(['palette of 8 bits']);
  });

  it('are a palette of few greys that would take more bits as samples', () => {
    expect(layouts({ colors: 3, isGrey: true })).toEqual(['palette of 2 bits']);
  });

  it('include whole bytes and samples for small pictures, where either may be shorter', () => {
    expect(layouts({ colors: 4 }, fewPixels)).toEqual([
      'palette of 2 bits',
      'palette of 8 bits',
      '8 bits of type 2',
    ]);
    expect(layouts({ isGrey: true, greyDepth: 4, colors: 9 }, fewPixels)).toEqual([
      '4 bits of type 0',
      '8 bits of type 0',
      'palette of 4 bits',
    ]);
  });

  it('hold no palette and no colour under a profile for grey', () => {
    expect(layouts({ isGrey: true, colors: 3 }, fewPixels, 'grey')).toEqual(['8 bits of type 0']);
  });

  it('hold no grey under a profile for RGB', () => {
    expect(layouts({ isGrey: true }, manyPixels, 'colored')).toEqual(['8 bits of type 2']);
    expect(layouts({ isGrey: true, colors: 200 }, manyPixels, 'colored')).toEqual([
      'palette of 8 bits',
    ]);
  });
});
