/**
 * Run-length coding of prefix code lengths in DEFLATE and lossless WebP (RFC 1951 §3.2.7, RFC 9649 §6.2.1). Runs are
 * chosen by a shortest path, with the costs of the code from the previous iteration.
 */
import { codeLengths } from './prefix-codes';

/** Number of symbols in the run code: lengths of 0 to 15, a repeated length, repeated zeros, many zeros. */
export const runSymbols: i32 = 19;
const repeatSymbol: i32 = 16;
const shortZerosSymbol: i32 = 17;
const longZerosSymbol: i32 = 18;
/** Maximum code length of a run symbol in bits. */
const longest: i32 = 7;
const cuts: i32 = 3;

/** Counts of run symbols, u32, and their code lengths, u8. */
export const runCounts: usize = memory.data(76, 16);
export const runLengths: usize = memory.data(32, 16);

/** For each length: number of equal lengths from there on, and the length that a repetition means there << 16. */
let reaches: usize = 0;
const reachBits: i32 = 16;
/** Minimum bits from each length to the end, u32. */
let bitsFrom: usize = 0;
/** The run chosen at each length, u32: symbol | number of lengths covered << 8. */
let runs: usize = 0;

/** Bytes that `setRunSpace` needs for this number of lengths. */
export function runSpaceBytes(lengths: i32): usize {
  return 12 * (<usize>lengths + 1);
}

/** Sets the buffers for up to this number of lengths; call it once in a run of the kernel. */
export function setRunSpace(at: usize, lengths: i32): void {
  const bytes = (<usize>lengths + 1) << 2;
  reaches = at;
  bitsFrom = at + bytes;
  runs = at + 2 * bytes;
}

/**
 * Divides lengths into runs, iterating with the code for these runs.
 *
 * @param lengths `number` × u8, and one more with any value
 * @param repeated the length that a repetition means before the first one
 * @param skipsZeros whether a repetition after zeros means the last nonzero length
 * @returns the number of run symbols in use
 */
export function cutRuns(lengths: usize, number: i32, repeated: i32, skipsZeros: bool): i32 {
  planRuns(lengths, number, repeated, skipsZeros);
  memory.fill(runLengths, 4, runSymbols);
  let used = 0;
  for (let cut = 0; cut < cuts; cut += 1) {
    chooseRuns(lengths, number);
    countRuns(number);
    used = codeLengths(runCounts, runSymbols, longest, runLengths);
  }
  return used;
}

/** The symbol of the run that begins at a length. */
export function runSymbolAt(i: i32): i32 {
  return load<u8>(runs + ((<usize>i) << 2));
}

/** Number of lengths that the run at a length covers. */
export function runLengthAt(i: i32): i32 {
  return load<u32>(runs + ((<usize>i) << 2)) >> 8;
}

/** Number of extra bits of a run symbol. */
export function bitsBehindRun(symbol: i32): i32 {
  if (symbol < repeatSymbol) return 0;
  return symbol === repeatSymbol ? 2 : symbol === shortZerosSymbol ? 3 : 7;
}

/** Minimum number of lengths in a run with this symbol, to which its extra bits are added. */
export function minLengthOfRun(symbol: i32): i32 {
  if (symbol < repeatSymbol) return 1;
  return symbol === longZerosSymbol ? 11 : 3;
}

/** Bits of a run with this symbol. */
export function bitsOfRun(symbol: i32): u32 {
  const length: i32 = load<u8>(runLengths + symbol);
  // Unused symbols get the maximum length, so that they remain available.
  return (length === 0 ? longest : length) + bitsBehindRun(symbol);
}

/** Computes `reaches`. */
function planRuns(lengths: usize, number: i32, repeated: i32, skipsZeros: bool): void {
  for (let i = 0; i < number; i += 1) {
    store<i32>(reaches + ((<usize>i) << 2), repeated << reachBits);
    const length: i32 = load<u8>(lengths + i);
    if (length !== 0 || !skipsZeros) repeated = length;
  }
  let reach = 0;
  for (let i = number - 1; i >= 0; i -= 1) {
    const same = i + 1 < number && load<u8>(lengths + i) === load<u8>(lengths + i, 1);
    reach = same ? reach + 1 : 1;
    const at = reaches + ((<usize>i) << 2);
    store<i32>(at, load<i32>(at) | reach);
  }
}

/** Best result so far at the current length: bits to the end, and the run. */
let best: u32 = 0;
let run: u32 = 0;

/** Finds the cheapest runs, from the last length backwards. */
function chooseRuns(lengths: usize, number: i32): void {
  store<u32>(bitsFrom + ((<usize>number) << 2), 0);
  for (let i = number - 1; i >= 0; i -= 1) {
    const at = bitsFrom + ((<usize>i) << 2);
    const length: i32 = load<u8>(lengths + i);
    const plan = load<i32>(reaches + ((<usize>i) << 2));
    const reach = plan & ((1 << reachBits) - 1);
    best = bitsOfRun(length) + load<u32>(at, 4);
    run = length | (1 << 8);
    if (length === 0) {
      weighRun(shortZerosSymbol, min(reach, 10), at);
      weighRun(longZerosSymbol, min(reach, 138), at);
    } else if (length === plan >> reachBits) {
      weighRun(repeatSymbol, min(reach, 6), at);
    }
    store<u32>(at, best);
    store<u32>(runs + ((<usize>i) << 2), run);
  }
}

/** Tries the longest runs with a symbol, up to `most` lengths; shorter ones are hardly ever the best. */
function weighRun(symbol: i32, most: i32, at: usize): void {
  const bits = bitsOfRun(symbol);
  for (let covered = max(minLengthOfRun(symbol), most - 3); covered <= most; covered += 1) {
    const other = bits + load<u32>(at + ((<usize>covered) << 2));
    if (other >= best) continue;
    best = other;
    run = symbol | (covered << 8);
  }
}

function countRuns(number: i32): void {
  memory.fill(runCounts, 0, 4 * runSymbols);
  for (let i = 0; i < number; i += runLengthAt(i)) {
    const at = runCounts + ((<usize>runSymbolAt(i)) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
}
