/**
 * The token partition (RFC 6386 §13): levels are recorded, records are kept until the probabilities are known, and then
 * converted to bits.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { nextPiece, pieceBytes, returnPiece, takePiece } from '../pieces';
import {
  blockBytes,
  blockCount,
  chroma,
  chromaFlags,
  firstChroma,
  firstV,
  flagBytes,
  lumaFlags,
  lumaRest,
  lumaWhole,
  secondOrder,
  secondOrderBlock,
  secondOrderFlag,
  vFlags,
} from '../vp8/coefficients';
import { even, listEnd, one, returnChain, setListEnd } from './bool-encoder';
import {
  cellAt,
  cellsOf,
  count,
  endToken,
  extraCount,
  extraProbabilities,
  firstExtra,
  goneOn,
  largeCategory,
  largeExtra,
  lastLevel,
  probabilitiesAt,
  secondExtraHigh,
  secondExtraLow,
  tokens,
  zeroToken,
} from './token-probabilities';

// Flags for neighboring blocks with coefficients: the number of those above and to the left is the context of a block's
// first token (RFC 6386 §13.3).

/** Flags of vp8/coefficients.ts, 0 or 1: above each macroblock, and to the left of the next one. */
let above: usize = 0;
let across: usize = 0;
const left: usize = memory.data(flagBytes, 4);
/** Contexts of the blocks in a macroblock, one byte each. */
const contexts: usize = memory.data(28, 4);

/** Allocates memory for a row with this number of macroblocks; returns false if there is none. */
export function allocateContexts(macroblocks: i32): bool {
  across = macroblocks;
  above = allocate(flagBytes * across);
  return above !== 0;
}

/** Starts before the first row. */
export function beginContexts(): void {
  memory.fill(above, 0, flagBytes * across);
}

/** Starts a row. */
export function beginContextRow(): void {
  memory.fill(left, 0, flagBytes);
}

/** Pointer to the flags above macroblock `x`. */
export function topFlags(x: i32): usize {
  return above + flagBytes * x;
}

/** Pointer to the flags to the left of the next macroblock. */
export function leftFlags(): usize {
  return left;
}

/** Context of block `n` in the last entered macroblock: 0 to 2. */
function contextOf(n: i32): i32 {
  return load<u8>(contexts + n);
}

/** Handles a macroblock without tokens. If it has no second-order block, the flag for that block is kept. */
export function skipContexts(x: i32, isByBlock: bool): void {
  const top = topFlags(x);
  store<u64>(top, 0);
  store<u64>(left, 0);
  if (!isByBlock) {
    store<u8>(top, 0, secondOrderFlag);
    store<u8>(left, 0, secondOrderFlag);
  }
}

/**
 * Computes the contexts of macroblock `x`, and stores its flags for those below and to the right.
 * @param mask one bit per block, set if it has coefficients
 */
export function enterContexts(x: i32, mask: u32, isByBlock: bool): void {
  const top = topFlags(x);
  if (!isByBlock) {
    const flag = (mask >> secondOrderBlock) & 1;
    store<u8>(
      contexts + secondOrderBlock,
      load<u8>(top, secondOrderFlag) + load<u8>(left, secondOrderFlag),
    );
    store<u8>(top, <u8>flag, secondOrderFlag);
    store<u8>(left, <u8>flag, secondOrderFlag);
  }
  enterPlane(contexts, mask, 4, top + lumaFlags, left + lumaFlags);
  enterPlane(contexts + firstChroma, mask >> firstChroma, 2, top + chromaFlags, left + chromaFlags);
  enterPlane(contexts + firstV, mask >> firstV, 2, top + vFlags, left + vFlags);
}

/** Enters `size` × `size` blocks, whose bits are the lowest ones of the mask. */
function enterPlane(to: usize, mask: u32, size: usize, top: usize, side: usize): void {
  let bits = mask;
  for (let y: usize = 0; y < size; y += 1) {
    let before = load<u8>(side + y);
    for (let x: usize = 0; x < size; x += 1) {
      store<u8>(to, before + load<u8>(top + x));
      before = <u8>(bits & 1);
      store<u8>(top + x, before);
      bits >>= 1;
      to += 1;
    }
    store<u8>(side + y, before);
  }
}

// Records with the nonzero levels of macroblocks, which are kept until the probabilities are known.
//
// A record begins with 32 bits: a flag for each block with coefficients, a flag for separate prediction of blocks, and
// a flag for no tokens at all. The coefficients of each block follow in coding order: number of zeros before it (4
// bits), last flag, sign, and magnitude up to 3; or 0 and a byte with the magnitude − 4; or 0, the byte 255, and the
// magnitude in two bytes.

/* Bits of the head, above those of the blocks. */
export const byBlockBit: u32 = 1 << 25;
export const skippedBit: u32 = 1 << 26;
export const headBytes: usize = 4;

