/**
 * Converts records of macroblocks to the bits of the token partition (RFC 6386 §13), with the probabilities of the
 * frame.
 */
import { chroma, lumaRest, lumaWhole, secondOrder, secondOrderBlock } from '../vp8/coefficients';
import { even, listEnd, one, setListEnd } from './bool-encoder';
import { probabilitiesAt } from './chosen-probabilities';
import { contextOf } from './contexts';
import {
  extraCount,
  extraProbabilities,
  firstExtra,
  largeCategory,
  largeExtra,
  secondExtraHigh,
  secondExtraLow,
} from './extra-bits';
import {
  byBlockBit,
  headBytes,
  hugeMagnitude,
  largeMagnitude,
  lastBit,
  magnitudeMask,
  runShift,
  signBit,
} from './token-records';

/** End of the listed entries. */
let listed: usize = 0;

/**
 * Lists the bits of a record, whose macroblock must have tokens. Contexts are those of contexts.ts.
 * @returns the end of the record
 */
export function putRecord(record: usize): usize {
  const head = load<u32>(record);
  const isByBlock = (head & byBlockBit) !== 0;
  let next = record + headBytes;
  if (!isByBlock) next = putBlock(head, secondOrderBlock, secondOrder, 0, next);
  const type = isByBlock ? lumaWhole : lumaRest;
  const first = isByBlock ? 0 : 1;
  for (let n = 0; n < 16; n += 1) next = putBlock(head, n, type, first, next);
  for (let n = 16; n < 24; n += 1) next = putBlock(head, n, chroma, 0, next);
  return next;
}

function putBlock(head: u32, block: i32, type: i32, first: i32, from: usize): usize {
  listed = listEnd();
  const nodes = probabilitiesAt(type, first, contextOf(block));
  if (((head >> block) & 1) === 0) {
    put(load<u8>(nodes));
    setListEnd(listed);
    return from;
  }
  const end = putLevels(nodes, type, first, from);
  setListEnd(listed);
  return end;
}

/** Lists the levels of a block with levels, and its end. */
function putLevels(start: usize, type: i32, first: i32, from: usize): usize {
  let nodes = start;
  let n = first;
  while (true) {
    const token: u32 = load<u8>(from);
    from += 1;
    put(load<u8>(nodes) | one);
    for (let run = token >> runShift; run > 0; run -= 1) {
      put(load<u8>(nodes, 1));
      n += 1;
      nodes = probabilitiesAt(type, n, 0);
    }
    put(load<u8>(nodes, 1) | one);
    n += 1;
    let magnitude = token & magnitudeMask;
    if (magnitude === 1) {
      put(load<u8>(nodes, 2));
      nodes = probabilitiesAt(type, n, 1);
    } else {
      if (magnitude === 0) {
        magnitude = largeMagnitude + load<u8>(from);
        from += 1;
        if (magnitude === hugeMagnitude) {
          magnitude = load<u16>(from);
          from += 2;
        }
      }
      putMagnitude(nodes, magnitude);
      nodes = probabilitiesAt(type, n, 2);
    }
    put((token & signBit) !== 0 ? even | one : even);
    if ((token & lastBit) !== 0) break;
  }
  if (n < 16) put(load<u8>(nodes));
  return from;
}

function put(entry: u32): void {
  store<u16>(listed, <u16>entry);
  listed += 2;
}

/** Lists the magnitude of a level of at least 2 (§13.2). */
function putMagnitude(nodes: usize, magnitude: u32): void {
  put(load<u8>(nodes, 2) | one);
  if (magnitude > 4) {
    put(load<u8>(nodes, 3) | one);
    putCategory(nodes, magnitude);
    return;
  }
  put(load<u8>(nodes, 3));
  if (magnitude === 2) {
    put(load<u8>(nodes, 4));
    return;
  }
  put(load<u8>(nodes, 4) | one);
  put(load<u8>(nodes, 5) | (magnitude === 4 ? one : 0));
}

function putCategory(nodes: usize, magnitude: u32): void {
  if (magnitude <= 6) {
    put(load<u8>(nodes, 6));
    put(load<u8>(nodes, 7));
    putBit(magnitude - 5, firstExtra);
  } else if (magnitude <= 10) {
    put(load<u8>(nodes, 6));
    put(load<u8>(nodes, 7) | one);
    putBit((magnitude - 7) >> 1, secondExtraHigh);
    putBit((magnitude - 7) & 1, secondExtraLow);
  } else {
    put(load<u8>(nodes, 6) | one);
    putLargeCategory(nodes, magnitude);
  }
}

function putLargeCategory(nodes: usize, magnitude: u32): void {
  const category = largeCategory(magnitude);
  const high = category >> 1;
  putBit(high, load<u8>(nodes, 8));
  putBit(category & 1, load<u8>(nodes + high, 9));
  const extra = largeExtra(magnitude, category);
  const probabilities = extraProbabilities(category);
  const bits = extraCount(category);
  for (let i = 0; i < bits; i += 1) {
    putBit((extra >> (bits - 1 - i)) & 1, load<u8>(probabilities + i));
  }
}

function putBit(bit: u32, probability: u32): void {
  put((bit << 8) | probability);
}
