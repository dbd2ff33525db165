import type { ColorTolerance } from '../../animation/differences.ts';
import type { PlannedFrame } from '../../animation/timeline.ts';
import { Pace, type Slices } from '../../slices.ts';
import { countingMs } from './frame-colors.ts';

/** Similar colors merged into one: those of a cell of 5 bits each for red, green and blue. */
interface Cell {
  /** Number of pixels. */
  readonly count: number;
  /** Their mean color, in the units of `splitColor`. */
  readonly mean: readonly [number, number, number];
}

/** Collects the colors of a frame into cells, without pixels that keep the color below them. */
export function* colorCells(
  { region, picture, base }: PlannedFrame,
  isAcceptable: ColorTolerance,
): Slices<Cell[]> {
  const sums = new Float64Array(4 * cellCount);
  const pace = Pace.ofRows(region.width, countingMs);
  for (let y = region.top; y < region.top + region.height; y += 1) {
    const start = y * picture.width + region.left;
    for (let i = start; i < start + region.width; i += 1) {
      const word = picture.pixels[i] ?? 0;
      if (word === 0 || isAcceptable(base.pixels[i] ?? 0, word)) continue;
      const [red, green, blue] = [word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff];
      const at = 4 * (((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3));
      sums[at] = (sums[at] ?? 0) + 1;
      sums[at + 1] = (sums[at + 1] ?? 0) + red;
      sums[at + 2] = (sums[at + 2] ?? 0) + green;
      sums[at + 3] = (sums[at + 3] ?? 0) + blue;
    }
    yield* pace.after();
  }
  const cells: Cell[] = [];
  for (let at = 0; at < sums.length; at += 4) {
    const count = sums[at] ?? 0;
    if (count === 0) continue;
    const [red = 0, green = 0, blue = 0] = sums.subarray(at + 1, at + 4).map((sum) => sum / count);
    cells.push({ count, mean: splitColor(wordOf(red, green, blue)) });
  }
  return cells;
}

const cellCount = 2 ** 15;

/**
 * Chooses colors for a frame that has too many: the box of colors with the largest variance is split repeatedly; then
 * each color is moved to the mean of its nearest cells (Wu 1991, k-means).
 *
 * @param cells at least one
 * @param most maximum number of colors
 * @returns RGBA words
 */
export function* reducedColors(cells: readonly Cell[], most: number): Slices<number[]> {
  const pace = new Pace(cellMs);
  const boxes = [boxOf([...cells])];
  while (boxes.length < most) {
    const worst = boxes.reduce((a, b) => (b.variance > a.variance ? b : a));
    if (worst.variance === 0) break;
    const [left, right] = splitBox(worst);
    boxes.splice(boxes.indexOf(worst), 1, boxOf(left), boxOf(right));
    yield* pace.after(worst.cells.length);
  }
  let colors = boxes.map(({ mean }) => mean);
  for (let round = 0; round < rounds; round += 1) {
    colors = yield* movedColors(cells, colors);
  }
  return [...new Set(colors.map(mergeColor))];
}

/** Rounds of k-means. */
const rounds = 3;

/** CPU time of splitting a box, or of finding the nearest color, in milliseconds per cell. */
const cellMs = 0.001;

/** Cells whose nearest colors are found between two pauses at least. */
const pieceCells = 4096;

/** Mean squared distance from a frame's colors to the nearest colors of a table. */
export function* meanLoss(cells: readonly Cell[], table: readonly number[]): Slices<number> {
  const colors = new ColorSearch(table.map(splitColor));
  let loss = 0;
  let pixels = 0;
  const pace = new Pace(cellMs);
  for (let from = 0; from < cells.length; from += pieceCells) {
    for (const { count, mean } of cells.slice(from, from + pieceCells)) {
      colors.nearest(mean);
      loss += count * colors.distance;
      pixels += count;
    }
    yield* pace.after(pieceCells);
  }
  return pixels > 0 ? loss / pixels : 0;
}

type Color = readonly [number, number, number];

interface Box {
  readonly cells: Cell[];
  readonly mean: Color;
  /** Total over its pixels along `axis`, the axis with the largest variance. */
  readonly variance: number;
  readonly axis: number;
}

function boxOf(cells: Cell[]): Box {
  const mean = meanOf(cells);
  const variances = [0, 0, 0];
  for (const cell of cells) {
    for (let axis = 0; axis < 3; axis += 1) {
      const off = (cell.mean[axis] ?? 0) - (mean[axis] ?? 0);
      variances[axis] = (variances[axis] ?? 0) + cell.count * off * off;
    }
  }
  const variance = cells.length > 1 ? Math.max(...variances) : 0;
  return { cells, mean, variance, axis: variances.indexOf(Math.max(...variances)) };
}

/** Splits a box in two; neither part is empty if the box has a variance. */
function splitBox({ cells, mean, axis }: Box): [Cell[], Cell[]] {
  const limit = mean[axis] ?? 0;
  const isLow = (cell: Cell) => (cell.mean[axis] ?? 0) <= limit;
  const low = cells.filter(isLow);
  const high = cells.filter((cell) => !isLow(cell));
  return high.length > 0 ? [low, high] : [low.slice(0, 1), low.slice(1)];
}

function meanOf(cells: readonly Cell[]): Color {
  let [pixels, a, b, c] = [0, 0, 0, 0];
  for (const { count, mean } of cells) {
    pixels += count;
    a += count * mean[0];
    b += count * mean[1];
    c += count * mean[2];
  }
  return [a / pixels, b / pixels, c / pixels];
}

/** Moves each color to the mean of the cells nearest to it; a color that is nearest to no cell stays. */
function* movedColors(cells: readonly Cell[], colors: readonly Color[]): Slices<Color[]> {
  const search = new ColorSearch(colors);
  const sums = new Float64Array(4 * colors.length);
  const pace = new Pace(cellMs);
  for (let from = 0; from < cells.length; from += pieceCells) {
    for (const { count, mean } of cells.slice(from, from + pieceCells)) {
      const at = 4 * search.nearest(mean);
      sums[at] = (sums[at] ?? 0) + count;
      for (let axis = 0; axis < 3; axis += 1) {
        sums[at + 1 + axis] = (sums[at + 1 + axis] ?? 0) + count * (mean[axis] ?? 0);
      }
    }
    yield* pace.after(pieceCells);
  }
  return colors.map((color, index) => {
    const [count = 0, luma = 0, blue = 0, red = 0] = sums.subarray(4 * index, 4 * index + 4);
    return count > 0 ? [luma / count, blue / count, red / count] : color;
  });
}

/** Nearest-neighbor search in a list of colors. They are sorted by luma, so that most need not be examined. */
class ColorSearch {
  /** Squared distance of the last result. */
  distance = 0;
  readonly #count: number;
  readonly #lumas: Float64Array;
  readonly #blues: Float64Array;
  readonly #reds: Float64Array;
  /** Position of each color in the original list. */
  readonly #places: Uint16Array;

  constructor(colors: readonly Color[]) {
    const sorted = colors.map((color, place) => ({ color, place }));
    sorted.sort((a, b) => a.color[0] - b.color[0]);
    this.#count = sorted.length;
    this.#lumas = Float64Array.from(sorted, ({ color }) => color[0]);
    this.#blues = Float64Array.from(sorted, ({ color }) => color[1]);
    this.#reds = Float64Array.from(sorted, ({ color }) => color[2]);
    this.#places = Uint16Array.from(sorted, ({ place }) => place);
  }

  /** Returns the position of the nearest color in the original list. */
  nearest([luma, blue, red]: Color): number {
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#lumas[middle] ?? 0) < luma) low = middle + 1;
      else high = middle;
    }
    let [best, distance] = [0, Number.POSITIVE_INFINITY];
    const isWorthContinuing = (at: number) => {
      const lumaOff = (this.#lumas[at] ?? 0) - luma;
      const blueOff = (this.#blues[at] ?? 0) - blue;
      const redOff = (this.#reds[at] ?? 0) - red;
      const off = lumaOff * lumaOff + blueOff * blueOff + redOff * redOff;
      if (off < distance) [best, distance] = [at, off];
      // Whether a color with a larger difference in luma can still be nearer.
      return lumaOff * lumaOff < distance;
    };
    for (let at = low; at < this.#count && isWorthContinuing(at); at += 1);
    for (let at = low - 1; at >= 0 && isWorthContinuing(at); at -= 1);
    this.distance = distance;
    return this.#places[best] ?? 0;
  }
}

/** The inverse of `splitColor`, rounded to integer samples. */
function mergeColor([luma, blueDifference, redDifference]: Color): number {
  const blue = luma + blueDifference / blueWeight;
  const red = luma + redDifference / redWeight;
  return wordOf(red, (luma - 0.299 * red - 0.114 * blue) / 0.587, blue);
}

function wordOf(...samples: [number, number, number]): number {
  const [red, green, blue] = samples.map((sample) =>
    Math.min(255, Math.max(0, Math.round(sample))),
  );
  return (0xff000000 | ((blue ?? 0) << 16) | ((green ?? 0) << 8) | (red ?? 0)) >>> 0;
}

/**
 * Colors are compared by luma (BT.601), and by blue and red minus luma, scaled by the weights of these differences
 * relative to luma. kernel/encoder/lossy-colors.ts compares colors in the same way.
 */
const blueWeight = 0.25;
const redWeight = 0.4;

/** Splits an opaque color, given as an RGBA word, into luma, blue and red, in steps of luma. */
function splitColor(word: number): [luma: number, blue: number, red: number] {
  const red = word & 0xff;
  const blue = (word >>> 16) & 0xff;
  const luma = 0.299 * red + 0.587 * ((word >>> 8) & 0xff) + 0.114 * blue;
  return [luma, blueWeight * (blue - luma), redWeight * (red - luma)];
}

/** Squared distance between two opaque colors, given as RGBA words. */
export function squaredDistance(a: number, b: number): number {
  const red = (a & 0xff) - (b & 0xff);
  const green = ((a >>> 8) & 0xff) - ((b >>> 8) & 0xff);
  const blue = ((a >>> 16) & 0xff) - ((b >>> 16) & 0xff);
  const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
  return luma ** 2 + (blueWeight * (blue - luma)) ** 2 + (redWeight * (red - luma)) ** 2;
}
