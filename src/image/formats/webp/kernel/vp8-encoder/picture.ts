/** Encodes a lossy picture from rows of pixels. */
import { beginPieces } from '../pieces';
import { blockBytes, blockCount, secondOrderBlock } from '../vp8/coefficients';
import { blockModes, chromaMode, isByBlock, recordBytes, segmentOf } from '../vp8/modes';
import { allocateSampleRows, beginSampleRows, keepLowestRow } from '../vp8/sample-rows';
import { segmentCount } from '../vp8/segments';
import { takeBlocks, triedModes } from './block-luma';
import {
  allocateDiffusion,
  beginDiffusion,
  beginDiffusionRow,
  chosenChromaMode,
  takeChroma,
} from './chroma';
import { chosenLevels, enterMacroblock, enterSegment, takeSource } from './current-macroblock';
import {
  allocateEntropy,
  beginEntropy,
  beginMacroblockRow,
  keepMacroblock,
  refreshCosts,
} from './entropy';
import { maxFirstBytes, quantizerOf, setFrameSize } from './first-partition';
import { beginModeBudget, endBudgetRow, enterBudget, modeWeight } from './modes';
import { setSegmentQuantizer, setWeights } from './quantization';
import {
  allocateSourceRows,
  beginSourceRows,
  sourceChromaStride,
  sourceLuma,
  sourceLumaStride,
  sourceU,
  sourceV,
  takeInputRow,
} from './source-rows';
import { chooseWhole, takeWhole, wholeMode, wholeScore } from './whole-luma';

/** Number of rows of macroblocks, of those whose source samples are complete, and of those encoded. */
let rowCount: i32 = 0;
let complete: i32 = 0;
let coded: i32 = 0;
/** Number of macroblocks in a row, and the next one. */
let across: i32 = 0;
let next: i32 = 0;
/** Number of macroblocks that are encoded in a step. */
const stepMacroblocks: i32 = 256;

/** Maximum bytes of the first partition. */
let maxModeBytes: i32 = maxFirstBytes;

/**
 * Limits the bytes of the first partition, most of which are modes, from the next run on. By default, the limit of the
 * format applies, which only huge pictures come near.
 */
export function limitModeBytes(bytes: i32): void {
  maxModeBytes = bytes;
}

/** Allocates the memory for a picture, except for the parts that grow; returns false if there is none. */
export function allocateLossyEncoder(
  width: i32,
  height: i32,
  hasAlpha: bool,
  keepsHidden: bool,
): bool {
  rowCount = (height + 15) >> 4;
  beginPieces();
  setFrameSize(width, height);
  across = (width + 15) >> 4;
  return (
    allocateSourceRows(width, height, hasAlpha, keepsHidden) &&
    allocateCodedRows(across) &&
    allocateEntropy(across, rowCount)
  );
}

/** Computes everything that depends on the quantizer indices of the frame settings. */
export function prepareQuantizers(): void {
  for (let i = 0; i < segmentCount; i += 1) {
    setSegmentQuantizer(i, quantizerOf(i));
    setWeights(i);
  }
}

/** Starts a run over the rows: 0 keeps tokens, 1 counts them, 2 writes them. */
export function beginLossyRun(mode: i32): void {
  complete = 0;
  coded = 0;
  next = 0;
  beginModeBudget(across, rowCount, maxModeBytes);
  beginSourceRows();
  beginCodedRows();
  beginEntropy(mode);
}

/**
 * Adds the row that was written to `inputRow`.
 * @returns whether macroblocks are complete; `encodeMacroblocks` must then be called before the next row is added
 */
export function takeLossyRow(): bool {
  complete = takeInputRow();
  return coded < complete;
}

/** Whether costs are recomputed before row `m`: eight times in a picture, and more often at the beginning. */
function isRefreshed(m: i32): bool {
  return m > 0 && (m % max(1, rowCount >> 3) === 0 || (m & (m - 1)) === 0);
}

// Encodes a row of macroblocks: chooses the segment, and the modes and levels with the lowest cost, and reconstructs
// each macroblock for the prediction of the next ones.

/** The record of a macroblock, see vp8/modes.ts. */
const record: usize = memory.data(recordBytes, 4);

/** Allocates memory for rows with this number of macroblocks; returns false if there is none. */
function allocateCodedRows(macroblocks: i32): bool {
  return allocateDiffusion(macroblocks) && allocateSampleRows(macroblocks);
}

/** Starts before the first row. */
function beginCodedRows(): void {
  beginDiffusion();
  beginSampleRows();
}

/** Encodes complete macroblocks of a row, some milliseconds' worth; returns whether more are left. */
export function encodeMacroblocks(): bool {
  if (next === 0) beginRow();
  const stop = min(across, next + stepMacroblocks);
  for (; next < stop; next += 1) encodeMacroblock(coded, next);
  if (next < across) return true;
  keepLowestRow();
  endBudgetRow();
  next = 0;
  coded += 1;
  return coded < complete;
}

