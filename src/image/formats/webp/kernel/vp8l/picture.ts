/**
 * Decodes a VP8L picture (RFC 9649): the stream of a VP8L chunk, or of an ALPH chunk, which has no header. Everything
 * before the pixels is read once, in steps, because a stream may have nearly as many tiles and codes as pixels; the
 * pixels can be decoded in any number of passes.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { allocateBits, bitPosition, isOverrun, openBits, seekBit, takeBits } from './bit-reader';
import {
  allowOverrun,
  beginPixels,
  beginTiles,
  decodePixels,
  halfGreen,
  maxCacheBits,
  readCacheBits,
  readTiles,
  redGreen,
  setTileGroups,
  startPixels,
  statedCacheBits,
  tilesOver,
  wholePixel,
} from './pixels';
import {
  areAlike,
  areGreen,
  beginCodes,
  beginGroups,
  readGroups,
  sharedLiteral,
} from './prefix-codes';
import { allocateColors, allocateRing, pixelAt, pixelsTogether } from './references';
import { badHeader, incomplete, outOfMemory, sound, truncated } from './status';
import {
  allocatePalette,
  allocateRow,
  allocateTiles,
  beginTransforms,
  codedWidth,
  isPaletteOnly,
  readTransforms,
  takeGreen,
  toRgba,
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

/* What is read before the pixels, in this order. */
const transforms: i32 = 0;
const entropyImage: i32 = 1;
const codes: i32 = 2;
let stage: i32 = transforms;
/** Whether only green is used. */
let isAlpha: bool = false;

/**
 * Reads the header, and allocates memory for decoding; everything before the pixels is read by `readOn`.
 *
 * @param start start of the stream in the file
 * @param stop end of the stream; libwebp reads on to the end of the file
 * @param columns width of the picture, which the header must match, like `rows`
 * @returns a status of status.ts; `incomplete` unless it is refused
 */
export function openLossless(start: u32, stop: u32, columns: u32, rows: u32): i32 {
  if (!allocateBits()) return outOfMemory;
  openBits(start, stop);
  if (takeBits(8) !== signature) return badHeader;
  if (takeBits(14) + 1 !== columns || takeBits(14) + 1 !== rows) return badHeader;
  // Whether alpha is used, which is only a hint.
  takeBits(1);
  if (takeBits(3) !== 0) return badHeader;
  return beginPicture(columns, rows, false);
}

/** Opens a stream without header, of which only green is used; see `openLossless`. */
export function openGreen(start: u32, stop: u32, columns: u32, rows: u32): i32 {
  if (!allocateBits()) return outOfMemory;
  openBits(start, stop);
  return beginPicture(columns, rows, true);
}

function beginPicture(columns: u32, rows: u32, usesGreen: bool): i32 {
  width = columns;
  height = rows;
  isAlpha = usesGreen;
  stage = transforms;
  beginCodes(columns * rows);
  const status = beginTransforms(columns);
  return status === sound ? incomplete : status;
}

/**
 * Goes on to read what is before the pixels, by a step of a few milliseconds.
 * @returns a status of status.ts; `incomplete` if there is more, `sound` if pixels can be decoded
 */
export function readOn(): i32 {
  let status =
    stage === transforms
      ? readTransforms(height)
      : stage === entropyImage
        ? readTiles()
        : readGroups();
  if (status !== sound) return status;
  if (stage === codes) return endOpening();
  status = stage === transforms ? beginEntropyImage() : numberGroups();
  return status === sound ? incomplete : status;
}

