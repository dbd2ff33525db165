/**
 * Decodes a VP8L picture (RFC 9649): the stream of a VP8L chunk, or of an ALPH chunk, which has no header. Everything
 * before the pixels is read once; the pixels can be decoded in any number of passes.
 */
import { allocateBits, bitPosition, isOverrun, openBits, seekBit, takeBits } from './bit-reader';
import { areAlike, areGreen, sharedLiteral } from './code-groups';
import { takeGreen, toRgba } from './color-transforms';
import { readCodes, sideBits, tileGroups } from './entropy-image';
import { allowOverrun, beginPixels, decodePixels, setTileGroups, startPixels } from './pixels';
import { beginCodes } from './prefix-codes';
import { pixelAt, pixelsTogether } from './ring';
import { badHeader, outOfMemory, sound, truncated } from './status';
import { cacheColors, readCacheBits, statedCacheBits } from './tile-images';
import {
  allocateRow,
  codedWidth,
  isPaletteOnly,
  readTransforms,
  undoGreenTransforms,
  undoTransforms,
} from './transforms';

/** First byte of a VP8L chunk (§3.4). */
const signature: u32 = 0x2f;

let width: u32 = 0;
let height: u32 = 0;
/** The next row. */
let row: u32 = 0;
/** log2 of the size of the color cache; 0 without one. */
let cacheBits: u32 = 0;
/** Position of the first bit of the pixels. */
let pixelBit: u64 = 0;
/** Whether only green is decoded. */
let isGreen: bool = false;
/** Buffer for a row that wraps around the end of the ring. */
let joined: usize = 0;

/**
 * Reads everything before the pixels, and allocates the memory for decoding.
 *
 * @param start start of the stream in the file
 * @param stop end of the stream; libwebp reads on to the end of the file
 * @param columns width of the picture, which the header must match, like `rows`
 * @returns a status of status.ts
 */
export function openLossless(start: u32, stop: u32, columns: u32, rows: u32): i32 {
  if (!allocateBits()) return outOfMemory;
  openBits(start, stop);
  if (takeBits(8) !== signature) return badHeader;
  if (takeBits(14) + 1 !== columns || takeBits(14) + 1 !== rows) return badHeader;
  // Whether alpha is used, which is only a hint.
  takeBits(1);
  if (takeBits(3) !== 0) return badHeader;
  return readPicture(columns, rows);
}

/**
 * Reads everything before the pixels in a stream without header, of which only green is used; see `openLossless`.
 */
export function openGreen(start: u32, stop: u32, columns: u32, rows: u32): i32 {
  if (!allocateBits()) return outOfMemory;
  openBits(start, stop);
  const status = readPicture(columns, rows);
  // libwebp has a separate decoder for these, which checks for the end of the data only if pixels are missing.
  if (status === sound && isPaletteOnly() && areGreen && cacheBits === 0) allowOverrun();
  return status;
}

function readPicture(columns: u32, rows: u32): i32 {
  width = columns;
  height = rows;
  beginCodes(columns * rows);
  let status = readTransforms(columns, rows);
  if (status !== sound) return status;
  status = readCacheBits();
  if (status !== sound) return status;
  cacheBits = statedCacheBits;
  status = readCodes(codedWidth, rows, cacheColors());
  if (status !== sound) return status;
  isGreen = areAlike && cacheBits === 0;
  status = beginPixels(codedWidth, rows, isGreen ? 1 : 4, cacheBits);
  if (status !== sound) return status;
  joined = allocateRow(codedWidth);
  if (joined === 0) return outOfMemory;
  if (tileGroups !== 0) setTileGroups(tileGroups, sideBits);
  pixelBit = bitPosition();
  row = 0;
  return isOverrun() ? truncated : sound;
}

/** Restarts before the first row, for another pass. */
export function startLossless(): void {
  seekBit(pixelBit);
  startPixels();
  row = 0;
}

/**
 * Writes the next row as RGBA with straight alpha.
 * @returns a status of status.ts
 */
export function nextLosslessRow(to: usize): i32 {
  const status = decodeRow();
  if (status === sound) toRgba(decodedRow(), to, width);
  return status;
}

/**
 * Writes the green samples of the next row; up to 15 bytes after them may be written, too.
 * @returns a status of status.ts
 */
export function greenRow(to: usize): i32 {
  const status = decodeRow();
  if (status === sound) takeGreen(decodedRow(), to, width);
  return status;
}

/** Decodes the next row; after the last row, the status is that of a truncated stream. */
function decodeRow(): i32 {
  if (row === height) return truncated;
  row += 1;
  return decodePixels(row * codedWidth);
}

/** The last decoded row, after all inverse transforms. */
function decodedRow(): usize {
  const y = row - 1;
  const pixel = y * codedWidth;
  const together = pixelsTogether(pixel);
  let from = pixelAt(pixel);
  if (together < codedWidth) {
    const shift = isGreen ? 0 : 2;
    memory.copy(joined, from, together << shift);
    const rest = codedWidth - together;
    memory.copy(joined + (together << shift), pixelAt(pixel + together), rest << shift);
    from = joined;
  }
  return isGreen ? undoGreenTransforms(y, from, sharedLiteral) : undoTransforms(y, from);
}