function beginRow(): void {
  if (isRefreshed(coded)) refreshCosts();
  beginMacroblockRow();
  beginDiffusionRow();
}

function encodeMacroblock(m: i32, x: i32): void {
  enterMacroblock(x, m === 0);
  const y = sourceLuma(m) + ((<usize>x) << 4);
  const offset = (<usize>x) << 3;
  takeSource(y, sourceU(m) + offset, sourceV(m) + offset, sourceLumaStride, sourceChromaStride);
  const segment = segmentFor(y, sourceLumaStride);
  enterSegment(segment);
  chooseWhole();
  const byBlock = enterBudget() && takeBlocks(wholeScore, modeWeight);
  if (!byBlock) takeWhole();
  takeChroma();
  const modes = byBlock ? v128.load(triedModes) : i8x16.splat(<i8>wholeMode);
  v128.store(record, modes, blockModes);
  store<u8>(record, <u8>chosenChromaMode, chromaMode);
  store<u8>(record, byBlock ? 1 : 0, isByBlock);
  store<u8>(record, <u8>segment, segmentOf);
  keepMacroblock(x, record, chosenLevels, isEmpty(byBlock));
}

/** Whether all coded levels are zero. */
function isEmpty(byBlock: bool): bool {
  const end = chosenLevels + blockBytes * (byBlock ? secondOrderBlock : blockCount);
  let any = i16x8.splat(0);
  for (let at = chosenLevels; at < end; at += 16) any = v128.or(any, v128.load(at));
  return !v128.any_true(any);
}

// Assigns segments by activity, because noise and texture mask more error than smooth areas. The classes are fixed, so
// the segment of a macroblock does not depend on the rest of the picture.

/** Thresholds between the four classes, most active first. */
const borders: usize = memory.data<f32>([6.979166, 5.208333, 3.4375]);

/** The segment of a macroblock; 0 is the most active. */
function segmentFor(luma: usize, stride: usize): i32 {
  const activity = activityOf(luma, stride);
  let segment = 0;
  while (segment < 3 && activity < load<f32>(borders + (segment << 2))) segment += 1;
  return segment;
}

/** The mean of log₂(1 + variance) over the sixteen 4 × 4 blocks of a macroblock's luma. */
function activityOf(luma: usize, stride: usize): f32 {
  let sum: f32 = 0;
  for (let y = 0; y < 4; y += 1, luma += stride << 2) sum += activityOfFour(luma, stride);
  return sum / 16;
}

/** The total activity of four adjacent blocks. */
function activityOfFour(at: usize, stride: usize): f32 {
  let sums = i16x8.splat(0);
  let left = i32x4.splat(0);
  let right = left;
  for (let y = 0; y < 4; y += 1, at += stride) {
    const row = v128.load(at);
    sums = i16x8.add(sums, i16x8.extadd_pairwise_i8x16_u(row));
    const low = i16x8.extend_low_i8x16_u(row);
    const high = i16x8.extend_high_i8x16_u(row);
    left = i32x4.add(left, i32x4.dot_i16x8_s(low, low));
    right = i32x4.add(right, i32x4.dot_i16x8_s(high, high));
  }
  const totals = i32x4.extadd_pairwise_i16x8_u(sums);
  const squares = i32x4.add(
    i32x4.shuffle(left, right, 0, 2, 4, 6),
    i32x4.shuffle(left, right, 1, 3, 5, 7),
  );
  // Sixteen times the sum of squared deviations.
  const spread = i32x4.sub(i32x4.shl(squares, 4), i32x4.mul(totals, totals));
  const variances = f32x4.mul(f32x4.convert_i32x4_s(spread), f32x4.splat(<f32>(1.0 / 256)));
  const shifted = f32x4.add(variances, f32x4.splat(1));
  const logarithms = log2Of(shifted);
  return (
    f32x4.extract_lane(logarithms, 0) +
    f32x4.extract_lane(logarithms, 1) +
    f32x4.extract_lane(logarithms, 2) +
    f32x4.extract_lane(logarithms, 3)
  );
}

/** log₂ of four numbers of at least 1, with an error below 0.01: approximates that of the mantissa by a parabola. */
function log2Of(values: v128): v128 {
  const exponents = f32x4.convert_i32x4_s(i32x4.sub(i32x4.shr_u(values, 23), i32x4.splat(127)));
  const mantissas = v128.or(v128.and(values, i32x4.splat(0x7fffff)), i32x4.splat(0x3f800000));
  const slope = f32x4.sub(f32x4.splat(2), f32x4.mul(mantissas, f32x4.splat(<f32>(1.0 / 3))));
  const parabola = f32x4.sub(f32x4.mul(slope, mantissas), f32x4.splat(<f32>(5.0 / 3)));
  return f32x4.add(exponents, parabola);
}
