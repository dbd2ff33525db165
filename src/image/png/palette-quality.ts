import type { PaletteTarget } from './quantized-rows.ts';

export function paletteTarget(_quality: number): PaletteTarget {
  return { enough: 0, hopeless: -1, most: 1 };
}
