/**
 * Applies the loop filter to a row of macroblocks (RFC 6386 §15): for each one the left edge, the inner vertical edges,
 * the top edge, and the inner horizontal edges. Vertical edges are transposed.
 */
import {
  bytesHigh,
  bytesLow,
  interleavedHigh,
  interleavedLow,
  wordsHigh,
  wordsLow,
} from '../../../../wasm/assembly/lanes';
import { allocate } from '../../../../wasm/assembly/memory';
import { chromaStride, chromaU, chromaV, luma, lumaStride } from './sample-rows';
import {
  edgeLimit,
  filterKind,
  hasInnerEdges,
  innerLimit,
  simpleFilter,
  varianceLimit,
} from './segments';

/** Filter strength of each macroblock in the row. */
let strengths: usize = 0;
let across: i32 = 0;

/** Difference between the limits of macroblock edges and of inner edges. */
const outerExtra: i32 = 4;

/** Transposed columns of sixteen samples: eight before the left edge, and sixteen after it. */
const transposed: usize = memory.data(24 * 16, 16);
/** Bytes from one row to the next in `transposed` and `joined`. */
const scratchStride: usize = 16;
const transposedEdge: usize = transposed + 8 * scratchStride;

/** Rows with U and V side by side: four above the top edge, and eight below it. */
const joined: usize = memory.data(12 * 16, 16);
const joinedEdge: usize = joined + 4 * scratchStride;

/** Allocates the strengths for this number of macroblocks; returns false if there is no memory. */
export function allocateFilter(macroblocks: i32): bool {
  across = macroblocks;
  strengths = allocate((<usize>macroblocks) << 2);
  return strengths !== 0;
}

/** Sets the strength of macroblock `x`, see `strengthOf`. */
export function setStrength(x: i32, strength: u32, inner: bool): void {
  const at = strengths + ((<usize>x) << 2);
  store<u32>(at, strength);
  store<u8>(at, inner ? 1 : 0, hasInnerEdges);
}

/** Filters the row; `isFirst`: whether it is the top row. */
export function filterRow(isFirst: bool): void {
  for (let x = 0; x < across; x += 1) {
    const strength = strengths + ((<usize>x) << 2);
    if (load<u8>(strength, edgeLimit) === 0) continue;
    const at = luma + ((<usize>x) << 4);
    if (filterKind === simpleFilter) {
      filterMacroblockSimply(at, strength, x > 0, !isFirst);
    } else {
      filterLuma(at, strength, x > 0, !isFirst);
      const offset = (<usize>x) << 3;
      filterChroma(chromaU + offset, chromaV + offset, strength, x > 0, !isFirst);
    }
  }
}

function filterMacroblockSimply(at: usize, strength: usize, hasLeft: bool, hasAbove: bool): void {
  const limit: i32 = load<u8>(strength, edgeLimit);
  const inner = load<u8>(strength, hasInnerEdges) !== 0;
  if (hasLeft || inner) {
    transposeLuma(at, hasLeft);
    if (hasLeft) filterSimply(transposedEdge, scratchStride, limit + outerExtra);
    if (inner) filterSimplyWithin(transposedEdge, scratchStride, limit);
    transposeLumaBack(at, hasLeft, inner);
  }
  if (hasAbove) filterSimply(at, lumaStride, limit + outerExtra);
  if (inner) filterSimplyWithin(at, lumaStride, limit);
}

function filterSimplyWithin(at: usize, stride: usize, limit: i32): void {
  for (let i = 4; i < 16; i += 4) filterSimply(at + stride * i, stride, limit);
}

function filterLuma(at: usize, strength: usize, hasLeft: bool, hasAbove: bool): void {
  const inner = load<u8>(strength, hasInnerEdges) !== 0;
  if (hasLeft || inner) {
    transposeLuma(at, hasLeft);
    filterEdges(transposedEdge, scratchStride, strength, hasLeft, inner, 16);
    transposeLumaBack(at, hasLeft, inner);
  }
  filterEdges(at, lumaStride, strength, hasAbove, inner, 16);
}

