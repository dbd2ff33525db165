/**
 * The codes of a group, and how they are stated (RFC 9649 §6.2.1): one or two symbols as they are, or lengths run by
 * run.
 */
import {
  bitsBehindRun,
  cutRuns,
  leastLengthOfRun,
  runLengthAt,
  runLengths,
  runSpaceBytes,
  runSymbolAt,
  runSymbols,
  setRunSpace,
} from '../../../../wasm/assembly/code-length-runs';
import { allocate } from '../../../../wasm/assembly/memory';
import { assignCodes, codeSpaceBytes, setCodeSpace } from '../../../../wasm/assembly/prefix-codes';
import { putBits } from './bit-strings';
import { mostGreenSymbols } from './symbols';

/** Longest code in bits. */
export const longest: i32 = 15;
const symbolBits: u32 = 11;

/** The order in which the lengths of the run code are written. */
const order: usize = memory.data<u8>([
  17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
]);
/** The code length that a repetition repeats before there is one. */
const firstRepeated: i32 = 8;
const runCodes: usize = memory.data(76, 16);

/** Allocates 26 KiB; false if there is no room. */
export function allocatePrefixCodes(): bool {
  const codeSpace = allocate(codeSpaceBytes(mostGreenSymbols));
  const runSpace = allocate(runSpaceBytes(mostGreenSymbols));
  if (codeSpace === 0 || runSpace === 0) return false;
  setCodeSpace(codeSpace, mostGreenSymbols, symbolBits);
  setRunSpace(runSpace, mostGreenSymbols);
  return true;
}

/**
 * Assigns codes as `assignCodes` does, but all zeros where there is one symbol, which takes no bits.
 * @param used how many of the symbols have a length
 */
export function setCodes(lengths: usize, symbols: i32, used: i32, codes: usize): void {
  if (used < 2) memory.fill(codes, 0, (<usize>symbols) << 2);
  else assignCodes(lengths, symbols, codes);
}

/**
 * States a code.
 * @param used how many of its symbols have a length
 */
export function putCode(lengths: usize, symbols: i32, used: i32): void {
  if (used <= 2 && putSimpleCode(lengths, symbols, used)) return;
  let number = symbols;
  while (load<u8>(lengths + number - 1) === 0) number -= 1;
  const runUsed = cutRuns(lengths, number, firstRepeated, true);
  putBits(0, 1);
  let stated = runSymbols;
  while (stated > 4 && load<u8>(runLengths + load<u8>(order + stated - 1)) === 0) stated -= 1;
  putBits(stated - 4, 4);
  for (let i = 0; i < stated; i += 1) putBits(load<u8>(runLengths + load<u8>(order + i)), 3);
  setCodes(runLengths, runSymbols, runUsed, runCodes);
  putNumberOfRuns(number, symbols);
  for (let i = 0; i < number; i += runLengthAt(i)) putRun(runSymbolAt(i), runLengthAt(i));
}

/** One symbol below 256, or two, or none at all; false if that does not do. */
function putSimpleCode(lengths: usize, symbols: i32, used: i32): bool {
  let first = 0;
  let second = 0;
  for (let symbol = symbols - 1, seen = 0; symbol >= 0 && seen < used; symbol -= 1) {
    if (load<u8>(lengths + symbol) === 0) continue;
    second = first;
    first = symbol;
    seen += 1;
  }
  if (max(first, second) > 255) return false;
  putBits(1, 1);
  putBits(used === 2 ? 1 : 0, 1);
  putBits(first > 1 ? 1 : 0, 1);
  putBits(first, first > 1 ? 8 : 1);
  if (used === 2) putBits(second, 8);
  return true;
}

/** Says after how many runs lengths end, where that takes fewer bits than zeros up to the last symbol. */
function putNumberOfRuns(number: i32, symbols: i32): void {
  let runs = 0;
  for (let i = 0; i < number; i += runLengthAt(i)) runs += 1;
  if (number === symbols) {
    putBits(0, 1);
    return;
  }
  putBits(1, 1);
  const above = max(runs, 2) - 2;
  const pairs = above < 4 ? 1 : (33 - clz(above)) >> 1;
  putBits(pairs - 1, 3);
  putBits(above, pairs << 1);
}

/** Puts the symbol of a run, and how many lengths it covers. */
function putRun(symbol: i32, covered: i32): void {
  const code = load<u32>(runCodes + ((<usize>symbol) << 2));
  putBits(code & 0xffff, code >> 16);
  putBits(covered - leastLengthOfRun(symbol), bitsBehindRun(symbol));
}
