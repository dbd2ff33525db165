/**
 * A picture coded as VP8L (RFC 9649): the stream of a VP8L chunk, or of an ALPH chunk, which lacks the header.
 * What comes before the pixels is read once; after that there may be any number of runs over them.
 */
import { allocateBits, bitPosition, isOverrun, openBits, seekBit, takeBits } from './bit-reader';
import { areAlike, areGreen, sharedLiteral } from './code-groups';
import { takeGreen, toRgba } from './color-transforms';
import { readCodes, sideBits, tileGroups } from './entropy-image';
import { beginPixels, beLenient, decodePixels, setTileGroups, startPixels } from './pixels';
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

/** What a VP8L chunk begins with (§3.4). */
const signature: u32 = 0x2f;

let width: u32 = 0;
let height: u32 = 0;
/** The row that comes next. */
let row: u32 = 0;
/** The size of the color cache as a power of two, 0 without one. */
let cacheBits: u32 = 0;
/** The first bit of the pixels. */
let pixelBit: u64 = 0;
/** Only green is decoded. */
let isGreen: bool = false;
/** Room for a row that lies on both sides of the ring's end. */
let joined: usize = 0;

/**
 * Reads what comes before the pixels, and allocates all that they take.
 *
 * @param start of the stream in the file, and `stop` its end; libwebp reads on to the end of the file
 * @param columns of the picture, and `rows`: what is stated must be the same
 * @returns a status
 */
export function openLossless(start: u32, stop: u32, columns: u32, rows: u32): i32 {
  if (!allocateBits()) return outOfMemory;
  openBits(start, stop);
  if (takeBits(8) !== signature) return badHeader;
  if (takeBits(14) + 1 !== columns || takeBits(14) + 1 !== rows) return badHeader;
  // that there is alpha is a hint: samples are what they are
  takeBits(1);
  if (takeBits(3) !== 0) return badHeader;
  return readPicture(columns, rows);
}

/**
 * Reads what comes before the pixels in a stream without a header, of which only green counts.
 * See `openLossless`.
 */
export function openGreen(start: u32, stop: u32, columns: u32, rows: u32): i32 {
  if (!allocateBits()) return outOfMemory;
  openBits(start, stop);
  const status = readPicture(columns, rows);
  // libwebp has a decoder of its own for these; it looks for the end of the data where pixels are missing only
  if (status === sound && isPaletteOnly() && areGreen && cacheBits === 0) beLenient();
  return status;
}

function readPicture(columns: u32, rows: u32): i32 {
  width = columns;
  height = rows;
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

/** Goes above the first row, for another run. */
export function startLossless(): void {
  seekBit(pixelBit);
  startPixels();
  row = 0;
}

/**
 * Writes the next row as straight RGBA.
 * @returns a status
 */
export function nextLosslessRow(to: usize): i32 {
  const status = decodeRow();
  if (status === sound) toRgba(decodedRow(), to, width);
  return status;
}

/**
 * Writes the green samples of the next row; up to 15 bytes behind them may be written, too.
 * @returns a status
 */
export function greenRow(to: usize): i32 {
  const status = decodeRow();
  if (status === sound) takeGreen(decodedRow(), to, width);
  return status;
}

/** Behind the last row the status is that of a stream that ends too early. */
function decodeRow(): i32 {
  if (row === height) return truncated;
  row += 1;
  return decodePixels(row * codedWidth);
}

/** The row that was decoded last, all transforms undone. */
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