function transposeLuma(at: usize, hasLeft: bool): void {
  const lower = at + 8 * lumaStride;
  if (hasLeft) gatherColumns(at - 8, lower - 8, lumaStride, transposed);
  gatherColumns(at, lower, lumaStride, transposedEdge);
  gatherColumns(at + 8, lower + 8, lumaStride, transposedEdge + 8 * scratchStride);
}

/** Transposes columns back; those after the eighth have changed only if inner edges were filtered. */
function transposeLumaBack(at: usize, hasLeft: bool, inner: bool): void {
  const lower = at + 8 * lumaStride;
  if (hasLeft) scatterColumns(transposed, at - 8, lower - 8, lumaStride);
  scatterColumns(transposedEdge, at, lower, lumaStride);
  if (inner) scatterColumns(transposedEdge + 8 * scratchStride, at + 8, lower + 8, lumaStride);
}

function filterChroma(u: usize, v: usize, strength: usize, hasLeft: bool, hasAbove: bool): void {
  const inner = load<u8>(strength, hasInnerEdges) !== 0;
  if (hasLeft || inner) {
    if (hasLeft) gatherColumns(u - 8, v - 8, chromaStride, transposed);
    gatherColumns(u, v, chromaStride, transposedEdge);
    filterEdges(transposedEdge, scratchStride, strength, hasLeft, inner, 8);
    if (hasLeft) scatterColumns(transposed, u - 8, v - 8, chromaStride);
    scatterColumns(transposedEdge, u, v, chromaStride);
  }
  if (!hasAbove && !inner) return;
  joinRows(u, v);
  filterEdges(joinedEdge, scratchStride, strength, hasAbove, inner, 8);
  separateRows(u, v);
}

/** Filters the first edge of a macroblock and the inner ones, for samples with `size` rows after the first edge. */
function filterEdges(
  at: usize,
  stride: usize,
  strength: usize,
  outer: bool,
  inner: bool,
  size: i32,
): void {
  const limit: i32 = load<u8>(strength, edgeLimit);
  const within: i32 = load<u8>(strength, innerLimit);
  const variance: i32 = load<u8>(strength, varianceLimit);
  if (outer) filterMacroblockEdge(at, stride, limit + outerExtra, within, variance);
  if (!inner) return;
  for (let i = 4; i < size; i += 4) {
    filterBlockEdge(at + stride * i, stride, limit, within, variance);
  }
}

function joinRows(u: usize, v: usize): void {
  let from = 4 * chromaStride;
  for (let to = joined; to < joined + 12 * scratchStride; to += scratchStride) {
    store<u64>(to, load<u64>(u - from));
    store<u64>(to, load<u64>(v - from), 8);
    from -= chromaStride;
  }
}

function separateRows(u: usize, v: usize): void {
  let to = 4 * chromaStride;
  for (let from = joined; from < joined + 12 * scratchStride; from += scratchStride) {
    store<u64>(u - to, load<u64>(from));
    store<u64>(v - to, load<u64>(from, 8));
    to -= chromaStride;
  }
}

// The loop filters for one edge, on sixteen samples along it at a time (RFC 6386 §15). The rows p3 … p0 before the edge
// and q0 … q3 after it are `stride` bytes apart; vertical edges are transposed first.
//
// Samples with inverted top bits are the signed values of the specification; saturating arithmetic does its clamping.

/** Applies the simple filter to an edge between macroblocks or blocks (§15.2). */
function filterSimply(q0At: usize, stride: usize, edgeLimit: i32): void {
  const p1 = v128.load(q0At - 2 * stride);
  const p0 = v128.load(q0At - stride);
  const q0 = v128.load(q0At);
  const q1 = v128.load(q0At + stride);
  const isSmooth = hasSmallStep(p1, p0, q0, q1, edgeLimit);
  const change = v128.and(commonChange(signed(p1), signed(p0), signed(q0), signed(q1)), isSmooth);
  storeInner(q0At, stride, p0, q0, shareOfP(change), shareOfQ(change));
}

