/**
 * What halving chroma costs, before anything is coded: blocks of 16 × 16 pixels whose decoded colors are off by more
 * than 6 levels RMS over red, green and blue. Where there are many, 4:2:0 does not serve the picture.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/** Squared levels that a block may be off, of three colors. */
const mostLoss: f64 = 3 * 6 * 6;

const recordBytes: usize = 16;
/** Per block: sum of squared errors times weights f64, sum of weights f64. */
let records: usize = 0;
let count: i32 = 0;
let colorful: i32 = 0;
/** Sums over all blocks that have been judged. */
let allSquares: f64 = 0;
let allWeights: f64 = 0;

/** Allocates what a row of so many blocks takes; false if there is no room. */
export function allocateColorLoss(across: i32): bool {
  count = across;
  records = allocate(recordBytes * across);
  return records !== 0;
}

/** Begins with no block. */
export function beginColorLoss(): void {
  colorful = 0;
  allSquares = 0;
  allWeights = 0;
  memory.fill(records, 0, recordBytes * count);
}

/** Adds what some pixels of block `x` lose. */
export function addColorLoss(x: i32, squares: i32, weight: i32): void {
  const at = records + recordBytes * x;
  store<f64>(at, load<f64>(at) + <f64>squares);
  store<f64>(at, load<f64>(at, 8) + <f64>weight, 8);
}

/** Judges the blocks of a row that is complete. */
export function judgeColorLoss(): void {
  const end = records + recordBytes * count;
  for (let at = records; at < end; at += recordBytes) {
    const squares = load<f64>(at);
    const weights = load<f64>(at, 8);
    if (squares > mostLoss * weights) colorful += 1;
    allSquares += squares;
    allWeights += weights;
  }
  memory.fill(records, 0, recordBytes * count);
}

/** Blocks so far that are off by more than 6 levels RMS. */
export function colorfulBlocks(): i32 {
  return colorful;
}

/** Levels RMS that the picture is off as a whole so far. */
export function colorLoss(): f64 {
  return allWeights > 0 ? Math.sqrt(allSquares / (3 * allWeights)) : 0;
}
