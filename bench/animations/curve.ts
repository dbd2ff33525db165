/** Size and visual score of a file. */
export interface Rated {
  readonly bytes: number;
  /** SSIMULACRA2, averaged over the pictures of the file. */
  readonly score: number;
}

/** The bytes that a peer needs to match the score of a result. */
export interface PeerBytes {
  /** Null if even the peer's poorest setting looks better. */
  readonly bytes: number | null;
  /**
   * `between`: interpolated between two settings of the peer; `best`: the peer's best setting, because the result looks
   * even better, which favors the peer; `none`: even its poorest setting looks better.
   */
  readonly from: 'between' | 'best' | 'none';
}

/**
 * Bytes of a peer at a score, interpolated between the two adjacent settings by the logarithm of bytes. Settings are in
 * order of rising quality, and a binary search codes and scores no more of them than necessary.
 *
 * @param ratedAt codes and scores the setting with this index; may be called repeatedly for the same index
 */
export async function peerBytesAt(
  score: number,
  count: number,
  ratedAt: (setting: number) => Promise<Rated>,
): Promise<PeerBytes> {
  let low: Rated | undefined;
  let high = await ratedAt(count - 1);
  if (score >= high.score)
    return { bytes: high.bytes, from: score > high.score ? 'best' : 'between' };
  let [from, to] = [-1, count - 1];
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    const rated = await ratedAt(middle);
    if (rated.score <= score) [from, low] = [middle, rated];
    else [to, high] = [middle, rated];
  }
  if (!low) return { bytes: null, from: 'none' };
  const share = (score - low.score) / (high.score - low.score);
  return { bytes: low.bytes * (high.bytes / low.bytes) ** share, from: 'between' };
}

/** Memoizes a function of a number. */
export function memoized<Value>(make: (key: number) => Promise<Value>) {
  const known = new Map<number, Promise<Value>>();
  return (key: number): Promise<Value> => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}