/**
 * Filters an edge between macroblocks (§15.3).
 *
 * @param edgeLimit limit of the difference across the edge
 * @param innerLimit limit of all other differences
 * @param varianceLimit limit of the differences next to the edge, above which only two samples change
 */
function filterMacroblockEdge(
  q0At: usize,
  stride: usize,
  edgeLimit: i32,
  innerLimit: i32,
  varianceLimit: i32,
): void {
  const p2 = v128.load(q0At - 3 * stride);
  const p1 = v128.load(q0At - 2 * stride);
  const p0 = v128.load(q0At - stride);
  const q0 = v128.load(q0At);
  const q1 = v128.load(q0At + stride);
  const q2 = v128.load(q0At + 2 * stride);
  const isSmooth = v128.and(
    hasSmallStep(p1, p0, q0, q1, edgeLimit),
    hasSmallSteps(
      v128.load(q0At - 4 * stride),
      p2,
      p1,
      p0,
      q0,
      q1,
      q2,
      v128.load(q0At + 3 * stride),
      innerLimit,
    ),
  );
  const isVaried = hasHighVariance(p1, p0, q0, q1, varianceLimit);
  const change = v128.and(commonChange(signed(p1), signed(p0), signed(q0), signed(q1)), isSmooth);

  const narrow = v128.and(change, isVaried);
  const wide = v128.andnot(change, isVaried);
  const low = i16x8.mul(i16x8.extend_low_i8x16_s(wide), i16x8.splat(9));
  const high = i16x8.mul(i16x8.extend_high_i8x16_s(wide), i16x8.splat(9));
  const half = i16x8.splat(63);
  const low3 = i16x8.add(low, half);
  const high3 = i16x8.add(high, half);
  const low2 = i16x8.add(low3, low);
  const high2 = i16x8.add(high3, high);
  const low1 = i16x8.add(low2, low);
  const high1 = i16x8.add(high2, high);
  storePair(q0At - 3 * stride, q0At + 2 * stride, p2, q2, in128ths(low3, high3));
  storePair(q0At - 2 * stride, q0At + stride, p1, q1, in128ths(low2, high2));
  // One of the two changes is 0.
  const both = in128ths(low1, high1);
  storeInner(
    q0At,
    stride,
    p0,
    q0,
    v128.or(both, shareOfP(narrow)),
    v128.or(both, shareOfQ(narrow)),
  );
}

/** Filters an edge between blocks within a macroblock (§15.3); see `filterMacroblockEdge`. */
function filterBlockEdge(
  q0At: usize,
  stride: usize,
  edgeLimit: i32,
  innerLimit: i32,
  varianceLimit: i32,
): void {
  const p1 = v128.load(q0At - 2 * stride);
  const p0 = v128.load(q0At - stride);
  const q0 = v128.load(q0At);
  const q1 = v128.load(q0At + stride);
  const isSmooth = v128.and(
    hasSmallStep(p1, p0, q0, q1, edgeLimit),
    hasSmallSteps(
      v128.load(q0At - 4 * stride),
      v128.load(q0At - 3 * stride),
      p1,
      p0,
      q0,
      q1,
      v128.load(q0At + 2 * stride),
      v128.load(q0At + 3 * stride),
      innerLimit,
    ),
  );
  const isVaried = hasHighVariance(p1, p0, q0, q1, varianceLimit);
  const outer = v128.and(i8x16.sub_sat_s(signed(p1), signed(q1)), isVaried);
  const change = v128.and(withStep(outer, signed(p0), signed(q0)), isSmooth);
  const ofQ = shareOfQ(change);
  storeInner(q0At, stride, p0, q0, shareOfP(change), ofQ);
  const half = v128.andnot(halves(ofQ), isVaried);
  storePair(q0At - 2 * stride, q0At + stride, p1, q1, half);
}

