/**
 * Strengths of the loop filter, by segment and by whether 4 × 4 blocks are predicted separately (RFC 6386 §9.3, §9.6,
 * §15.2 to §15.4).
 */
import { readFlag, readNumber, readSigned } from './bool-decoder';
import { hasSegments, segmentCount, segmentLevel } from './segments';

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
