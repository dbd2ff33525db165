/** A lossless picture: the data of a VP8L chunk (RFC 9649 §3), from rows of straight RGBA. */
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

/** Pixels of a band, about. */
const bandPixels: i32 = 3 << 17;
/**
 * Pixels that references may go back to beyond the band: screens repeat themselves far apart. Pictures whose result may
 * fill the memory have fewer.
 */
const historyPixels: i32 = 1 << 19;
const shortHistoryPixels: i32 = 1 << 17;
const largePixels: i32 = 1 << 23;

let width: i32 = 0;
let height: i32 = 0;

/**
 * Allocates all that a picture takes but the result, which grows by pieces.
 * @param transforms as `surveyedTransforms` says; those with a palette need its survey in the same run
 * @returns false if there is no room
 */
export function allocateLosslessPicture(columns: i32, rows: i32, transforms: i32): bool {
  width = columns;
  height = rows;
  const history = columns * rows > largePixels ? shortHistoryPixels : historyPixels;
  return allocateCoder(columns, rows, transforms, bandPixels, history);
}

/**
 * Begins above the first row.
 * @param keepsHidden whether colors under full transparency stay as they are
 */
export function beginLosslessPicture(keepsHidden: bool): void {
  beginPieces();
  beginColors(!keepsHidden);
  beginCoder(keepsHidden);
}

/** Takes the next row in, which may be read up to 12 bytes behind its last pixel. */
export function takeLosslessRow(rgba: usize): void {
  takeColors(rgba, nextCoderRow(), width);
  takeCoderRow();
}

/**
 * Ends the picture behind its last row.
 * @returns the first piece of the chunk's data, 0 where there was no room for them
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

/** Bytes of the chunk's data. */
export function losslessBytes(): f64 {
  return coderBytes();
}
