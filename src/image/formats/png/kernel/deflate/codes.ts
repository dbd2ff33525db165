/** The code tables in the header of a dynamic block (RFC 1951 §3.2.7). */
import {
  bitsBehindRun,
  bitsOfRun,
  cutRuns,
  minLengthOfRun,
  runCounts,
  runLengthAt,
  runLengths,
  runSymbolAt,
  runSymbols,
  setRunSpace,
} from '../../../../wasm/assembly/code-length-runs';
import { assignCodes, setCodeSpace } from '../../../../wasm/assembly/prefix-codes';
import { putBits } from './bit-output';
import { distanceSymbols, literalSymbols } from './symbols';

/** The fixed code has two symbols more than can be used. */
export const fixedLiterals: i32 = 288;
const symbolBits: u32 = 9;
const maxLengths: i32 = 320;

/** Code lengths of both codes, one after the other. */
const lengths: usize = memory.data(320, 16);
/** Scratch memory to build codes, 8 bytes per symbol, and to split lengths into runs, 12 bytes per length plus one. */
const codeSpace: usize = memory.data(8 * 288, 16);
const runSpace: usize = memory.data(12 * 321, 16);
const runCodes: usize = memory.data(76, 16);
/** The order in which the lengths of the code length code are written. */
const order: usize = memory.data<u8>([
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
]);

let literalNumber: i32 = 0;
let distanceNumber: i32 = 0;
let runCodeNumber: i32 = 0;

/** Begins a stream. */
export function beginCodes(): void {
  setCodeSpace(codeSpace, fixedLiterals, symbolBits);
  setRunSpace(runSpace, maxLengths);
}

/**
 * Plans the code tables for these codes.
 * @param literals lengths of 286 codes
 * @param distances lengths of 30 codes
 * @returns their size in bits, without the three bits of the block header
 */
export function planCodeTables(literals: usize, distances: usize): u32 {
  literalNumber = literalSymbols;
  while (literalNumber > 257 && load<u8>(literals + literalNumber - 1) === 0) literalNumber -= 1;
  distanceNumber = distanceSymbols;
  while (distanceNumber > 1 && load<u8>(distances + distanceNumber - 1) === 0) distanceNumber -= 1;
  memory.copy(lengths, literals, literalNumber);
  memory.copy(lengths + literalNumber, distances, distanceNumber);
  cutRuns(lengths, literalNumber + distanceNumber, 0, false);
  runCodeNumber = runSymbols;
  while (runCodeNumber > 4 && load<u8>(runLengths + load<u8>(order + runCodeNumber - 1)) === 0)
    runCodeNumber -= 1;
  let bits: u32 = 14 + 3 * runCodeNumber;
  for (let symbol = 0; symbol < runSymbols; symbol += 1) {
    bits += load<u32>(runCounts + ((<usize>symbol) << 2)) * bitsOfRun(symbol);
  }
  return bits;
}

/** Writes the code tables that were planned last. */
export function writeCodeTables(): void {
  putBits(literalNumber - 257, 5);
  putBits(distanceNumber - 1, 5);
  putBits(runCodeNumber - 4, 4);
  for (let i = 0; i < runCodeNumber; i += 1) putBits(load<u8>(runLengths + load<u8>(order + i)), 3);
  assignCodes(runLengths, runSymbols, runCodes);
  const number = literalNumber + distanceNumber;
  for (let i = 0; i < number; ) {
    const symbol = runSymbolAt(i);
    const covered = runLengthAt(i);
    const code = load<u32>(runCodes + ((<usize>symbol) << 2));
    putBits(code & 0xffff, code >> 16);
    putBits(covered - minLengthOfRun(symbol), bitsBehindRun(symbol));
    i += covered;
  }
}
