/**
 * Entropy coder: asymmetric numeral systems with 4096 states (ISO/IEC 18181-1 §C.2.2; Duda 2013). Writes distributions,
 * and tokens coded with them. Decoders read tokens forwards, so tokens are encoded from last to first, into a buffer
 * that is filled from its end.
 */
import { allocate } from '../../../wasm/assembly/memory';
import { makeClusters } from './clusters';
import {
  beginCode,
  clusterCount,
  contextCount,
  countTokens,
  mapCode,
  mapOf,
  maxGroupTokens,
  rawBitsOf,
  reverseTableOf,
  splitExponent,
  symbolsOf,
  tokenBuffer,
  tokenCount,
  tokenOf,
  topBits,
  valueBits,
  valueMask,
} from './entropy-code';
import { chooseFrequencies, stateBits, writeFrequencies } from './frequencies';
import { putBits, putWords } from './output';

/** log2 of the number of entries in an alias table, one per possible token. */
const tableBits: i32 = 6;
const entryBits: i32 = stateBits - tableBits;
const entrySize: i32 = 1 << entryBits;

/** Initial state of the encoder, and so final state of a decoder. */
const signature: u32 = 0x130000;

/** Buffer for the bits of a group, filled from the end: at most 32 per token. */
let scratch: usize = 0;
let scratchEnd: usize = 0;

/**
 * Allocates the buffers of the coder; returns false if there is no memory.
 * @param longest maximum number of tokens in a stream other than those of groups
 */
export function allocateAns(longest: i32): bool {
  const bytes = (<usize>max(longest, maxGroupTokens)) << 2;
  scratch = allocate(bytes);
  scratchEnd = scratch + bytes;
  return scratch !== 0;
}

/** Creates a code from the counted tokens, and writes it (§C.2.1). */
export function writeCode(code: i32): void {
  makeClusters(code);
  writeCodeHead(code);
  for (let cluster = 0; cluster < clusterCount(code); cluster += 1) {
    writeDistribution(code, cluster);
  }
}

/** Writes what precedes the distributions of a code whose contexts are clustered. */
export function writeCodeHead(code: i32): void {
  // No LZ77.
  putBits(0, 1);
  if (contextCount(code) > 1) writeContextMap(code);
  // No prefix codes; alphabets of 64 tokens.
  putBits(0, 1);
  putBits(tableBits - 5, 2);
  const top = topBits(code);
  for (let cluster = 0; cluster < clusterCount(code); cluster += 1) {
    putBits(splitExponent, 3);
    putBits(top, 3);
    putBits(0, bitsFor(splitExponent - top + 1));
  }
}

/** Chooses the probabilities of a cluster, and writes them; the clusters of a code must come in order. */
export function writeDistribution(code: i32, cluster: i32): void {
  chooseFrequencies(code, cluster);
  writeFrequencies();
  makeReverseTable(code, cluster);
}

/** ⌈log2⌉ of a number above 0. */
function bitsFor(count: i32): i32 {
  return 32 - clz(count - 1);
}

/** Writes the map from contexts to distributions (§C.2.1). */
function writeContextMap(code: i32): void {
  if (clusterCount(code) === 1) {
    // All contexts share the first distribution.
    putBits(1, 1);
    putBits(0, 2);
    return;
  }
  const contexts = contextCount(code);
  const map = mapOf(code);
  const buffer = tokenBuffer();
  for (let context = 0; context < contexts; context += 1) {
    store<u32>(buffer + ((<usize>context) << 2), load<u8>(map + context));
  }
  writeMap(contexts);
}

const recent: usize = memory.data(256);

/** Writes a map whose numbers are in the token buffer, with a move-to-front transform. */
export function writeMap(contexts: i32): void {
  const buffer = tokenBuffer();
  for (let number = 0; number < 256; number += 1) store<u8>(recent + number, <u8>number);
  for (let context = 0; context < contexts; context += 1) {
    const at = buffer + ((<usize>context) << 2);
    const number = <u8>load<u32>(at);
    let rank: usize = 0;
    while (load<u8>(recent + rank) !== number) rank += 1;
    memory.copy(recent + 1, recent, rank);
    store<u8>(recent, number);
    store<u32>(at, <u32>rank);
  }
  putBits(0, 1);
  putBits(1, 1);
  beginCode(mapCode, 1, 1);
  countTokens(mapCode, contexts);
  writeCode(mapCode);
  writeTokens(mapCode, contexts);
}

/**
 * Entries of the current alias table: the part of the token itself, the token that has the rest, and the offset of that
 * part.
 */
