/** Encodes a lossy picture from rows of pixels. */
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

/** Number of rows of macroblocks, and of those encoded. */
let rowCount: i32 = 0;
let coded: i32 = 0;
let across: i32 = 0;

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
  coded = 0;
  beginModeBudget(across, rowCount, maxModeBytes);
  beginSourceRows();
  beginCodedRows();
  beginEntropy(mode);
}

/** Adds the row that was written to `inputRow`. */
export function takeLossyRow(): void {
  const complete = takeInputRow();
  for (; coded < complete; coded += 1) {
    if (isRefreshed(coded)) refreshCosts();
    codeRow(coded);
  }
}

/** Whether costs are recomputed before row `m`: eight times in a picture, and more often at the beginning. */
function isRefreshed(m: i32): bool {
  return m > 0 && (m % max(1, rowCount >> 3) === 0 || (m & (m - 1)) === 0);
}
