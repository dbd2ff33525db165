/**
 * Huffman tables for decoding (ITU-T T.81 annex C, §F.2.2.3): codes of up to ten
 * bits by one look, together with the value behind them where that fits in.
 */
import { allocate } from '../../../wasm/assembly/memory';

/** Bits of a code that one look sees. */
export const lookBits: i32 = 10;

/**
 * A table: 1024 entries of u32, then for codes of length 11 to 16 the first code
 * past them and what leads from a code to its symbol, then 256 symbols.
 *
 * An entry: bits 0–7 how many bits it takes; 8–11 the run of zeros; 12–15 how many
 * bits of the value are still to come; 16–31 the value, if it is known. 0: the code is longer.
 */
const limitsAt: usize = 4096;
const offsetsAt: usize = limitsAt + 17 * 4;
const symbolsAt: usize = offsetsAt + 17 * 4;
const tableBytes: usize = 4608;

const kinds: i32 = 2;
const slots: i32 = 4;
let tables: usize = 0;

/** Allocates tables for so many cursors, two kinds (0: DC, 1: AC) of four slots for each. */
export function allocateDecoders(cursors: i32): bool {
  tables = allocate(tableBytes * (cursors * kinds * slots));
  return tables !== 0;
}

export function decoderTable(cursor: i32, kind: i32, slot: i32): usize {
  return tables + tableBytes * ((cursor * kinds + kind) * slots + slot);
}

/** Where the host writes a definition for `buildDecoder`. */
const definitionAt: usize = memory.data(272);

export function definitionBuffer(): usize {
  return definitionAt;
}

/**
 * Builds a table from a definition of 16 counts and at most 256 symbols, one byte
 * each. The host has seen to it that the codes do not overflow their lengths.
 * @param kind 0: DC, whose symbols are sizes; 1: AC
 */
export function buildDecoder(table: usize, definition: usize, kind: i32): void {
  const symbols = definition + 16;
  memory.fill(table, 0, tableBytes);
  memory.copy(table + symbolsAt, symbols, 256);
  let code = 0;
  let index = 0;
  for (let length = 1; length <= 16; length += 1) {
    const number: i32 = load<u8>(definition + length - 1);
    store<i32>(table + offsetsAt + (length << 2), index - code);
    for (let i = 0; i < number; i += 1) {
      if (length <= lookBits) enter(table, code, length, load<u8>(symbols + index), kind);
      code += 1;
      index += 1;
    }
    // left-aligned to 16 bits, so that one comparison finds the length
    store<i32>(table + limitsAt + (length << 2), number > 0 ? code << (16 - length) : 0);
    code <<= 1;
  }
}

/** Puts a code into all entries that begin with it. */
function enter(table: usize, code: i32, length: i32, symbol: i32, kind: i32): void {
  const run = kind === 0 ? 0 : symbol >> 4;
  const size = kind === 0 ? symbol : symbol & 15;
  const rest = lookBits - length;
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

/** The value that `size` bits mean: T.81 §F.2.2.1, figure F.12. */
export function extended(value: i32, size: i32): i32 {
  return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}

/**
 * Finds a code of more than ten bits.
 * @param bits 16 of them
 * @returns length << 8 | symbol, or 0 where no code begins so
 */
export function longCode(table: usize, bits: i32): i32 {
  for (let length = lookBits + 1; length <= 16; length += 1) {
    if (bits < load<i32>(table + limitsAt + (length << 2))) {
      const code = bits >> (16 - length);
      const index = code + load<i32>(table + offsetsAt + (length << 2));
      return (length << 8) | load<u8>(table + symbolsAt + index);
    }
  }
  return 0;
}
