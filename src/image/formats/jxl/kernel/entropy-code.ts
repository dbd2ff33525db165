/**
 * Entropy codes (ISO/IEC 18181-1 §C.2): counts of tokens by context, the map from contexts to distributions, and their
 * probabilities. Three codes exist at the same time: for coefficients, for any other stream, and for a context map.
 *
 * Tokens are buffered as u32 each: the context in the upper 13 bits, the value in the lower 19.
 */
import { allocate } from '../../../wasm/assembly/memory';

/*
 * Hybrid integer coding: a token followed by raw bits (ISO/IEC 18181-1 §C.2.3). Values below 16 are tokens themselves;
 * the tokens of larger values contain the position of the most significant bit and one or two bits after it.
 */

/** Values below 2 to this power are tokens themselves; written to the codestream. */
export const splitExponent: i32 = 4;
const split: u32 = 16;

/** Maximum number of tokens. */
export const tokenCount: i32 = 64;

/**
 * The token of a value below 2^19.
 * @param top number of bits after the most significant one that are part of the token
 */
export function tokenOf(value: u32, top: i32): u32 {
  if (value < split) return value;
  const high = 31 - clz(value);
  return split + (((high - splitExponent) << top) | ((value >> (high - top)) & ((1 << top) - 1)));
}

/** Number of raw bits after a token. */
export function rawBitsOf(token: u32, top: i32): i32 {
  if (token < split) return 0;
  return splitExponent - top + ((token - split) >> top);
}

export const coefficientCode: i32 = 0;
export const streamCode: i32 = 1;
export const mapCode: i32 = 2;

/** Bits of a value in the buffer; the context is above. */
export const valueBits: i32 = 19;
export const valueMask: u32 = (1 << valueBits) - 1;

/** Maximum number of tokens in a group: 1024 blocks of three components, each with 63 coefficients and their count. */
export const maxGroupTokens: i32 = 3 * 1024 * 65;

/** Bytes of a distribution's reverse table: u16 for each of 4096 states. */
const reverseBytes: usize = 2 * 4096;
/** Bytes of a row of counts or symbols: u32 for each token. */
export const rowBytes: usize = (<usize>tokenCount) << 2;

const records: usize = memory.data(3 * 32);
let buffer: usize = 0;

/**
 * Allocates the token buffer and all codes; returns false if there is no memory.
 * @param longest maximum number of tokens in a stream other than those of groups
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

/** The token buffer. */
export function tokenBuffer(): usize {
  return buffer;
}

/** Number of contexts of a code. */
export function contextCount(code: i32): i32 {
  return load<i32>(record(code), 0);
}

/** Number of distributions of a code. */
export function clusterCount(code: i32): i32 {
  return load<i32>(record(code), 4);
}

export function setClusterCount(code: i32, clusters: i32): void {
  store<i32>(record(code), clusters, 4);
}

/** Maximum number of distributions of a code. */
export function maxClusters(code: i32): i32 {
  return load<i32>(record(code), 24);
}

/** Number of bits after the most significant one that are part of a token. */
export function topBits(code: i32): i32 {
  return load<i32>(record(code), 28);
}

/** Counts of each token in a context, u32 each. */
export function countsOf(code: i32, context: i32): usize {
  return load<usize>(record(code), 8) + rowBytes * context;
}

/** Map from contexts to distributions, u8 each. */
export function mapOf(code: i32): usize {
  return load<usize>(record(code), 12);
}

/** For each token of a distribution: its probability in 4096ths, and in the upper half its first state; u16 each. */
export function symbolsOf(code: i32, cluster: i32): usize {
  return load<usize>(record(code), 16) + rowBytes * cluster;
}

/** The states of a distribution, grouped by token, u16 each. */
export function reverseTableOf(code: i32, cluster: i32): usize {
  return load<usize>(record(code), 20) + reverseBytes * cluster;
}

/** Starts a code with this number of contexts, and clears its counts. */
export function beginCode(code: i32, contexts: i32, top: i32): void {
  const at = record(code);
  store<i32>(at, contexts, 0);
  store<i32>(at, 0, 4);
  store<i32>(at, top, 28);
  memory.fill(countsOf(code, 0), 0, rowBytes * contexts);
}

/** Counts the first tokens of the buffer. */
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
