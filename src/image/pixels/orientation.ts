import { freeMemory } from '../container/workspace.ts';
import type { Orientation } from '../metadata/exif-block.ts';
import type { Raster, Size } from './raster.ts';

/**
 * Rotates a raster upright in place; orientations 5 to 8 swap width and height. The result has the buffer of the given
 * raster, which must not be used afterwards. Source: CIPA DC-008 §4.6.4, tag 0x0112.
 */
export function turnInPlace(raster: Raster, orientation: Orientation): Raster {
  const { width, height, data } = raster;
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const isTurned = orientation >= 5;
  if (isTurned) transposeInPlace(pixels, height, width);
  const upright = { ...turnedSize(raster, orientation), data };
  const isFlipped = flipsRows(orientation);
  const isMirrored = mirrorsRows(orientation);
  if (isFlipped && isMirrored) pixels.reverse();
  else if (isFlipped) flip(pixels, upright.width);
  else if (isMirrored) mirror(pixels, upright.width);
  return upright;
}

/** A size after a rotation; also the inverse: the size before it. */
export function turnedSize({ width, height }: Size, turn: Orientation): Size {
  return turn >= 5 ? { width: height, height: width } : { width, height };
}

/** Maximum bytes that rotation takes in addition to the raster, for a raster of this coded size. */
export function turnScratchBytes(width: number, height: number): number {
  return transpositionScratchBytes(height, width);
}

/** Whether the picture has to be flipped vertically, after 5 to 8 have been transposed. */
export function flipsRows(orientation: Orientation): boolean {
  return flipped.has(orientation);
}

/** Whether the picture has to be mirrored horizontally, after 5 to 8 have been transposed. */
export function mirrorsRows(orientation: Orientation): boolean {
  return mirrored.has(orientation);
}

const flipped: ReadonlySet<Orientation> = new Set([3, 4, 7, 8]);
const mirrored: ReadonlySet<Orientation> = new Set([2, 3, 6, 7]);

/** Reverses the order of rows. */
function flip(pixels: Uint32Array, width: number): void {
  for (
    let upper = 0, lower = pixels.length - width;
    upper < lower;
    upper += width, lower -= width
  ) {
    for (let x = 0; x < width; x += 1) exchange(pixels, upper + x, lower + x);
  }
}

/** Reverses the order of columns. */
function mirror(pixels: Uint32Array, width: number): void {
  for (let row = 0; row < pixels.length; row += width) {
    for (let left = row, right = row + width - 1; left < right; left += 1, right -= 1) {
      exchange(pixels, left, right);
    }
  }
}

function exchange(pixels: Uint32Array, a: number, b: number): void {
  const kept = pixels[a] ?? 0;
  pixels[a] = pixels[b] ?? 0;
  pixels[b] = kept;
}

/** Number of columns moved together: as many pixels as a cache line holds. */
const maxColumns = 16;

/** Maximum pixels buffered for columns: 4 MiB, unless a single column is longer. */
const columnRoom = 2 ** 20;

/**
 * Transposes a matrix in place, in linear time. Three passes, each within columns or within rows, move every entry to
 * its destination: columns are rotated so that no two entries of a row have the same destination column, then rows are
 * permuted, then columns. Source: Catanzaro, Keller, Garland, "A Decomposition for In-place Matrix Transposition",
 * PPoPP 2014, algorithm 1 (C2R) with equations 23, 24 and 26.
 *
 * @param matrix `rows` × `columns` entries in row-major order
 */
export function transposeInPlace(matrix: Uint32Array, rows: number, columns: number): void {
  if (rows === 1 || columns === 1) return;
  const scratch = new Uint32Array(scratchLength(rows, columns));
  const common = greatestCommonDivisor(rows, columns);
  if (common > 1) rotateColumns(matrix, rows, columns, columns / common, scratch);
  shuffleRows(matrix, rows, columns, columns / common, scratch);
  shuffleColumns(matrix, rows, columns, rows / common, scratch);
  freeMemory(scratch);
}

/** Bytes that transposition takes in addition to the matrix. */
export function transpositionScratchBytes(rows: number, columns: number): number {
  return rows === 1 || columns === 1 ? 0 : 4 * scratchLength(rows, columns);
}

function scratchLength(rows: number, columns: number): number {
  return Math.max(columns, rows * columnsAtOnce(rows, columns));
}

function columnsAtOnce(rows: number, columns: number): number {
  return Math.min(maxColumns, columns, Math.max(Math.floor(columnRoom / rows), 1));
}

/** Rotates column `j` upwards by `⌊j / period⌋` rows. */
function rotateColumns(
  matrix: Uint32Array,
  rows: number,
  columns: number,
  period: number,
  scratch: Uint32Array,
): void {
  forColumns(matrix, rows, columns, scratch, (first, count) => {
    for (let j = 0; j < count; j += 1) {
      let row = Math.floor((first + j) / period) % rows;
      let to = first + j;
      for (let i = 0; i < rows; i += 1) {
        matrix[to] = scratch[row * count + j] ?? 0;
        to += columns;
        row = row + 1 === rows ? 0 : row + 1;
      }
    }
  });
}

/** Entry `j` of row `i` goes to column `((i + ⌊j / period⌋) mod rows + j × rows) mod columns`. */
function shuffleRows(
  matrix: Uint32Array,
  rows: number,
  columns: number,
  period: number,
  scratch: Uint32Array,
): void {
  const step = rows % columns;
  const row = scratch.subarray(0, columns);
  for (let i = 0; i < rows; i += 1) {
    const start = i * columns;
    for (let first = 0, turn = i; first < columns; first += period, turn += 1) {
      let to = ((turn % rows) + first * step) % columns;
      for (let from = start + first; from < start + first + period; from += 1) {
        row[to] = matrix[from] ?? 0;
        to += step;
        if (to >= columns) to -= columns;
      }
    }
    matrix.set(row, start);
  }
}

/** Entry `i` of column `j` comes from row `(j + i × columns − ⌊i / period⌋) mod rows`. */
function shuffleColumns(
  matrix: Uint32Array,
  rows: number,
  columns: number,
  period: number,
  scratch: Uint32Array,
): void {
  forColumns(matrix, rows, columns, scratch, (first, count) => {
    for (let i = 0; i < rows; i += 1) {
      const to = i * columns + first;
      let row = (first + i * columns - Math.floor(i / period)) % rows;
      for (let j = 0; j < count; j += 1) {
        matrix[to + j] = scratch[row * count + j] ?? 0;
        row = row + 1 === rows ? 0 : row + 1;
      }
    }
  });
}

/** Copies columns out, several at a time, for `putBack` to write them back permuted. */
function forColumns(
  matrix: Uint32Array,
  rows: number,
  columns: number,
  scratch: Uint32Array,
  putBack: (first: number, count: number) => void,
): void {
  const atOnce = columnsAtOnce(rows, columns);
  for (let first = 0; first < columns; first += atOnce) {
    const count = Math.min(atOnce, columns - first);
    for (let i = 0; i < rows; i += 1) {
      const from = i * columns + first;
      for (let j = 0; j < count; j += 1) scratch[i * count + j] = matrix[from + j] ?? 0;
    }
    putBack(first, count);
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
