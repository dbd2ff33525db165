/**
 * Reads the dequantized coefficients of macroblocks from a token partition (RFC 6386 §13).
 */
import { allocate } from '../../../../wasm/assembly/memory';
import {
  fill,
  held,
  range,
  readBit,
  readNumber,
  setState,
  shiftOf,
  splitOf,
  value,
} from './bool-decoder';
import { chromaSteps, lumaSteps, secondOrderSteps } from './segments';
import {
  bandCount,
  bands,
  contextCount,
  defaultProbabilities,
  nodeCount,
  typeCount,
  updateProbabilities,
} from './token-probabilities';
import { inverseWalshHadamard } from './transforms';

/** Bytes of a block: 16 coefficients or levels, i16 each. */
export const blockBytes: usize = 32;
export const firstChroma: usize = 16;
export const firstV: usize = 20;
/** Index of the second-order block, with the DC coefficients of all luma blocks. */
export const secondOrderBlock: usize = 24;
export const blockCount: usize = 25;

/*
 * Flags of the bottom or right edge, one byte each: four for luma, two for U, two for V, one for the second-order
 * block.
 */
export const lumaFlags: usize = 0;
export const chromaFlags: usize = 4;
export const vFlags: usize = 6;
export const secondOrderFlag: usize = 8;
export const flagBytes: usize = 12;

// Coefficients of a block. A token means end of block, a zero, or a magnitude.

/* Block types (§13.3). */
export const lumaRest: i32 = 0;
export const secondOrder: i32 = 1;
export const chroma: i32 = 2;
export const lumaWhole: i32 = 3;

/** Probabilities of the frame by type and position (instead of band): three contexts of 16 bytes each. */
const contextBytes: usize = 16;
const positionBytes: usize = 48;
const typeBytes: usize = 16 * positionBytes;
const probabilities: usize = memory.data(3072);

/** Byte offset of a coefficient in its block, by zigzag position. */
const zigzag: usize = memory.data<u8>([0, 2, 8, 16, 10, 4, 6, 12, 18, 24, 26, 20, 14, 22, 28, 30]);

/** Reads the probabilities from the frame header (§13.4). */
export function readProbabilities(): void {
  let i: usize = 0;
  for (let type = 0; type < typeCount; type += 1) {
    for (let band = 0; band < bandCount; band += 1) {
      for (let context = 0; context < contextCount; context += 1) {
        for (let node = 0; node < nodeCount; node += 1, i += 1) {
          const isNew = readBit(load<u8>(updateProbabilities + i));
          const probability = isNew ? readNumber(8) : load<u8>(defaultProbabilities + i);
          spread(type, band, context, node, <u8>probability);
        }
      }
    }
  }
}

/** Stores a probability for all positions of its band. */
function spread(type: i32, band: i32, context: i32, node: i32, probability: u8): void {
  const at = probabilities + typeBytes * type + contextBytes * context + node;
  for (let position = 0; position < 16; position += 1) {
    if (load<u8>(bands + position) !== <u8>band) continue;
    store<u8>(at + positionBytes * position, probability);
  }
}

/**
 * Reads the coefficients of a block. This is the hot loop: the decoder's state is kept in local variables, and
 * `readBit` is inlined.
 *
 * @param type block type
 * @param context number of blocks above and to the left that have coefficients
 * @param first position of the first coefficient, 0 or 1
 * @param steps two i32: the step of the coefficient at position 0, and that of the others
 * @param to destination for 16 coefficients in rows, i16 each, initially zeros
 * @returns the position after the last token read; `first` if there are no coefficients
 */
