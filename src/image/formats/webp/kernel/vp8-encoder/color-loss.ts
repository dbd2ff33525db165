/**
 * Measures the error of halving chroma before anything is encoded: counts blocks of 16 × 16 pixels whose decoded colors
 * have an error above 6 levels RMS over red, green and blue. If there are many, 4:2:0 does not suit the picture.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/** Maximum squared error of a block, in squared levels, for three colors. */
const maxLoss: f64 = 3 * 6 * 6;

const recordBytes: usize = 16;
/** Per block: sum of squared errors times weights f64, sum of weights f64. */
let records: usize = 0;
let count: i32 = 0;
let colorful: i32 = 0;
/** Sums over all judged blocks. */
let allSquares: f64 = 0;
let allWeights: f64 = 0;

/** Allocates memory for a row with this number of blocks; returns false if there is none. */
export function allocateColorLoss(across: i32): bool {
  count = across;
  records = allocate(recordBytes * across);
  return records !== 0;
}

/** Resets all sums and counts. */
export function beginColorLoss(): void {
  colorful = 0;
  allSquares = 0;
  allWeights = 0;
  memory.fill(records, 0, recordBytes * count);
}

/** Adds the error of some pixels in block `x`. */
export function addColorLoss(x: i32, squares: i32, weight: i32): void {
  const at = records + recordBytes * x;
  store<f64>(at, load<f64>(at) + <f64>squares);
  store<f64>(at, load<f64>(at, 8) + <f64>weight, 8);
}

/** Judges the blocks of a complete row. */
export function judgeColorLoss(): void {
  const end = records + recordBytes * count;
  for (let at = records; at < end; at += recordBytes) {
    const squares = load<f64>(at);
    const weights = load<f64>(at, 8);
    if (squares > maxLoss * weights) colorful += 1;
    allSquares += squares;
    allWeights += weights;
  }
  memory.fill(records, 0, recordBytes * count);
}

/** Number of blocks so far with an error above 6 levels RMS. */
export function colorfulBlocks(): i32 {
  return colorful;
}

/** RMS error of the whole picture so far, in levels. */
export function colorLoss(): f64 {
  return allWeights > 0 ? Math.sqrt(allSquares / (3 * allWeights)) : 0;
}
