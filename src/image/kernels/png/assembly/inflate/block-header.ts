/** The beginning of a block: its type and its codes (RFC 1951 §3.2.3 to §3.2.7). */
import { alignToByte, dropBits, peekBits, takeBits } from './bits';
import {
  buildTable,
  builtMask,
  distanceKind,
  isSpecial,
  lengthKind,
  literalKind,
} from './code-tables';
import {
  blockAt,
  codedBlock,
  distanceMaskAt,
  distanceRootBits,
  distanceTable,
  isFixedAt,
  isLastAt,
  literalMaskAt,
  literalRootBits,
  literalTable,
  storedAt,
  storedBlock,
} from './cursor';
import { badBlock, badCode, sound } from './status';

/** In what order the lengths of the code length code come (RFC 1951 §3.2.7). */
const lengthOrder: usize = memory.data<u8>([
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
]);
const lengthSymbols: i32 = 19;
const lengthRootBits: i32 = 7;

const fixedLiterals: i32 = 288;
const fixedDistances: i32 = 32;
const endOfBlock: i32 = 256;

/** A code length for each symbol, those of distances right behind those of literals. */
const lengths: usize = memory.data(288 + 32, 4);
const lengthTable: usize = memory.data(128 * 4, 4);

/** Reads the beginning of the next block. Returns a status. */
export function beginBlock(cursor: usize): i32 {
  store<i32>(cursor, takeBits(cursor, 1), isLastAt);
  const type = takeBits(cursor, 2);
  if (type === 3) return badBlock;
  if (type === 0) return beginStored(cursor);
  store<i32>(cursor, codedBlock, blockAt);
  return type === 1 ? useFixedCodes(cursor) : readCodes(cursor);
}

function beginStored(cursor: usize): i32 {
  alignToByte(cursor);
  const length = takeBits(cursor, 16);
  if (takeBits(cursor, 16) !== (~length & 0xffff)) return badBlock;
  alignToByte(cursor);
  store<i32>(cursor, length, storedAt);
  store<i32>(cursor, storedBlock, blockAt);
  return sound;
}

function useFixedCodes(cursor: usize): i32 {
  if (load<i32>(cursor, isFixedAt)) return sound;
  memory.fill(lengths, 8, 144);
  memory.fill(lengths + 144, 9, 112);
  memory.fill(lengths + 256, 7, 24);
  memory.fill(lengths + 280, 8, 8);
  memory.fill(lengths + fixedLiterals, 5, fixedDistances);
  const status = buildTables(cursor, fixedLiterals, fixedDistances);
  store<i32>(cursor, 1, isFixedAt);
  return status;
}

function readCodes(cursor: usize): i32 {
  const literals = takeBits(cursor, 5) + 257;
  const distances = takeBits(cursor, 5) + 1;
  const number = takeBits(cursor, 4) + 4;
  if (literals > 286 || distances > 30) return badCode;
  memory.fill(lengths, 0, lengthSymbols);
  for (let i = 0; i < number; i += 1) {
    store<u8>(lengths + load<u8>(lengthOrder + i), <u8>takeBits(cursor, 3));
  }
  if (
    buildTable(lengths, lengthSymbols, lengthKind, false, lengthRootBits, lengthTable) !== sound ||
    readLengths(cursor, literals + distances) !== sound ||
    load<u8>(lengths + endOfBlock) === 0
  ) {
    return badCode;
  }
  store<i32>(cursor, 0, isFixedAt);
  return buildTables(cursor, literals, distances);
}

/** Both codes' lengths in one row: repetitions go across the border. */
function readLengths(cursor: usize, number: i32): i32 {
  const mask = builtMask;
  for (let at = 0; at < number; ) {
    const bits: u32 = peekBits(cursor, lengthRootBits);
    const entry = load<u32>(lengthTable + ((<usize>(bits & mask)) << 2));
    if ((entry & isSpecial) !== 0) return badCode;
    dropBits(cursor, entry & 15);
    const symbol = <i32>(entry >> 16);
    if (symbol < 16) {
      store<u8>(lengths + at, <u8>symbol);
      at += 1;
      continue;
    }
    if (symbol === 16 && at === 0) return badCode;
    const value: u8 = symbol === 16 ? load<u8>(lengths + at - 1) : 0;
    const times =
      symbol === 16
        ? 3 + takeBits(cursor, 2)
        : symbol === 17
          ? 3 + takeBits(cursor, 3)
          : 11 + takeBits(cursor, 7);
    if (at + times > number) return badCode;
    memory.fill(lengths + at, value, times);
    at += times;
  }
  return sound;
}

function buildTables(cursor: usize, literals: i32, distances: i32): i32 {
  const table = cursor + literalTable;
  let status = buildTable(lengths, literals, literalKind, true, literalRootBits, table);
  if (status !== sound) return status;
  store<u32>(cursor, builtMask, literalMaskAt);
  status = buildTable(
    lengths + literals,
    distances,
    distanceKind,
    true,
    distanceRootBits,
    cursor + distanceTable,
  );
  store<u32>(cursor, builtMask, distanceMaskAt);
  return status;
}
