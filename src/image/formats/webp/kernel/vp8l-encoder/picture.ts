/** Encodes rows of RGBA with straight alpha as the data of a VP8L chunk (RFC 9649 §3). */
import { beginPieces } from '../pieces';
import { headString, openString, putBits } from './bit-strings';
import {
  allocateCoder,
  beginCoder,
  coderBytes,
  endCoderRows,
  finishCoder,
  nextCoderRow,
  takeCoderRow,
} from './coder';
import { beginColors, isOpaque, takeColors } from './input-colors';

const signature: u32 = 0x2f;

/** Approximate number of pixels in a band. */
const bandPixels: i32 = 3 << 17;
/**
 * Number of pixels before the band that references can reach, large because screens repeat over long distances; smaller
 * if the result may fill the memory.
 */
const historyPixels: i32 = 1 << 19;
const shortHistoryPixels: i32 = 1 << 17;
const largePixels: i32 = 1 << 23;

let width: i32 = 0;
let height: i32 = 0;

/**
 * Allocates the memory for a picture, except for the result, which grows by pieces.
 * @param transforms result of `surveyedTransforms`; a palette requires a survey in the same run
 * @returns false if there is no memory
 */
export function allocateLosslessPicture(columns: i32, rows: i32, transforms: i32): bool {
  width = columns;
  height = rows;
  const history = columns * rows > largePixels ? shortHistoryPixels : historyPixels;
  return allocateCoder(columns, rows, transforms, bandPixels, history);
}

/**
 * Starts before the first row.
 * @param keepsHidden whether to keep colors of fully transparent pixels
 */
export function beginLosslessPicture(keepsHidden: bool): void {
  beginPieces();
  beginColors(!keepsHidden);
  beginCoder(keepsHidden);
}

/** Adds the next row; up to 12 bytes after its last pixel may be read. */
export function takeLosslessRow(rgba: usize): void {
  takeColors(rgba, nextCoderRow(), width);
  takeCoderRow();
}

/**
 * Ends the picture after its last row.
 * @returns the first piece of the chunk's data; 0 if memory was insufficient
 */
export function finishLosslessPicture(): usize {
  endCoderRows();
  openString(headString);
  putBits(signature, 8);
  putBits(width - 1, 14);
  putBits(height - 1, 14);
  putBits(isOpaque ? 0 : 1, 1);
  putBits(0, 3);
  return finishCoder();
}

/** Length of the chunk's data in bytes. */
export function losslessBytes(): f64 {
  return coderBytes();
}
