/** Distances to four points side by side, and the smallest of four values. */

/** @returns the lane of `where` in which `values` is least, the first of equals */
export function leastWhere(values: v128, where: v128): i32 {
  let least = f32x4.extract_lane(values, 0);
  let found = i32x4.extract_lane(where, 0);
  if (f32x4.extract_lane(values, 1) < least) {
    least = f32x4.extract_lane(values, 1);
    found = i32x4.extract_lane(where, 1);
  }
  if (f32x4.extract_lane(values, 2) < least) {
    least = f32x4.extract_lane(values, 2);
    found = i32x4.extract_lane(where, 2);
  }
  return f32x4.extract_lane(values, 3) < least ? i32x4.extract_lane(where, 3) : found;
}

/**
 * Squared distances of a point to four others.
 * @param p0 the point's first coordinate in all lanes, and so on
 * @param at the four points' coordinates by axis, 4 × f32x4
 */
export function fourDistances(p0: v128, p1: v128, p2: v128, p3: v128, at: usize): v128 {
  const d0 = f32x4.sub(p0, v128.load(at));
  const d1 = f32x4.sub(p1, v128.load(at, 16));
  const d2 = f32x4.sub(p2, v128.load(at, 32));
  const d3 = f32x4.sub(p3, v128.load(at, 48));
  return f32x4.add(
    f32x4.add(f32x4.mul(d0, d0), f32x4.mul(d1, d1)),
    f32x4.add(f32x4.mul(d2, d2), f32x4.mul(d3, d3)),
  );
}