function readBlock(type: i32, context: i32, first: i32, steps: usize, to: usize): i32 {
  const base = probabilities + typeBytes * type;
  let bits = value;
  let left = held;
  let width = range;
  let n = first;
  let at = base + positionBytes * n + contextBytes * context;
  while (n < 16) {
    // Four bits consume up to 28, and eight are compared.
    if (left < 40) {
      setState(bits, left, width);
      fill();
      bits = value;
      left = held;
    }
    let shift = shiftOf(width);
    width <<= shift;
    bits <<= shift;
    left -= shift;
    let split = splitOf(width, load<u8>(at));
    let limit = (<u64>split) << 56;
    if (bits < limit) {
      width = split;
      break;
    }
    width -= split;
    bits -= limit;
    while (true) {
      shift = shiftOf(width);
      width <<= shift;
      bits <<= shift;
      left -= shift;
      split = splitOf(width, load<u8>(at, 1));
      limit = (<u64>split) << 56;
      if (bits >= limit) break;
      width = split;
      n += 1;
      at = base + positionBytes * n;
      if (n === 16) {
        setState(bits, left, width);
        return n;
      }
      if (left < 40) {
        setState(bits, left, width);
        fill();
        bits = value;
        left = held;
      }
    }
    width -= split;
    bits -= limit;

    shift = shiftOf(width);
    width <<= shift;
    bits <<= shift;
    left -= shift;
    split = splitOf(width, load<u8>(at, 2));
    limit = (<u64>split) << 56;
    let magnitude = 1;
    const following = base + positionBytes * (n + 1);
    if (bits < limit) {
      width = split;
      at = following + contextBytes;
    } else {
      setState(bits - limit, left, width - split);
      magnitude = readMagnitude(at);
      // For the sign.
      if (held < 15) fill();
      bits = value;
      left = held;
      width = range;
      at = following + 2 * contextBytes;
    }

    shift = shiftOf(width);
    width <<= shift;
    bits <<= shift;
    left -= shift;
    split = splitOf(width, 128);
    limit = (<u64>split) << 56;
    const isNegative = bits >= limit;
    width = isNegative ? width - split : split;
    bits -= isNegative ? limit : 0;
    const step = load<i32>(steps + (n > 0 ? 4 : 0));
    store<i16>(to + load<u8>(zigzag + n), <i16>((isNegative ? -magnitude : magnitude) * step));
    n += 1;
  }
  setState(bits, left, width);
  return n;
}

/** Probabilities of the extra bits of categories 3 to 6 (§13.2), each list terminated by 0. */
export const extraBits: usize = memory.data<u8>([
  173, 148, 140, 0, 0, 0, 0, 0, 0, 0, 0, 0, 176, 155, 140, 135, 0, 0, 0, 0, 0, 0, 0, 0, 180, 157,
  141, 134, 130, 0, 0, 0, 0, 0, 0, 0, 254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129, 0,
]);
const extraBytes: usize = 12;

/** Reads the magnitude of a coefficient of at least 2. */
function readMagnitude(at: usize): i32 {
  if (!readBit(load<u8>(at, 3))) {
    if (!readBit(load<u8>(at, 4))) return 2;
    return 3 + <i32>readBit(load<u8>(at, 5));
  }
  if (!readBit(load<u8>(at, 6))) {
    if (!readBit(load<u8>(at, 7))) return 5 + <i32>readBit(159);
    const high = <i32>readBit(165);
    return 7 + 2 * high + <i32>readBit(145);
  }
  const high = <i32>readBit(load<u8>(at, 8));
  const category = 2 * high + <i32>readBit(load<u8>(at + high, 9));
  let list = extraBits + extraBytes * category;
  let extra = 0;
  while (load<u8>(list) !== 0) {
    extra = (extra << 1) + <i32>readBit(load<u8>(list));
    list += 1;
  }
  return 3 + (8 << category) + extra;
}

// The coefficients of a macroblock, read from a token partition (RFC 6386 §13), and flags for blocks with coefficients,
// which are the context for the blocks below and to the right.

/** Luma and chroma blocks, and the second-order block, from which the DC coefficients of luma are computed. */
const coefficients: usize = memory.data(secondOrderBlock * blockBytes, 16);
const secondOrderCoefficients: usize = memory.data(blockBytes, 16);

/* Contents of a block. */
export const nothing: i32 = 0;
export const onlyFirst: i32 = 1;
/** Only the first three coefficients in zigzag order: DC and the first of the first row and column. */
export const few: i32 = 2;
const many: i32 = 3;
/** Contents of each block, one byte each. */
const contents: usize = memory.data(secondOrderBlock, 8);

/** Flags for the blocks above and to the left: whether they had tokens. */
let above: usize = 0;
let across: usize = 0;
const left: usize = memory.data(flagBytes, 4);

