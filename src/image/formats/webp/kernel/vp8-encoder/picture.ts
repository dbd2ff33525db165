/** A lossy picture out of rows of pixels. */

import { beginPieces } from '../pieces';
import { segmentCount } from '../vp8/segments';
import { allocateEntropy, beginEntropy, refreshCosts } from './entropy';
import { setWeights } from './error-weights';
import { maxFirstBytes } from './first-partition';
import { quantizerOf, setFrameSize } from './frame-settings';
import { allocateCodedRows, beginCodedRows, codeRow } from './macroblock-rows';
import { beginModeBudget } from './mode-budget';
import { setSegmentQuantizer } from './quantization';
import { allocateSourceRows, beginSourceRows, takeInputRow } from './source-rows';

/** Rows of macroblocks, and how many of them have been coded. */
let rowCount: i32 = 0;
let coded: i32 = 0;
let across: i32 = 0;

/** Bytes that the first partition may have. */
let maxModeBytes: i32 = maxFirstBytes;

/**
 * Limits the bytes of the first partition, which are those of modes in the main, from the next run on; without it the
 * format's own limit holds, which only huge pictures come near.
 */
export function limitModeBytes(bytes: i32): void {
  maxModeBytes = bytes;
}

/** Allocates what coding a picture takes beside what grows; false if there is no room. */
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

/** Derives all that follows from the quantizer indices that the frame header will have. */
export function prepareQuantizers(): void {
  for (let i = 0; i < segmentCount; i += 1) {
    setSegmentQuantizer(i, quantizerOf(i));
    setWeights(i);
  }
}

/** Begins a run through the rows: 0 keeps tokens, 1 counts them, 2 writes them. */
export function beginLossyRun(mode: i32): void {
  coded = 0;
  beginModeBudget(across, rowCount, maxModeBytes);
  beginSourceRows();
  beginCodedRows();
  beginEntropy(mode);
}

/** Takes the row in that was written to `inputRow`. */
export function takeLossyRow(): void {
  const complete = takeInputRow();
  for (; coded < complete; coded += 1) {
    if (isRefreshed(coded)) refreshCosts();
    codeRow(coded);
  }
}

/** Costs follow the counts eight times in a picture, and early on more often. */
function isRefreshed(m: i32): bool {
  return m > 0 && (m % max(1, rowCount >> 3) === 0 || (m & (m - 1)) === 0);
}