/** Allocates the memory for pixels. */
function endOpening(): i32 {
  isGreen = areAlike && cacheBits === 0;
  const status = beginPixels(codedWidth, height, isGreen ? 1 : 4, cacheBits);
  if (status !== sound) return status;
  joined = allocateRow(codedWidth);
  if (joined === 0) return outOfMemory;
  if (tileGroups !== 0) setTileGroups(tileGroups, sideBits);
  pixelBit = bitPosition();
  row = 0;
  if (isOverrun()) return truncated;
  // libwebp has a separate decoder for these, which checks for the end of the data only if pixels are missing.
  if (isAlpha && isPaletteOnly() && areGreen && cacheBits === 0) allowOverrun();
  return sound;
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

// The entropy image, which maps tiles to prefix code groups (RFC 9649 §6.2.2).

/** The group of each tile, u16; a null pointer if the picture has one group. Tile sides are 2^`sideBits`. */
let tileGroups: usize = 0;
let sideBits: u32 = 0;

/** Reads the size of the color cache, and begins to read the entropy image, if there is one, or the group of codes. */
function beginEntropyImage(): i32 {
  const status = readCacheBits();
  if (status !== sound) return status;
  cacheBits = statedCacheBits;
  tileGroups = 0;
  if (!takeBits(1)) {
    stage = codes;
    return beginGroups(1, 0, 1, cacheColors());
  }
  stage = entropyImage;
  sideBits = takeBits(3) + 2;
  tileGroups = allocateTiles(codedWidth, height, sideBits, redGreen);
  if (tileGroups === 0) return outOfMemory;
  return beginTiles(
    tilesOver(codedWidth, sideBits),
    tilesOver(height, sideBits),
    redGreen,
    tileGroups,
  );
}

/** Number of entries in the color cache. */
function cacheColors(): i32 {
  return cacheBits === 0 ? 0 : 1 << cacheBits;
}

/** Renumbers the used groups in the order of their first use, and begins to read the codes of all groups. */
function numberGroups(): i32 {
  stage = codes;
  const tiles = tilesOver(codedWidth, sideBits) * tilesOver(height, sideBits);
  const end = tileGroups + ((<usize>tiles) << 1);
  let most: u32 = 0;
  for (let at = tileGroups; at < end; at += 2) most = max(most, load<u16>(at));
  const numbers = allocate((<usize>(most + 1)) << 2);
  if (numbers === 0) return outOfMemory;
  let used: u32 = 0;
  for (let at = tileGroups; at < end; at += 2) {
    const number = numbers + ((<usize>load<u16>(at)) << 2);
    if (load<u32>(number) === 0) {
      used += 1;
      store<u32>(number, used);
    }
    store<u16>(at, <u16>(load<u32>(number) - 1));
  }
  return beginGroups(most + 1, numbers, used, cacheColors());
}

// Bound on the memory of a VP8L stream before any of it is read. It covers what encoders produce; a stream may request
// more, such as tiles of 4 × 4 pixels in any picture or 65,536 groups of codes, and then runs out of memory.

/** Number of rows: two for inverse transforms, two of the predictor, one joined from both ends of the ring. */
const heldRows: i32 = 5;
/** Maximum number of tiles, and minimum log2 of their side in libwebp. */
const maxTiles: u32 = 1 << 14;
const minSideBits: u32 = 2;
/** log2 of the tile side in encoders with a fixed size. */
const fixedSideBits: u32 = 4;
/**
 * Bytes for tables of prefix codes. Stored codes take at least an eighth of the size of their tables, which must be
 * saved in pixels; measured, tables have up to 1.04 times the size of the file, and up to 350 KiB.
 */
const tablesPerByte: u32 = 4;
const minTableBytes: u32 = 1 << 16;
const maxTableBytes: u32 = 1 << 19;

/**
 * In counting mode, allocates the memory for a picture of this size with a stream of this many bytes.
 * @returns false if there is no memory
 */
export function countLossless(width: u32, height: u32, bytes: u32): bool {
  const tables = max(minTableBytes, min(maxTableBytes / tablesPerByte, bytes) * tablesPerByte);
  const sideBits = sideBitsFor(width, height);
  let isThere = allocateBits() && allocatePalette() !== 0 && allocate(tables) !== 0;
  for (let i = 0; i < heldRows; i += 1) isThere = isThere && allocateRow(width) !== 0;
  return (
    isThere &&
    allocateTiles(width, height, sideBits, halfGreen) !== 0 &&
    allocateTiles(width, height, sideBits, wholePixel) !== 0 &&
    allocateTiles(width, height, sideBits, redGreen) !== 0 &&
    allocateColors(maxCacheBits) !== 0 &&
    allocateRing(width * height, 4) !== 0
  );
}

function sideBitsFor(width: u32, height: u32): u32 {
  let sideBits = minSideBits;
  while (
    sideBits < fixedSideBits &&
    tilesOver(width, sideBits) * tilesOver(height, sideBits) > maxTiles
  ) {
    sideBits += 1;
  }
  return sideBits;
}
