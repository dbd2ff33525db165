/** Points of a measured curve: ascending positions, each with its value. */
export type Curve = readonly (readonly [at: number, value: number])[];

/** The value of a curve between its points; beyond its ends, that of the end. */
export function interpolated(curve: Curve, at: number): number {
  let [from, low] = curve[0] ?? [0, 0];
  for (const [to, high] of curve) {
    if (at <= to) return to === from ? high : low + ((high - low) * (at - from)) / (to - from);
    [from, low] = [to, high];
  }
  return low;
}