/** Converts samples to signed values, or back. */
function signed(samples: v128): v128 {
  return v128.xor(samples, i8x16.splat(-128));
}

function difference(a: v128, b: v128): v128 {
  return v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a));
}

/** Mask: 2 |p0 − q0| + |p1 − q1| / 2 is within the limit. */
function hasSmallStep(p1: v128, p0: v128, q0: v128, q1: v128, limit: i32): v128 {
  const near = difference(p0, q0);
  const far = i8x16.shr_u(difference(p1, q1), 1);
  const step = i8x16.add_sat_u(i8x16.add_sat_u(near, near), far);
  return i8x16.eq(i8x16.sub_sat_u(step, i8x16.splat(<i8>limit)), i8x16.splat(0));
}

/** Mask: all differences on both sides are within the limit. */
function hasSmallSteps(
  p3: v128,
  p2: v128,
  p1: v128,
  p0: v128,
  q0: v128,
  q1: v128,
  q2: v128,
  q3: v128,
  limit: i32,
): v128 {
  const ofP = i8x16.max_u(i8x16.max_u(difference(p3, p2), difference(p2, p1)), difference(p1, p0));
  const ofQ = i8x16.max_u(i8x16.max_u(difference(q3, q2), difference(q2, q1)), difference(q1, q0));
  const largest = i8x16.max_u(ofP, ofQ);
  return i8x16.eq(i8x16.sub_sat_u(largest, i8x16.splat(<i8>limit)), i8x16.splat(0));
}

/** Mask: a difference next to the edge exceeds the limit. */
function hasHighVariance(p1: v128, p0: v128, q0: v128, q1: v128, limit: i32): v128 {
  const largest = i8x16.max_u(difference(p1, p0), difference(q1, q0));
  return i8x16.gt_u(largest, i8x16.splat(<i8>limit));
}

/** p1 − q1 + 3 (q0 − p0), clamped. */
function commonChange(p1: v128, p0: v128, q0: v128, q1: v128): v128 {
  return withStep(i8x16.sub_sat_s(p1, q1), p0, q0);
}

/** Adds 3 (q0 − p0). Clamping each of the additions equals clamping once, because the sum changes in one direction. */
function withStep(change: v128, p0: v128, q0: v128): v128 {
  const step = i8x16.sub_sat_s(q0, p0);
  return i8x16.add_sat_s(i8x16.add_sat_s(i8x16.add_sat_s(change, step), step), step);
}

/** (change + 3) / 8, rounded down: added to p0. */
function shareOfP(change: v128): v128 {
  return i8x16.shr_s(i8x16.add_sat_s(change, i8x16.splat(3)), 3);
}

/** (change + 4) / 8, rounded down: subtracted from q0. */
function shareOfQ(change: v128): v128 {
  return i8x16.shr_s(i8x16.add_sat_s(change, i8x16.splat(4)), 3);
}

/** Stores p0 and q0 with their changes. */
function storeInner(q0At: usize, stride: usize, p0: v128, q0: v128, ofP: v128, ofQ: v128): void {
  v128.store(q0At - stride, signed(i8x16.add_sat_s(signed(p0), ofP)));
  v128.store(q0At, signed(i8x16.sub_sat_s(signed(q0), ofQ)));
}

/** Adds a change on one side of the edge, and subtracts it on the other. */
function storePair(pAt: usize, qAt: usize, p: v128, q: v128, change: v128): void {
  v128.store(pAt, signed(i8x16.add_sat_s(signed(p), change)));
  v128.store(qAt, signed(i8x16.sub_sat_s(signed(q), change)));
}

/** Half of each value, rounded up. */
function halves(values: v128): v128 {
  return i8x16.shr_s(i8x16.add(values, i8x16.splat(1)), 1);
}

/** Both halves of a vector with 27, 18 or 9 times a change plus 63, divided by 128. */
function in128ths(low: v128, high: v128): v128 {
  return i8x16.narrow_i16x8_s(i16x8.shr_s(low, 7), i16x8.shr_s(high, 7));
}