/* Layout of the first byte of a coefficient. */
const runShift: u32 = 4;
const lastBit: u32 = 8;
const signBit: u32 = 4;
const magnitudeMask: u32 = 3;
/** Magnitudes from which on one byte follows, and two more bytes. */
const largeMagnitude: u32 = 4;
const hugeMagnitude: u32 = largeMagnitude + 255;

/** Bit mask of nonzero levels per block, u16. */
const significant: usize = memory.data(52, 4);

/** Maximum bytes of a record: four for each coefficient. */
export const maxRecordBytes: usize = headBytes + 4 * 16 * blockCount;

/**
 * Finds the nonzero levels.
 * @returns the head of the record
 */
export function scanLevels(levels: usize, isByBlock: bool): u32 {
  let head: u32 = isByBlock ? byBlockBit : 0;
  for (let n: usize = 0; n < blockCount; n += 1) {
    let bits = significantLevels(levels + blockBytes * n);
    // The DC coefficients of luma are in the second-order block.
    if (n < 16 && !isByBlock) bits &= ~1;
    if (n === secondOrderBlock && isByBlock) bits = 0;
    store<u16>(significant + (n << 1), <u16>bits);
    head |= (bits !== 0 ? 1 : 0) << n;
  }
  return head;
}

function significantLevels(levels: usize): u32 {
  const bytes = i8x16.narrow_i16x8_s(v128.load(levels), v128.load(levels, 16));
  return ~i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0))) & 0xffff;
}

/**
 * Writes the record of the scanned levels, and counts its tokens. For contexts, see `contextOf`.
 * @param to destination with room for `maxRecordBytes`
 * @returns the end of the record
 */
export function recordLevels(levels: usize, head: u32, to: usize): usize {
  store<u32>(to, head);
  let next = to + headBytes;
  const isByBlock = (head & byBlockBit) !== 0;
  if (!isByBlock) next = recordBlock(levels, secondOrderBlock, secondOrder, 0, next);
  const type = isByBlock ? lumaWhole : lumaRest;
  const first = isByBlock ? 0 : 1;
  for (let n = 0; n < 16; n += 1) next = recordBlock(levels, n, type, first, next);
  for (let n = 16; n < 24; n += 1) next = recordBlock(levels, n, chroma, 0, next);
  return next;
}

function recordBlock(all: usize, block: i32, type: i32, first: i32, to: usize): usize {
  const cells = cellsOf(type);
  const context = contextOf(block);
  let left: u32 = load<u16>(significant + (block << 1));
  let n = first;
  let cell = cellAt(cells, n, context);
  if (left === 0) {
    count(cell, endToken);
    return to;
  }
  if (context === 0) count(cell, goneOn);
  const levels = all + blockBytes * block;
  do {
    const position = <i32>ctz(left);
    left &= left - 1;
    const run = position - n;
    while (n < position) {
      count(cell, zeroToken);
      n += 1;
      cell = cellAt(cells, n, 0);
    }
    const level: i32 = load<i16>(levels + (position << 1));
    const magnitude = abs(level);
    count(cell, load<u8>(tokens + min(magnitude, lastLevel)));
    const sign = level < 0 ? signBit : 0;
    to = recordLevel((run << runShift) | (left === 0 ? lastBit : 0) | sign, magnitude, to);
    n += 1;
    cell = cellAt(cells, n, magnitude > 1 ? 2 : 1);
  } while (left !== 0);
  if (n < 16) count(cell, endToken);
  return to;
}

function recordLevel(head: u32, magnitude: u32, to: usize): usize {
  if (magnitude < largeMagnitude) {
    store<u8>(to, <u8>(head | magnitude));
    return to + 1;
  }
  store<u8>(to, <u8>head);
  if (magnitude < hugeMagnitude) {
    store<u8>(to, <u8>(magnitude - largeMagnitude), 1);
    return to + 2;
  }
  store<u8>(to, 255, 1);
  store<u16>(to, <u16>magnitude, 2);
  return to + 4;
}

// Stores the token records of a picture in pieces that are freed as they are read. A record does
// not span pieces; the last one of a piece is followed by a mark.

/** Mark in place of a record: the next one is in the next piece. */
const pieceEnd: u32 = 0xffffffff;

let first: usize = 0;
let last: usize = 0;
/** Position of the next record, and the end of the piece. */
let next: usize = 0;
let end: usize = 0;

/** Resets without freeing pieces; for counting several times in one instance. */
export function forgetRecords(): void {
  first = 0;
  last = 0;
  next = 0;
  end = 0;
}

/** Frees all pieces. */
export function dropRecords(): void {
  returnChain(first);
  forgetRecords();
}

/** Appends a record; returns false if there is no memory. */
export function keepRecord(record: usize, bytes: usize): bool {
  // Including the mark.
  if (next + bytes + headBytes > end && !addPiece()) return false;
  memory.copy(next, record, bytes);
  next += bytes;
  return true;
}

function addPiece(): bool {
  const piece = takePiece(last);
  if (piece === 0) return false;
  if (last === 0) first = piece;
  else store<u32>(next, pieceEnd);
  last = piece;
  next = piece;
  end = piece + pieceBytes;
  return true;
}

