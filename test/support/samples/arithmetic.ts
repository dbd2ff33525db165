/*
 * The renderers use + − × ÷ and the square root only. IEEE 754 rounds these correctly, so pictures
 * are the same to the bit on every machine; ECMAScript leaves sin, exp and pow to the engine.
 */

/** `value`, not below `low` and not above `high`. */
export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** From `a` (share 0) to `b` (share 1) on a straight line. */
export function mix(a: number, b: number, share: number): number {
  return a + (b - a) * share;
}

/** 0 up to `from`, 1 after `to`, and the cubic 3t² − 2t³ between them; falls when `to` < `from`. */
export function smoothstep(from: number, to: number, value: number): number {
  const t = clamp((value - from) / (to - from), 0, 1);
  return t * t * (3 - 2 * t);
}

/** The byte nearest to a share of 0 to 1. */
export function toByte(share: number): number {
  return clamp(Math.floor(share * 255 + 0.5), 0, 255);
}
