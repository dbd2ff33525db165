/**
 * Segments (RFC 6386 §9.3): up to four classes of macroblocks, each with a quantizer and a filter level, which replace
 * those of the frame or are added to them.
 */
import { readBit, readFlag, readNumber, readOptional } from './bool-decoder';

export const segmentCount: i32 = 4;

let isUsed: bool = false;
/** Whether macroblocks state their segment. */
let hasMap: bool = false;
let isAbsolute: bool = true;

/** Quantizers and filter levels, i32 for each segment. */
const quantizers: usize = memory.data(segmentCount * 4, 4);
const levels: usize = memory.data(segmentCount * 4, 4);
/** Probabilities of the nodes in the segment tree, one byte each. */
const nodes: usize = memory.data(4);

export function hasSegments(): bool {
  return isUsed;
}

/** Reads the segment settings from the frame header. */
export function readSegments(): void {
  isAbsolute = true;
  memory.fill(quantizers, 0, segmentCount << 2);
  memory.fill(levels, 0, segmentCount << 2);
  store<u32>(nodes, 0xffffffff);
  isUsed = readFlag();
  hasMap = isUsed && readFlag();
  if (!isUsed) return;
  if (readFlag()) {
    isAbsolute = readFlag();
    for (let i = 0; i < segmentCount; i += 1) store<i32>(quantizers + (i << 2), readOptional(7));
    for (let i = 0; i < segmentCount; i += 1) store<i32>(levels + (i << 2), readOptional(6));
  }
  if (!hasMap) return;
  for (let i = 0; i < 3; i += 1) {
    if (readFlag()) store<u8>(nodes + i, <u8>readNumber(8));
  }
}

/** Reads the segment of a macroblock (§10). Without a map, it is the first: a key frame has no earlier map. */
export function readSegment(): i32 {
  if (!hasMap) return 0;
  if (readBit(load<u8>(nodes))) return 2 + <i32>readBit(load<u8>(nodes, 2));
  return <i32>readBit(load<u8>(nodes, 1));
}

/** The quantizer index of a segment in a frame with index `base`; may be out of range. */
export function segmentQuantizer(i: i32, base: i32): i32 {
  return load<i32>(quantizers + (i << 2)) + (isAbsolute ? 0 : base);
}

/** The filter level of a segment in a frame with level `base`; may be out of range. */
export function segmentLevel(i: i32, base: i32): i32 {
  return load<i32>(levels + (i << 2)) + (isAbsolute ? 0 : base);
}
