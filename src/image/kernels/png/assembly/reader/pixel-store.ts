/**
 * Stores the lowest `step` bytes, 8 at most, of a vector. The pixel behind it may be overwritten,
 * but none further on.
 */
export function storePixel(to: usize, pixel: v128, step: usize): void {
  if (step > 4) v128.store64_lane(to, pixel, 0);
  else v128.store32_lane(to, pixel, 0);
}