// Transposes columns of samples to rows and back, so that row operations can be applied to columns.

/**
 * Transposes 16 × 8 samples.
 *
 * @param upper the first of eight rows, `stride` bytes apart
 * @param lower the first of eight further rows
 * @param to destination for eight columns of 16 bytes
 */
function gatherColumns(upper: usize, lower: usize, stride: usize, to: usize): void {
  const rows01 = rowPair(upper, stride);
  const rows23 = rowPair(upper + 2 * stride, stride);
  const rows45 = rowPair(upper + 4 * stride, stride);
  const rows67 = rowPair(upper + 6 * stride, stride);
  const rows89 = rowPair(lower, stride);
  const rowsAB = rowPair(lower + 2 * stride, stride);
  const rowsCD = rowPair(lower + 4 * stride, stride);
  const rowsEF = rowPair(lower + 6 * stride, stride);
  gatherFour(
    interleavedLow(rows01, rows23),
    interleavedLow(rows45, rows67),
    interleavedLow(rows89, rowsAB),
    interleavedLow(rowsCD, rowsEF),
    to,
  );
  gatherFour(
    interleavedHigh(rows01, rows23),
    interleavedHigh(rows45, rows67),
    interleavedHigh(rows89, rowsAB),
    interleavedHigh(rowsCD, rowsEF),
    to + 64,
  );
}

/** Two rows of eight bytes, interleaved. */
function rowPair(at: usize, stride: usize): v128 {
  return bytesLow(v128.load64_zero(at), v128.load64_zero(at + stride));
}

/** Gathers four columns from vectors with four rows each. */
function gatherFour(first: v128, second: v128, third: v128, fourth: v128, to: usize): void {
  const upperLow = wordsLow(first, second);
  const upperHigh = wordsHigh(first, second);
  const lowerLow = wordsLow(third, fourth);
  const lowerHigh = wordsHigh(third, fourth);
  v128.store(to, i64x2.shuffle(upperLow, lowerLow, 0, 2));
  v128.store(to, i64x2.shuffle(upperLow, lowerLow, 1, 3), 16);
  v128.store(to, i64x2.shuffle(upperHigh, lowerHigh, 0, 2), 32);
  v128.store(to, i64x2.shuffle(upperHigh, lowerHigh, 1, 3), 48);
}

/** Writes eight columns of 16 bytes back to the places from which `gatherColumns` read them. */
function scatterColumns(from: usize, upper: usize, lower: usize, stride: usize): void {
  const a = v128.load(from);
  const b = v128.load(from, 16);
  const c = v128.load(from, 32);
  const d = v128.load(from, 48);
  const e = v128.load(from, 64);
  const f = v128.load(from, 80);
  const g = v128.load(from, 96);
  const h = v128.load(from, 112);
  scatterRows(bytesLow(a, b), bytesLow(c, d), bytesLow(e, f), bytesLow(g, h), upper, stride);
  scatterRows(bytesHigh(a, b), bytesHigh(c, d), bytesHigh(e, f), bytesHigh(g, h), lower, stride);
}

/** Scatters eight rows from vectors with two columns each. */
function scatterRows(ab: v128, cd: v128, ef: v128, gh: v128, to: usize, stride: usize): void {
  scatterFour(interleavedLow(ab, cd), interleavedLow(ef, gh), to, stride);
  scatterFour(interleavedHigh(ab, cd), interleavedHigh(ef, gh), to + 4 * stride, stride);
}

function scatterFour(left: v128, right: v128, to: usize, stride: usize): void {
  const first = wordsLow(left, right);
  const second = wordsHigh(left, right);
  v128.store64_lane(to, first, 0);
  v128.store64_lane(to + stride, first, 1);
  v128.store64_lane(to + 2 * stride, second, 0);
  v128.store64_lane(to + 3 * stride, second, 1);
}
