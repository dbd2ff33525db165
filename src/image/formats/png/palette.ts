import { Pace, type Slices } from '../../slices.ts';

/** CPU time of a pass over palette indices, in milliseconds per megapixel. */
export const indexMs = 8;

/** Palette entries as RGBA, four bytes each, in the order in which they are written. */
export type Palette = Uint8Array;

/** An ordered palette. */
export interface OrderedPalette {
  readonly palette: Palette;
  /** The palette index of each original color. */
  readonly ranks: Uint8Array;
}

/**
 * Puts colors into an order, with those that are not opaque before all others, so that tRNS is short.
 * @param colors RGBA
 * @param order indices into `colors`; colors not among them are not written
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

/** Content of PLTE: red, green and blue of each entry (PNG third edition §11.2.2). */
export function plteContent(palette: Palette): Uint8Array {
  return palette.filter((_, at) => at % 4 !== 3);
}

/**
 * Content of tRNS: alpha of the entries up to the last that is not opaque (PNG third edition §11.3.1.1); empty if all
 * are opaque.
 */
export function trnsContent(palette: Palette): Uint8Array {
  const alphas = palette.filter((_, at) => at % 4 === 3);
  return alphas.subarray(0, alphas.findLastIndex((alpha) => alpha !== 255) + 1);
}

/**
 * Orders colors from transparent to opaque and from dark to light, so that neighbors in a gradient are neighbors in the
 * palette and filters find small differences.
 *
 * @param colors RGBA
 * @returns indices into `colors`
 */
export function orderByLuma(colors: Uint8Array): readonly number[] {
  const keys = Array.from({ length: colors.length / 4 }, (_, i) => sortKey(colors, 4 * i));
  return keys.map((_, i) => i).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
}

/**
 * Sort key: alpha first; then luma, with the weights of Rec. 601; then red and green, so that no two keys are equal.
 */
function sortKey(colors: Uint8Array, at: number): number {
  const [red = 0, green = 0, blue = 0, alpha = 0] = colors.subarray(at, at + 4);
  const luma = 299 * red + 587 * green + 114 * blue;
  return ((2 ** 20 * alpha + luma) * 256 + red) * 256 + green;
}

/**
 * Orders colors so that neighbors in the picture are neighbors in the palette: repeatedly, the color that borders most
 * on those already placed is put at the end of the row that it borders on more. Zeng, Li and Lei 2000, as simplified by
 * Pinho and Neves, "A note on Zeng's technique for color reindexing of palette-based images", 2004.
 *
 * @param borders number of times that each pair of colors meets: `count` × `count`, symmetric
 */
export function orderByBorders(borders: Float64Array, count: number): readonly number[] {
  const between = (a: number, b: number) => borders[a * count + b] ?? 0;
  const remaining = new Set(Array.from({ length: count }, (_, i) => i));
  const attraction = new Float64Array(count);
  const row: number[] = [];
  const place = (color: number, atEnd: boolean) => {
    remaining.delete(color);
    if (atEnd) row.push(color);
    else row.unshift(color);
    for (const other of remaining)
      attraction[other] = (attraction[other] ?? 0) + between(color, other);
  };
  place(mostBordering(borders, count), true);
  while (remaining.size > 0) {
    let next = -1;
    for (const color of remaining) {
      if (next < 0 || (attraction[color] ?? 0) > (attraction[next] ?? 0)) next = color;
    }
    const pull = row.reduce(
      (sum, color, i) => sum + (row.length - 1 - 2 * i) * between(next, color),
      0,
    );
    place(next, pull <= 0);
  }
  return row;
}

/** One of the two colors that meet most often. */
function mostBordering(borders: Float64Array, count: number): number {
  let best = 0;
  for (const [at, value] of borders.entries()) if (value > (borders[best] ?? 0)) best = at;
  return Math.floor(best / count);
}

/**
 * Counts how often each pair of indices meets, horizontally and vertically.
 * @param indices of a picture, a byte per pixel
 */
export function* countBorders(
  indices: Uint8Array,
  width: number,
  count: number,
): Slices<Float64Array> {
  const borders = new Float64Array(count * count);
  const countMeeting = (a: number, b: number) => {
    if (a === b) return;
    borders[a * count + b] = (borders[a * count + b] ?? 0) + 1;
    borders[b * count + a] = (borders[b * count + a] ?? 0) + 1;
  };
  const pace = Pace.ofRows(width, indexMs);
  for (let start = 0; start < indices.length; start += width) {
    for (let at = start; at < Math.min(start + width, indices.length); at += 1) {
      const index = indices[at] ?? 0;
      if (at > start) countMeeting(index, indices[at - 1] ?? 0);
      if (at >= width) countMeeting(index, indices[at - width] ?? 0);
    }
    yield* pace.after();
  }
  return borders;
}
