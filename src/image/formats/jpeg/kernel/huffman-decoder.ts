/**
 * Huffman decoding tables (ITU-T T.81 annex C, §F.2.2.3). One table lookup decodes a code of up to ten bits, together
 * with the value after it if that fits into the ten bits, too.
 */
import { allocate } from '../../../wasm/assembly/memory';

/** Number of bits by which the lookup is indexed. */
const lookupBits: i32 = 10;

/**
 * Layout of a table: 1024 lookup entries, u32; for each code length up to 16 the first code beyond those of that
 * length, left-aligned to 16 bits, i32; for each code length the offset from a code to the index of its symbol, i32;
 * 256 symbols, u8.
 *
 * A lookup entry: bits 0–7 the number of bits that it consumes; 8–11 the run of zeros; 12–15 the size of the value in
 * bits if these are yet to be read; 16–31 the value if they are consumed. An entry of 0: the code is longer.
 */
const limitsAt: usize = 4096;
const offsetsAt: usize = limitsAt + 17 * 4;
const symbolsAt: usize = offsetsAt + 17 * 4;
const tableBytes: usize = 4608;

const kinds: i32 = 2;
const slots: i32 = 4;
let tables: usize = 0;

/** Allocates four slots of each kind (0: DC, 1: AC) for each of `cursors` cursors; false if memory runs out. */
export function allocateDecoders(cursors: i32): bool {
  tables = allocate(tableBytes * (cursors * kinds * slots));
  return tables !== 0;
}

export function decoderTable(cursor: i32, kind: i32, slot: i32): usize {
  return tables + tableBytes * ((cursor * kinds + kind) * slots + slot);
}

/** Buffer into which the host writes a definition for `buildDecoder`. */
const definitionAt: usize = memory.data(272);

export function definitionBuffer(): usize {
  return definitionAt;
}

/**
 * Builds a table from a definition: 16 counts and at most 256 symbols, one byte each. The host has verified that the
 * codes do not overflow their lengths.
 * @param kind 0: DC, whose symbols are sizes; 1: AC
 */
export function buildDecoder(table: usize, definition: usize, kind: i32): void {
  const symbols = definition + 16;
  memory.fill(table, 0, tableBytes);
  memory.copy(table + symbolsAt, symbols, 256);
  let code = 0;
  let index = 0;
  for (let length = 1; length <= 16; length += 1) {
    const count: i32 = load<u8>(definition + length - 1);
    store<i32>(table + offsetsAt + (length << 2), index - code);
    for (let i = 0; i < count; i += 1) {
      if (length <= lookupBits) fillLookup(table, code, length, load<u8>(symbols + index), kind);
      code += 1;
      index += 1;
    }
    // left-aligned to 16 bits, so that one comparison per length finds the length of a code
    store<i32>(table + limitsAt + (length << 2), count > 0 ? code << (16 - length) : 0);
    code <<= 1;
  }
}

/** Fills all lookup entries whose index begins with a code. */
function fillLookup(table: usize, code: i32, length: i32, symbol: i32, kind: i32): void {
  const run = kind === 0 ? 0 : symbol >> 4;
  const size = kind === 0 ? symbol : symbol & 15;
  const rest = lookupBits - length;
  const isComplete = size > 0 && size <= rest;
  for (let tail = 0; tail < 1 << rest; tail += 1) {
    const index = (code << rest) | tail;
    const value = isComplete ? extended(tail >> (rest - size), size) : 0;
    const entry = isComplete
      ? (length + size) | (run << 8) | (value << 16)
      : length | (run << 8) | (size << 12);
    store<i32>(table + (index << 2), entry);
  }
}

/** The signed value that `size` bits encode (EXTEND, T.81 §F.2.2.1, figure F.12). */
export function extended(value: i32, size: i32): i32 {
  return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}

/**
 * Decodes a code of more than ten bits.
 * @param bits the next 16 bits
 * @returns length << 8 | symbol, or 0 if the bits do not begin with a code
 */
export function longCode(table: usize, bits: i32): i32 {
  for (let length = lookupBits + 1; length <= 16; length += 1) {
    if (bits < load<i32>(table + limitsAt + (length << 2))) {
      const code = bits >> (16 - length);
      const index = code + load<i32>(table + offsetsAt + (length << 2));
      return (length << 8) | load<u8>(table + symbolsAt + index);
    }
  }
  return 0;
}