/** Starts reading with the first record. */
export function openRecords(): void {
  next = first;
}

/** Returns the next record; frees a piece that has been read. */
export function recordAt(): usize {
  if (load<u32>(next) === pieceEnd) {
    const following = nextPiece(first);
    returnPiece(first);
    first = following;
    next = first;
  }
  return next;
}

/** Sets the end of the current record. */
export function endRecord(at: usize): void {
  next = at;
}

// Converts records of macroblocks to the bits of the token partition (RFC 6386 §13), with the probabilities of the
// frame.

/** End of the listed entries. */
let listed: usize = 0;

/**
 * Lists the bits of a record, whose macroblock must have tokens. For contexts, see `contextOf`.
 * @returns the end of the record
 */
export function putRecord(record: usize): usize {
  const head = load<u32>(record);
  const isByBlock = (head & byBlockBit) !== 0;
  let next = record + headBytes;
  if (!isByBlock) next = putBlock(head, secondOrderBlock, secondOrder, 0, next);
  const type = isByBlock ? lumaWhole : lumaRest;
  const first = isByBlock ? 0 : 1;
  for (let n = 0; n < 16; n += 1) next = putBlock(head, n, type, first, next);
  for (let n = 16; n < 24; n += 1) next = putBlock(head, n, chroma, 0, next);
  return next;
}

function putBlock(head: u32, block: i32, type: i32, first: i32, from: usize): usize {
  listed = listEnd();
  const nodes = probabilitiesAt(type, first, contextOf(block));
  if (((head >> block) & 1) === 0) {
    put(load<u8>(nodes));
    setListEnd(listed);
    return from;
  }
  const end = putLevels(nodes, type, first, from);
  setListEnd(listed);
  return end;
}

/** Lists the levels of a block with levels, and its end. */
function putLevels(start: usize, type: i32, first: i32, from: usize): usize {
  let nodes = start;
  let n = first;
  while (true) {
    const token: u32 = load<u8>(from);
    from += 1;
    put(load<u8>(nodes) | one);
    for (let run = token >> runShift; run > 0; run -= 1) {
      put(load<u8>(nodes, 1));
      n += 1;
      nodes = probabilitiesAt(type, n, 0);
    }
    put(load<u8>(nodes, 1) | one);
    n += 1;
    let magnitude = token & magnitudeMask;
    if (magnitude === 1) {
      put(load<u8>(nodes, 2));
      nodes = probabilitiesAt(type, n, 1);
    } else {
      if (magnitude === 0) {
        magnitude = largeMagnitude + load<u8>(from);
        from += 1;
        if (magnitude === hugeMagnitude) {
          magnitude = load<u16>(from);
          from += 2;
        }
      }
      putMagnitude(nodes, magnitude);
      nodes = probabilitiesAt(type, n, 2);
    }
    put((token & signBit) !== 0 ? even | one : even);
    if ((token & lastBit) !== 0) break;
  }
  if (n < 16) put(load<u8>(nodes));
  return from;
}

function put(entry: u32): void {
  store<u16>(listed, <u16>entry);
  listed += 2;
}

/** Lists the magnitude of a level of at least 2 (§13.2). */
function putMagnitude(nodes: usize, magnitude: u32): void {
  put(load<u8>(nodes, 2) | one);
  if (magnitude > 4) {
    put(load<u8>(nodes, 3) | one);
    putCategory(nodes, magnitude);
    return;
  }
  put(load<u8>(nodes, 3));
  if (magnitude === 2) {
    put(load<u8>(nodes, 4));
    return;
  }
  put(load<u8>(nodes, 4) | one);
  put(load<u8>(nodes, 5) | (magnitude === 4 ? one : 0));
}

function putCategory(nodes: usize, magnitude: u32): void {
  if (magnitude <= 6) {
    put(load<u8>(nodes, 6));
    put(load<u8>(nodes, 7));
    putBit(magnitude - 5, firstExtra);
  } else if (magnitude <= 10) {
    put(load<u8>(nodes, 6));
    put(load<u8>(nodes, 7) | one);
    putBit((magnitude - 7) >> 1, secondExtraHigh);
    putBit((magnitude - 7) & 1, secondExtraLow);
  } else {
    put(load<u8>(nodes, 6) | one);
    putLargeCategory(nodes, magnitude);
  }
}

function putLargeCategory(nodes: usize, magnitude: u32): void {
  const category = largeCategory(magnitude);
  const high = category >> 1;
  putBit(high, load<u8>(nodes, 8));
  putBit(category & 1, load<u8>(nodes + high, 9));
  const extra = largeExtra(magnitude, category);
  const probabilities = extraProbabilities(category);
  const bits = extraCount(category);
  for (let i = 0; i < bits; i += 1) {
    putBit((extra >> (bits - 1 - i)) & 1, load<u8>(probabilities + i));
  }
}

function putBit(bit: u32, probability: u32): void {
  put((bit << 8) | probability);
}
