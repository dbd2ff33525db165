/**
 * Codes of tokens in contexts: how often each token comes in each context, which contexts share a distribution, and with
 * what probabilities (ISO/IEC 18181-1 §C.2). Three of them are alive at a time: that of the coefficients, that of any other
 * stream, and that of the map that says which contexts share what.
 *
 * Tokens wait in a buffer, u32 each: the context in the upper 13 bits, the value in the lower 19.
 */
import { allocate } from '../../../wasm/assembly/memory';
import { tokenCount, tokenOf } from './hybrid-integers';

export const coefficientCode: i32 = 0;
export const streamCode: i32 = 1;
export const mapCode: i32 = 2;

/** Values have so many bits in the buffer; contexts stand above them. */
export const valueBits: i32 = 19;
export const valueMask: u32 = (1 << valueBits) - 1;

/** The most tokens that a group has: 1024 blocks of three components, 63 coefficients and their number each. */
export const maxGroupTokens: i32 = 3 * 1024 * 65;

/** Bytes of a distribution's reverse table: u16 for each of 4096 states. */
export const reverseBytes: usize = 2 * 4096;
/** Bytes of a row of counts, u32 for each token, and of symbols likewise. */
export const rowBytes: usize = (<usize>tokenCount) << 2;

const records: usize = memory.data(3 * 32);
let buffer: usize = 0;

/**
 * Allocates the buffer of tokens and all codes; false if there is no room.
 * @param longest tokens of the longest stream beside those of groups
 */
export function allocateCodes(longest: i32): bool {
  buffer = allocate((<usize>max(longest, maxGroupTokens)) << 2);
  return (
    buffer !== 0 &&
    allocateCode(coefficientCode, 16 * (37 + 458), 128) &&
    allocateCode(streamCode, 41, 41) &&
    allocateCode(mapCode, 1, 1)
  );
}

function allocateCode(code: i32, contexts: i32, clusters: i32): bool {
  const at = record(code);
  store<usize>(at, allocate(rowBytes * contexts), 8);
  store<usize>(at, allocate(contexts), 12);
  store<usize>(at, allocate(rowBytes * clusters), 16);
  store<usize>(at, allocate(reverseBytes * clusters), 20);
  store<i32>(at, clusters, 24);
  for (let field: usize = 8; field <= 20; field += 4) {
    if (load<usize>(at + field) === 0) return false;
  }
  return true;
}

function record(code: i32): usize {
  return records + ((<usize>code) << 5);
}

/** Where tokens wait. */
export function tokenBuffer(): usize {
  return buffer;
}

/** Contexts of a code. */
export function contextCount(code: i32): i32 {
  return load<i32>(record(code), 0);
}

/** Distributions that its contexts share. */
export function clusterCount(code: i32): i32 {
  return load<i32>(record(code), 4);
}

export function setClusterCount(code: i32, clusters: i32): void {
  store<i32>(record(code), clusters, 4);
}

/** The most distributions that there may be. */
export function maxClusters(code: i32): i32 {
  return load<i32>(record(code), 24);
}

/** Bits behind the highest one that are in a token. */
export function topBits(code: i32): i32 {
  return load<i32>(record(code), 28);
}

/** How often each token came in a context: u32 each. */
export function countsOf(code: i32, context: i32): usize {
  return load<usize>(record(code), 8) + rowBytes * context;
}

/** The distribution of each context: u8 each. */
export function mapOf(code: i32): usize {
  return load<usize>(record(code), 12);
}

/** Each token of a distribution: its probability in 4096ths, and above it where its states begin; u16 each. */
export function symbolsOf(code: i32, cluster: i32): usize {
  return load<usize>(record(code), 16) + rowBytes * cluster;
}

/** The states of a distribution's tokens, one token after the other: u16 each. */
export function reverseTableOf(code: i32, cluster: i32): usize {
  return load<usize>(record(code), 20) + reverseBytes * cluster;
}

/** Begins a code of so many contexts: nothing has been counted. */
export function beginCode(code: i32, contexts: i32, top: i32): void {
  const at = record(code);
  store<i32>(at, contexts, 0);
  store<i32>(at, 0, 4);
  store<i32>(at, top, 28);
  memory.fill(countsOf(code, 0), 0, rowBytes * contexts);
}

/** Counts the first tokens that wait. */
export function countTokens(code: i32, number: i32): void {
  const counts = countsOf(code, 0);
  const top = topBits(code);
  const end = buffer + ((<usize>number) << 2);
  for (let at = buffer; at < end; at += 4) {
    const word = load<u32>(at);
    const token = tokenOf(word & valueMask, top);
    const count = counts + ((((<usize>(word >> valueBits)) << 6) + token) << 2);
    store<u32>(count, load<u32>(count) + 1);
  }
}
