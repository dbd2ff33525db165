/** Encodes rows of RGBA with straight alpha as the data of a VP8L chunk (RFC 9649 §3). */
import { allocate, release } from '../../../../wasm/assembly/memory';
import { beginPieces } from '../pieces';
import { headString, openString, putBits } from './bit-strings';
import {
  allocateCoder,
  beginCoder,
  coderBytes,
  encodeOn,
  endCoderRows,
  finishCoder,
  nextCoderRow,
  takeCoderRow,
} from './coder';
import { beginColors, isOpaque, takeColors } from './color-transforms';
import {
  directKind,
  indexed,
  isCloseChoice,
  predictiveKind,
  sample,
  sampleRows,
  surveyedTransforms,
} from './survey';

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

/**
 * Adds the next row; up to 12 bytes after its last pixel may be read. Before the next one, `encodeOn` must return false.
 */
export function takeLosslessRow(rgba: usize): void {
  takeColors(rgba, nextCoderRow(), width);
  takeCoderRow();
}

/** Adds no more rows; what is left is encoded by `encodeOn`. */
export function endLosslessRows(): void {
  endCoderRows();
  openString(headString);
  putBits(signature, 8);
  putBits(width - 1, 14);
  putBits(height - 1, 14);
  putBits(isOpaque ? 0 : 1, 1);
  putBits(0, 3);
}

/**
 * Ends the picture, after `encodeOn` has returned false.
 * @returns the first piece of the chunk's data; 0 if memory was insufficient
 */
export function finishLosslessPicture(): usize {
  return finishCoder();
}

/** Length of the chunk's data in bytes. */
export function losslessBytes(): f64 {
  return coderBytes();
}

// Chooses the transforms: by the counts of a survey or, if they are inconclusive, by encoding a sample of the picture;
// a small picture is encoded as a whole.

/** Another trial is needed before transforms can be chosen. */
export const undecided: i32 = -1;
/** Bytes of the sample with the surveyed transforms; 0 before that trial. */
let surveyedBytes: f64 = 0;

/**
 * Chooses transforms after the last row of a survey, using the memory of the later encoding.
 * @param keepsHidden whether to keep colors of fully transparent pixels
 * @returns the kind of transforms; `undecided` if it must be called again
 */
export function triedTransforms(width: i32, keepsHidden: bool): i32 {
  const kind = surveyedTransforms();
  if (width * sampleRows <= smallPixels) return smallestTransforms(width, kind, keepsHidden);
  if (kind === indexed || !isCloseChoice()) return kind;
  if (surveyedBytes === 0) {
    surveyedBytes = sampleBytes(width, kind, keepsHidden);
    return undecided;
  }
  const other = kind === directKind ? predictiveKind : directKind;
  const isOther = sampleBytes(width, other, keepsHidden) < surveyedBytes;
  surveyedBytes = 0;
  return isOther ? other : kind;
}

/**
 * Maximum number of pixels in a picture that is encoded with all kinds of transforms, because the palette and the
 * codes, which counts ignore, are a large part of it.
 */
const smallPixels: i32 = 1 << 14;

/** The transforms with the fewest bytes for a picture that the sample contains completely. */
function smallestTransforms(width: i32, surveyed: i32, keepsHidden: bool): i32 {
  let best = surveyed;
  let least = sampleBytes(width, surveyed, keepsHidden);
  for (let i: i32 = 0; i < 2; i += 1) {
    const kind = i === 0 ? directKind : predictiveKind;
    if (kind === surveyed) continue;
    const bytes = sampleBytes(width, kind, keepsHidden);
    if (bytes >= least) continue;
    best = kind;
    least = bytes;
  }
  return best;
}

/** Bytes of the encoded sample; the largest number if there is no memory for encoding it. */
function sampleBytes(width: i32, kind: i32, keepsHidden: bool): f64 {
  const mark = allocate(0);
  let bytes: f64 = f64.MAX_VALUE;
  if (allocateCoder(width, sampleRows, kind, width * sampleRows, 0)) {
    beginPieces();
    beginCoder(keepsHidden);
    const rowBytes = (<usize>width) << 2;
    for (let y = 0; y < sampleRows; y += 1) {
      memory.copy(nextCoderRow(), sample + rowBytes * y, rowBytes);
      takeCoderRow();
      encodeAtOnce();
    }
    endCoderRows();
    encodeAtOnce();
    if (finishCoder() !== 0) bytes = coderBytes();
  }
  release(mark);
  return bytes;
}

function encodeAtOnce(): void {
  let isLeft = true;
  while (isLeft) isLeft = encodeOn();
}
