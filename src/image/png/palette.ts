/** Entries of a palette as RGBA, four bytes each, in the order in which they are written. */
export type Palette = Uint8Array;

/** Colours put into an order. */
export interface OrderedPalette {
  readonly palette: Palette;
  /** Where each colour has gone. */
  readonly ranks: Uint8Array;
}

/**
 * Colours in the order in which they are written: those that are not opaque first, so that tRNS is
 * short, then from dark to light, so that neighbours in a gradient are neighbours in the palette and
 * filters find small differences.
 *
 * @param colors RGBA
 */
export function orderedPalette(colors: Uint8Array): OrderedPalette {
  const keys = Array.from({ length: colors.length / 4 }, (_, i) => sortKey(colors, 4 * i));
  const order = keys.map((_, i) => i).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
  const palette = new Uint8Array(colors.length);
  const ranks = new Uint8Array(keys.length);
  for (const [rank, i] of order.entries()) {
    palette.set(colors.subarray(4 * i, 4 * i + 4), 4 * rank);
    ranks[i] = rank;
  }
  return { palette, ranks };
}

/** Opaque ones above all others; then luma, with the weights of Rec. 601. */
function sortKey(colors: Uint8Array, at: number): number {
  const [red = 0, green = 0, blue = 0, alpha = 0] = colors.subarray(at, at + 4);
  return 2 ** 20 * alpha + 299 * red + 587 * green + 114 * blue;
}

/** PLTE: red, green and blue of each entry (PNG third edition §11.2.2). */
export function plteContent(palette: Palette): Uint8Array {
  return palette.filter((_, at) => at % 4 !== 3);
}

/** tRNS: alpha of the entries up to the last that is not opaque (PNG third edition §11.3.1.1); empty when all are. */
export function trnsContent(palette: Palette): Uint8Array {
  const alphas = palette.filter((_, at) => at % 4 === 3);
  return alphas.subarray(0, alphas.findLastIndex((alpha) => alpha !== 255) + 1);
}
