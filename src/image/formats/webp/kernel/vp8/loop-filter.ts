/**
 * The loop filters for one edge, on sixteen samples along it at a time (RFC 6386 §15). The rows p3 … p0 before the edge
 * and q0 … q3 after it are `stride` bytes apart; vertical edges are transposed first.
 *
 * Samples with inverted top bits are the signed values of the specification; saturating arithmetic does its clamping.
 */

/** Applies the simple filter to an edge between macroblocks or blocks (§15.2). */
export function filterSimply(q0At: usize, stride: usize, edgeLimit: i32): void {
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
export function filterMacroblockEdge(
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
export function filterBlockEdge(
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
