/**
 * Lengths of prefix codes as DEFLATE and lossless WebP state them (RFC 1951 §3.2.7, RFC 9649 §6.2.1): run by run, with
 * a code of their own. Runs are cut by a shortest path, with costs out of the code that the cut before had.
 */
import { codeLengths } from './prefix-codes';

/** Symbols of the run code: lengths of 0 to 15, one repeated, zeros repeated, many zeros. */
export const runSymbols: i32 = 19;
const repeatSymbol: i32 = 16;
const shortZerosSymbol: i32 = 17;
const longZerosSymbol: i32 = 18;
/** Longest code of a run symbol in bits. */
const longest: i32 = 7;
const cuts: i32 = 3;

/** How often each run symbol occurs, u32, and the lengths of their codes, u8. */
export const runCounts: usize = memory.data(76, 16);
export const runLengths: usize = memory.data(32, 16);

/** How far equal lengths reach from each on, and what a repetition stands for there, << 16. */
let reaches: usize = 0;
const reachBits: i32 = 16;
/** Bits from each length on to the end, u32. */
let bitsFrom: usize = 0;
/** The run chosen at each length, u32: symbol | lengths that it covers << 8. */
let runs: usize = 0;

/** Bytes that `setRunSpace` takes for so many lengths. */
export function runSpaceBytes(lengths: i32): usize {
  return 12 * (<usize>lengths + 1);
}

/** Sets where up to so many lengths are cut, once in a run of the kernel. */
export function setRunSpace(at: usize, lengths: i32): void {
  const bytes = (<usize>lengths + 1) << 2;
  reaches = at;
  bitsFrom = at + bytes;
  runs = at + 2 * bytes;
}

/**
 * Cuts lengths into runs until their code suits them.
 *
 * @param lengths `number` × u8, and one more that may be anything
 * @param repeated the length that a repetition stands for in front of the first
 * @param skipsZeros whether a repetition behind zeros stands for the last length that is none of them
 * @returns how many run symbols are used
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

/** The symbol of the run that begins at a length, and how many lengths it covers. */
export function runSymbolAt(i: i32): i32 {
  return load<u8>(runs + ((<usize>i) << 2));
}

export function runLengthAt(i: i32): i32 {
  return load<u32>(runs + ((<usize>i) << 2)) >> 8;
}

/** How many bits follow a run symbol, and how many lengths it covers if they are zeros. */
export function bitsBehindRun(symbol: i32): i32 {
  if (symbol < repeatSymbol) return 0;
  return symbol === repeatSymbol ? 2 : symbol === shortZerosSymbol ? 3 : 7;
}

export function leastLengthOfRun(symbol: i32): i32 {
  if (symbol < repeatSymbol) return 1;
  return symbol === longZerosSymbol ? 11 : 3;
}

/** Bits of a run with this symbol. */
export function bitsOfRun(symbol: i32): u32 {
  const length: i32 = load<u8>(runLengths + symbol);
  // a symbol that the last cut had no use for can still be had
  return (length === 0 ? longest : length) + bitsBehindRun(symbol);
}

/** Finds how far equal lengths reach, and what a repetition stands for at each. */
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

/** What was found so far at the length that is looked at: bits from there on, and the run. */
let best: u32 = 0;
let run: u32 = 0;

/** Finds the cheapest runs through all lengths, from the last one back. */
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

/** Weighs the longest runs with a symbol, up to so many lengths: shorter ones are hardly ever the best. */
function weighRun(symbol: i32, most: i32, at: usize): void {
  const bits = bitsOfRun(symbol);
  for (let covered = max(leastLengthOfRun(symbol), most - 3); covered <= most; covered += 1) {
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
