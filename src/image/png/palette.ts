/** Entries of a palette as RGBA, four bytes each, in the order in which they are written. */
export type Palette = Uint8Array;

/** Colours put into an order. */
export interface OrderedPalette {
  readonly palette: Palette;
  /** Where each colour has gone. */
  readonly ranks: Uint8Array;
}

/**
 * Colours in an order, but those that are not opaque before all others, so that tRNS is short.
 * @param colors RGBA
 * @param order places in `colors`; what is not among them is not written
 */
export function orderedPalette(colors: Uint8Array, order: readonly number[]): OrderedPalette {
  const isOpaque = (i: number) => colors[4 * i + 3] === 255;
  const written = [...order.filter((i) => !isOpaque(i)), ...order.filter(isOpaque)];
  const palette = new Uint8Array(4 * written.length);
  const ranks = new Uint8Array(colors.length / 4);
  for (const [rank, i] of written.entries()) {
    palette.set(colors.subarray(4 * i, 4 * i + 4), 4 * rank);
    ranks[i] = rank;
  }
  return { palette, ranks };
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
