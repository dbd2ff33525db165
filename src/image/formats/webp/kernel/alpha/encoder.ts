/**
 * Encodes the alpha of a lossy picture as the data of an ALPH chunk (RFC 9649 §2.7.1.2), from the same rows of RGBA and
 * in the same run as its colors. The data is a VP8L stream with alpha as green; no filter is used, because predictors
 * are chosen for each tile.
 */
import { headString, openString, putBits } from '../vp8l-encoder/bit-strings';
import {
  allocateCoder,
  beginCoder,
  coderBytes,
  endCoderRows,
  finishCoder,
  nextCoderRow,
  takeCoderRow,
} from '../vp8l-encoder/coder';
import { takeAlpha } from '../vp8l-encoder/color-transforms';
import { predictive } from '../vp8l-encoder/survey';

/** Header: lossless compression, no filter, no preprocessing. */
const header: u32 = 1;

/**
 * Approximate number of pixels in a band, and in the history for references, limited because colors share the memory.
 */
const bandPixels: i32 = 1 << 16;
const historyPixels: i32 = 1 << 16;

let width: i32 = 0;

/**
 * Allocates the memory for a plane, except for the result, which grows by pieces.
 * @param transforms result of `surveyedTransforms` after a survey of alpha in the same run; negative without one
 * @returns false if there is no memory
 */
export function allocateAlphaPlane(columns: i32, rows: i32, transforms: i32): bool {
  width = columns;
  const kind = transforms < 0 ? predictive : transforms;
  return allocateCoder(columns, rows, kind, bandPixels, historyPixels);
}

/** Starts before the first row. */
export function beginAlphaPlane(): void {
  beginCoder(true);
}

/**
 * Adds the alpha of the next row of RGBA; up to 12 bytes after its last pixel may be read. Before the next one,
 * `encodeOn` must return false.
 */
export function takeAlphaRow(rgba: usize): void {
  takeAlpha(rgba, nextCoderRow(), width);
  takeCoderRow();
}

/** Adds no more rows; what is left is encoded by `encodeOn`. */
export function endAlphaRows(): void {
  endCoderRows();
  openString(headString);
  putBits(header, 8);
}

/**
 * Ends the plane, after `encodeOn` has returned false.
 * @returns the first piece of the chunk's data; 0 if memory was insufficient
 */
export function finishAlphaPlane(): usize {
  return finishCoder();
}

/** Length of the chunk's data in bytes. */
export function alphaPlaneBytes(): f64 {
  return coderBytes();
}
