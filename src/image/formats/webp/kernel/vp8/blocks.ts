/** Loads and stores blocks of 4 × 4 samples, which fit into a vector, in planes. */

/** @returns the block in rows */
export function loadBlock(at: usize, stride: usize): v128 {
  let block = v128.load32_zero(at);
  block = v128.load32_lane(at + stride, block, 1);
  block = v128.load32_lane(at + 2 * stride, block, 2);
  return v128.load32_lane(at + 3 * stride, block, 3);
}

export function storeBlock(at: usize, stride: usize, block: v128): void {
  v128.store32_lane(at, block, 0);
  v128.store32_lane(at + stride, block, 1);
  v128.store32_lane(at + 2 * stride, block, 2);
  v128.store32_lane(at + 3 * stride, block, 3);
}
