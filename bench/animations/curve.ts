/** A file by what it takes and how it looks. */
export interface Rated {
  readonly bytes: number;
  /** SSIMULACRA2, the mean of its pictures. */
  readonly score: number;
}

/** What a peer takes to look as good as a result. */
export interface PeerBytes {
  /** Null: it has nothing that looks as poor. */
  readonly bytes: number | null;
  /**
   * `between`: two of its settings; `best`: its best setting, since the result looks better than that, so that the
   * peer has the advantage; `none`: even its poorest setting looks better.
   */
  readonly from: 'between' | 'best' | 'none';
}

/**
 * Bytes of a peer at a score, between the two settings beside it by their logarithm. Of settings that rise in quality,
 * no more are made and scored than it takes to find these two.
 *
 * @param ratedAt what the setting of this number comes to; asked for more than once
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

/** Answers that have been given are given again. */
export function remembered<Value>(make: (key: number) => Promise<Value>) {
  const known = new Map<number, Promise<Value>>();
  return (key: number): Promise<Value> => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}
