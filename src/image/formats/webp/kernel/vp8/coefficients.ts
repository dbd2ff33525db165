/**
 * Reads the dequantized coefficients of blocks from a token partition (RFC 6386 §13). A token means end of block, a
 * zero, or a magnitude.
 */
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
import {
  bandCount,
  bands,
  contextCount,
  defaultProbabilities,
  nodeCount,
  typeCount,
  updateProbabilities,
} from './token-probabilities';

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
export function readBlock(type: i32, context: i32, first: i32, steps: usize, to: usize): i32 {
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
