/** Points of four coordinates, f32x4. */

function horizontalSum(v: v128): f32 {
  const pairs = f32x4.add(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

export function dot(a: v128, b: v128): f32 {
  return horizontalSum(f32x4.mul(a, b));
}

export function squaredDistance(a: v128, b: v128): f32 {
  const difference = f32x4.sub(a, b);
  return horizontalSum(f32x4.mul(difference, difference));
}

export function squaredLength(v: v128): f32 {
  return horizontalSum(f32x4.mul(v, v));
}