const cutoffs: usize = memory.data(256);
const others: usize = memory.data(64);
const offsets: usize = memory.data(256);
const underfull: usize = memory.data(256);
const overfull: usize = memory.data(256);

/**
 * Builds the table from offsets within a token to states: the inverse of the alias table with which decoders map states
 * (§C.2.6).
 */
function makeReverseTable(code: i32, cluster: i32): void {
  const symbols = symbolsOf(code, cluster);
  const states = reverseTableOf(code, cluster);
  for (let token = 0; token < tokenCount; token += 1) {
    if ((load<u32>(at(symbols, token)) & 0xffff) !== 1 << stateBits) continue;
    // A certain token does not change the state.
    for (let state = 0; state < 1 << stateBits; state += 1) {
      store<u16>(states + ((<usize>state) << 1), <u16>state);
    }
    return;
  }
  makeAliasTable(symbols);
  for (let state = 0; state < 1 << stateBits; state += 1) {
    const entry = state >> entryBits;
    const position = state & (entrySize - 1);
    const isOwn = position < load<i32>(at(cutoffs, entry));
    const token = isOwn ? entry : <i32>load<u8>(others + entry);
    const part = isOwn ? position : load<i32>(at(offsets, entry)) + position;
    const from = load<u32>(at(symbols, token)) >> 16;
    store<u16>(states + ((<usize>from + part) << 1), <u16>state);
  }
}

function at(words: usize, index: i32): usize {
  return words + ((<usize>index) << 2);
}

/** Builds the alias table: fills underfull entries from overfull ones, in the order given by the standard. */
function makeAliasTable(symbols: usize): void {
  let underfullCount = 0;
  let overfullCount = 0;
  for (let token = 0; token < tokenCount; token += 1) {
    const frequency = <i32>(load<u32>(at(symbols, token)) & 0xffff);
    store<i32>(at(cutoffs, token), frequency);
    if (frequency > entrySize) {
      store<i32>(at(overfull, overfullCount), token);
      overfullCount += 1;
    } else if (frequency < entrySize) {
      store<i32>(at(underfull, underfullCount), token);
      underfullCount += 1;
    }
  }
  while (overfullCount > 0) {
    overfullCount -= 1;
    underfullCount -= 1;
    const over = load<i32>(at(overfull, overfullCount));
    const under = load<i32>(at(underfull, underfullCount));
    const left = load<i32>(at(cutoffs, over)) - entrySize + load<i32>(at(cutoffs, under));
    store<i32>(at(cutoffs, over), left);
    store<u8>(others + under, <u8>over);
    store<i32>(at(offsets, under), left);
    if (left < entrySize) {
      store<i32>(at(underfull, underfullCount), over);
      underfullCount += 1;
    } else if (left > entrySize) {
      store<i32>(at(overfull, overfullCount), over);
      overfullCount += 1;
    }
  }
  for (let token = 0; token < tokenCount; token += 1) {
    const cutoff = load<i32>(at(cutoffs, token));
    if (cutoff < entrySize) store<i32>(at(offsets, token), load<i32>(at(offsets, token)) - cutoff);
  }
}

/** Writes the first tokens of the buffer with a code that has been written. */
export function writeTokens(code: i32, number: i32): void {
  const buffer = tokenBuffer();
  const map = mapOf(code);
  const symbols = symbolsOf(code, 0);
  const states = reverseTableOf(code, 0);
  const top = topBits(code);
  let state = signature;
  let bits: u64 = 0;
  let count = 0;
  let words = scratchEnd;
  for (let next = buffer + ((<usize>number) << 2); next > buffer; ) {
    next -= 4;
    const word = load<u32>(next);
    const value = word & valueMask;
    const cluster = <usize>load<u8>(map + (word >> valueBits));
    const token = tokenOf(value, top);
    const raw = rawBitsOf(token, top);
    bits = (bits << raw) | (value & ((1 << raw) - 1));
    count += raw;
    const symbol = load<u32>(symbols + (((cluster << 6) + token) << 2));
    const frequency = symbol & 0xffff;
    if (state >> (32 - stateBits) >= frequency) {
      bits = (bits << 16) | (state & 0xffff);
      count += 16;
      state >>= 16;
    }
    const part = state % frequency;
    const place = (cluster << stateBits) + (symbol >> 16) + part;
    state = ((state / frequency) << stateBits) | load<u16>(states + (place << 1));
    if (count >= 32) {
      words -= 4;
      count -= 32;
      store<u32>(words, <u32>(bits >> count));
      bits &= ((<u64>1) << count) - 1;
    }
  }
  putBits(state, 32);
  putBits(<u32>bits, count);
  putWords(words, scratchEnd);
}
