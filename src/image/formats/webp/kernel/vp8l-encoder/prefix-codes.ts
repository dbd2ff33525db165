/**
 * The codes of a group, and their description (RFC 9649 §6.2.1): one or two symbols, or run-length coded code lengths.
 */
import {
  bitsBehindRun,
  cutRuns,
  minLengthOfRun,
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
import { maxGreenSymbols } from './histograms';

/** Maximum code length in bits. */
export const longest: i32 = 15;
const symbolBits: u32 = 11;

/** Order of the lengths of the code length code. */
const order: usize = memory.data<u8>([
  17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
]);
/** Code length that a repetition repeats if there is no previous one. */
const firstRepeated: i32 = 8;
const runCodes: usize = memory.data(76, 16);

/** Allocates 26 KiB; returns false if there is no memory. */
export function allocatePrefixCodes(): bool {
  const codeSpace = allocate(codeSpaceBytes(maxGreenSymbols));
  const runSpace = allocate(runSpaceBytes(maxGreenSymbols));
  if (codeSpace === 0 || runSpace === 0) return false;
  setCodeSpace(codeSpace, maxGreenSymbols, symbolBits);
  setRunSpace(runSpace, maxGreenSymbols);
  return true;
}

/**
 * Assigns codes like `assignCodes`, but all zeros if there is only one symbol, which takes no bits.
 * @param used number of symbols with a length
 */
export function setCodes(lengths: usize, symbols: i32, used: i32, codes: usize): void {
  if (used < 2) memory.fill(codes, 0, (<usize>symbols) << 2);
  else assignCodes(lengths, symbols, codes);
}

/**
 * Writes the description of a code.
 * @param used number of symbols with a length
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

/** Writes a simple code of up to two symbols below 256; returns false if that is not possible. */
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

/** Writes the number of runs, if that takes fewer bits than zeros up to the last symbol. */
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

/** Writes the symbol of a run, and the number of lengths that it covers. */
function putRun(symbol: i32, covered: i32): void {
  const code = load<u32>(runCodes + ((<usize>symbol) << 2));
  putBits(code & 0xffff, code >> 16);
  putBits(covered - minLengthOfRun(symbol), bitsBehindRun(symbol));
}
