/** The smallest of four values that were found side by side. */

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
