/**
 * Segments (RFC 6386 §9.3): up to four classes of macroblocks, each with a quantizer and a filter level, which replace
 * those of the frame or are added to them; the quantization steps and filter strengths that follow from these.
 */
import { readBit, readFlag, readNumber, readOptional, readSigned } from './bool-decoder';

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

function hasSegments(): bool {
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
function segmentQuantizer(i: i32, base: i32): i32 {
  return load<i32>(quantizers + (i << 2)) + (isAbsolute ? 0 : base);
}

/** The filter level of a segment in a frame with level `base`; may be out of range. */
function segmentLevel(i: i32, base: i32): i32 {
  return load<i32>(levels + (i << 2)) + (isAbsolute ? 0 : base);
}

// Quantization steps (RFC 6386 §9.6, §14.1): each segment has an index of 0 to 127 for luma AC coefficients; other
// kinds have indices relative to it.

/** Steps of DC coefficients by index. @internal */
export const dcSteps: usize = memory.data<u8>([
  4, 5, 6, 7, 8, 9, 10, 10, 11, 12, 13, 14, 15, 16, 17, 17, 18, 19, 20, 20, 21, 21, 22, 22, 23, 23,
  24, 25, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 37, 38, 39, 40, 41, 42, 43, 44, 45,
  46, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68,
  69, 70, 71, 72, 73, 74, 75, 76, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 91, 93,
  95, 96, 98, 100, 101, 102, 104, 106, 108, 110, 112, 114, 116, 118, 122, 124, 126, 128, 130, 132,
  134, 136, 138, 140, 143, 145, 148, 151, 154, 157,
]);

/** Steps of AC coefficients by index. @internal */
export const acSteps: usize = memory.data<u16>([
  4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
  30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53,
  54, 55, 56, 57, 58, 60, 62, 64, 66, 68, 70, 72, 74, 76, 78, 80, 82, 84, 86, 88, 90, 92, 94, 96,
  98, 100, 102, 104, 106, 108, 110, 112, 114, 116, 119, 122, 125, 128, 131, 134, 137, 140, 143, 146,
  149, 152, 155, 158, 161, 164, 167, 170, 173, 177, 181, 185, 189, 193, 197, 201, 205, 209, 213,
  217, 221, 225, 229, 234, 239, 245, 249, 254, 259, 264, 269, 274, 279, 284,
]);

/** The six steps of each segment, i32 each. */
const steps: usize = memory.data(segmentCount * 32, 4);

/* Offsets of the steps of a kind: the step for DC, followed by that for AC. */
export const lumaSteps: usize = 0;
export const secondOrderSteps: usize = 8;
export const chromaSteps: usize = 16;

/** Last index for the DC step of chroma, which is limited to 132. */
const lastChromaDc: i32 = 117;

/** The steps of a segment. */
export function stepsOf(segment: i32): usize {
  return steps + ((<usize>segment) << 5);
}

/** Reads the indices from the frame header, and looks up the steps of all segments. */
export function readQuantizers(): void {
  const base = readNumber(7);
  const lumaDc = readOptional(4);
  const secondDc = readOptional(4);
  const secondAc = readOptional(4);
  const chromaDc = readOptional(4);
  const chromaAc = readOptional(4);
  for (let i = 0; i < segmentCount; i += 1) {
    const index = hasSegments() ? segmentQuantizer(i, base) : base;
    const to = stepsOf(i);
    store<i32>(to, dcStep(index + lumaDc), lumaSteps);
    store<i32>(to, acStep(index), lumaSteps + 4);
    store<i32>(to, 2 * dcStep(index + secondDc), secondOrderSteps);
    store<i32>(to, secondOrderAcStep(index + secondAc), secondOrderSteps + 4);
    store<i32>(to, chromaDcStep(index + chromaDc), chromaSteps);
    store<i32>(to, acStep(index + chromaAc), chromaSteps + 4);
  }
}

/** The luma DC step; that of the second-order block is twice as large. Indices are clamped. */
export function dcStep(index: i32): i32 {
  return load<u8>(dcSteps + clamped(index));
}

/** The AC step of luma and chroma. */
export function acStep(index: i32): i32 {
  return load<u16>(acSteps + (clamped(index) << 1));
}

/** The AC step of the second-order block. */
export function secondOrderAcStep(index: i32): i32 {
  return max(8, (155 * acStep(index)) / 100);
}

/** The chroma DC step. */
export function chromaDcStep(index: i32): i32 {
  return dcStep(min(index, lastChromaDc));
}

function clamped(index: i32): i32 {
  return max(0, min(127, index));
}

// Strengths of the loop filter, by segment and by whether 4 × 4 blocks are predicted separately (RFC 6386 §9.3, §9.6,
// §15.2 to §15.4).

/** Filter type of the frame. */
export const noFilter: i32 = 0;
export const simpleFilter: i32 = 1;
export const normalFilter: i32 = 2;
export let filterKind: i32 = 0;

let level: i32 = 0;
let sharpness: i32 = 0;
/** Delta of the level for intra-coded macroblocks, which all are in a key frame. */
let intraDelta: i32 = 0;
/** Additional delta if blocks are predicted separately. */
let blockDelta: i32 = 0;

/** Strengths of four bytes, for each segment and each of both kinds of prediction. */
const strengths: usize = memory.data(segmentCount * 8, 4);

/* Offsets of the fields of a strength. */

/** Limit of the difference across an inner edge; 0 if nothing is filtered. */
export const edgeLimit: usize = 0;
/** Limit of differences on either side of an edge. */
export const innerLimit: usize = 1;
/** Difference next to the edge above which the variance is high. */
export const varianceLimit: usize = 2;
/** Whether inner edges are filtered, too; set by the caller. */
export const hasInnerEdges: usize = 3;

/** The strength for a macroblock, as four bytes. */
export function strengthOf(segment: i32, isByBlock: bool): u32 {
  return load<u32>(strengths + ((<usize>segment) << 3) + ((<usize>isByBlock) << 2));
}

/** Reads the filter settings from the frame header. */
export function readFilter(): void {
  const isSimple = readFlag();
  level = readNumber(6);
  sharpness = readNumber(3);
  filterKind = level === 0 ? noFilter : isSimple ? simpleFilter : normalFilter;
  intraDelta = 0;
  blockDelta = 0;
  if (readFlag() && readFlag()) readDeltas();
}

/** Reads four deltas by reference frame and four by mode; key frames use the first of each. */
function readDeltas(): void {
  for (let i = 0; i < 8; i += 1) {
    if (!readFlag()) continue;
    const delta = readSigned(6);
    if (i === 0) intraDelta = delta;
    if (i === 4) blockDelta = delta;
  }
}

/** Computes the strengths of all segments. */
export function prepareStrengths(): void {
  for (let i = 0; i < segmentCount; i += 1) {
    const base = (hasSegments() ? segmentLevel(i, level) : level) + intraDelta;
    store<u32>(strengths + (i << 3), strength(base));
    store<u32>(strengths + (i << 3), strength(base + blockDelta), 4);
  }
}

function strength(unclamped: i32): u32 {
  const own = max(0, min(63, unclamped));
  if (own === 0) return 0;
  let inner = own;
  if (sharpness > 0) inner = min(own >> (sharpness > 4 ? 2 : 1), 9 - sharpness);
  inner = max(1, inner);
  const variance = own >= 40 ? 2 : own >= 15 ? 1 : 0;
  return (2 * own + inner) | (inner << 8) | (variance << 16);
}
