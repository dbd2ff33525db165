/**
 * The alpha of a lossy picture: the data of an ALPH chunk (RFC 9649 §2.7.1.2), from the same rows of RGBA as its
 * colors, in the same run. It is a VP8L stream whose green is alpha; the plane itself is not filtered, since predictors
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
import { takeAlpha } from '../vp8l-encoder/input-colors';
import { predictive } from '../vp8l-encoder/survey';

/** Compressed without loss, no filter, levels as they are. */
const header: u32 = 1;

/** Pixels of a band, about, and of what references may go back to beyond it: colors are coded in the same memory. */
const bandPixels: i32 = 1 << 16;
const historyPixels: i32 = 1 << 16;

let width: i32 = 0;

/**
 * Allocates all that a plane takes but the result, which grows by pieces.
 * @param transforms as `surveyedTransforms` says after a survey of alpha in the same run; negative without one
 * @returns false if there is no room
 */
export function allocateAlphaPlane(columns: i32, rows: i32, transforms: i32): bool {
  width = columns;
  const kind = transforms < 0 ? predictive : transforms;
  return allocateCoder(columns, rows, kind, bandPixels, historyPixels);
}

/** Begins above the first row. */
export function beginAlphaPlane(): void {
  beginCoder(true);
}

/** Takes the alpha of the next row of RGBA in, which may be read up to 12 bytes behind its last pixel. */
export function takeAlphaRow(rgba: usize): void {
  takeAlpha(rgba, nextCoderRow(), width);
  takeCoderRow();
}

/**
 * Ends the plane behind its last row.
 * @returns the first piece of the chunk's data, 0 where there was no room for them
 */
export function finishAlphaPlane(): usize {
  endCoderRows();
  openString(headString);
  putBits(header, 8);
  return finishCoder();
}

/** Bytes of the chunk's data. */
export function alphaPlaneBytes(): f64 {
  return coderBytes();
}