/** Allocates memory for a row with this number of macroblocks; returns false if there is none. */
export function allocateResiduals(macroblocks: i32): bool {
  across = macroblocks;
  above = allocate(flagBytes * across);
  return above !== 0;
}

/** Starts before the first row. */
export function beginResiduals(): void {
  memory.fill(above, 0, flagBytes * across);
}

/** Starts a row. */
export function beginResidualRow(): void {
  memory.fill(left, 0, flagBytes);
}

/** The coefficients of block `n`, 0 to 23. */
export function blockAt(n: usize): usize {
  return coefficients + blockBytes * n;
}

/** The contents of block `n`. */
export function contentOf(n: usize): i32 {
  return load<u8>(contents + n);
}

/** The contents of four blocks, starting from block `n`, one byte each. */
export function contentsOf(n: usize): u32 {
  return load<u32>(contents + n);
}

/** Handles a macroblock without tokens. If it has no second-order block, the flag for that block is kept. */
export function skipResidual(x: i32, isByBlock: bool): void {
  const top = above + flagBytes * x;
  store<u64>(top, 0);
  store<u64>(left, 0);
  if (!isByBlock) {
    store<u8>(top, 0, secondOrderFlag);
    store<u8>(left, 0, secondOrderFlag);
  }
}

/**
 * Reads macroblock `x` of the row.
 * @param steps quantization steps of its segment
 * @returns whether it has any coefficient
 */
export function readResidual(x: i32, isByBlock: bool, steps: usize): bool {
  const top = above + flagBytes * x;
  for (let at: usize = 0; at < blockBytes * secondOrderBlock; at += 64) {
    v128.store(coefficients + at, i32x4.splat(0));
    v128.store(coefficients + at, i32x4.splat(0), 16);
    v128.store(coefficients + at, i32x4.splat(0), 32);
    v128.store(coefficients + at, i32x4.splat(0), 48);
  }
  if (!isByBlock) readSecondOrder(top, steps + secondOrderSteps);
  const type = isByBlock ? lumaWhole : lumaRest;
  const first = isByBlock ? 0 : 1;
  readPlane(0, 4, type, first, top + lumaFlags, left + lumaFlags, steps + lumaSteps);
  for (let n = firstChroma, at = chromaFlags; n < secondOrderBlock; n += 4, at += 2) {
    readPlane(n, 2, chroma, 0, top + at, left + at, steps + chromaSteps);
  }
  return (load<u64>(contents) | load<u64>(contents, 8) | load<u64>(contents, 16)) !== 0;
}

/** Reads the second-order block with the DC coefficients of all luma blocks (§13.3). */
function readSecondOrder(top: usize, steps: usize): void {
  v128.store(secondOrderCoefficients, i32x4.splat(0));
  v128.store(secondOrderCoefficients, i32x4.splat(0), 16);
  const flag: i32 = load<u8>(top, secondOrderFlag) + load<u8>(left, secondOrderFlag);
  const end = readBlock(secondOrder, flag, 0, steps, secondOrderCoefficients);
  const has: u8 = end > 0 ? 1 : 0;
  store<u8>(top, has, secondOrderFlag);
  store<u8>(left, has, secondOrderFlag);
  if (end > 0) inverseWalshHadamard(secondOrderCoefficients, coefficients);
}

/** Reads `size` × `size` blocks, starting from block `n`. */
function readPlane(
  n: usize,
  size: usize,
  type: i32,
  first: i32,
  top: usize,
  side: usize,
  steps: usize,
): void {
  for (let y: usize = 0; y < size; y += 1) {
    let before: i32 = load<u8>(side + y);
    for (let x: usize = 0; x < size; x += 1, n += 1) {
      const block = coefficients + blockBytes * n;
      const end = readBlock(type, before + load<u8>(top + x), first, steps, block);
      before = end > first ? 1 : 0;
      store<u8>(top + x, <u8>before);
      store<u8>(contents + n, <u8>contentUpTo(end, block));
    }
    store<u8>(side + y, <u8>before);
  }
}

/** The contents of a block whose tokens end at this position. */
function contentUpTo(end: i32, block: usize): i32 {
  if (end > 3) return many;
  if (end > 1) return few;
  return load<i16>(block) !== 0 ? onlyFirst : nothing;
}
