/** One picture coded once. */
export interface Point {
  /** SSIMULACRA2. */
  readonly score: number;
  readonly bytes: number;
  /** CPU time in milliseconds. */
  readonly time: number;
}

/**
 * Bytes or time at a score, between the two points beside it by their logarithm.
 *
 * @returns undefined where the points do not reach so low or so high
 */
export function atScore(
  points: readonly Point[],
  score: number,
  what: 'bytes' | 'time',
): number | undefined {
  const sorted = points.toSorted((a, b) => a.score - b.score);
  for (const [i, above] of sorted.entries()) {
    if (above.score === score) return above[what];
    const below = sorted[i - 1];
    if (!below || below.score > score || above.score < score) continue;
    const share = (score - below.score) / (above.score - below.score);
    return below[what] * (above[what] / below[what]) ** share;
  }
  return undefined;
}
