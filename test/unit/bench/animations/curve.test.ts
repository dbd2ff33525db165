import { describe, expect, it } from 'vitest';
import { memoized, peerBytesAt, type Rated } from '../../../../bench/animations/curve.ts';

const rising: readonly Rated[] = [
  { bytes: 100, score: 40 },
  { bytes: 200, score: 60 },
  { bytes: 400, score: 70 },
  { bytes: 800, score: 80 },
  { bytes: 1600, score: 90 },
];

async function at(score: number) {
  const asked: number[] = [];
  const ratedAt = memoized(async (setting) => {
    asked.push(setting);
    const rated = rising[setting];
    if (!rated) throw new RangeError(`no setting ${setting}`);
    return rated;
  });
  return { ...(await peerBytesAt(score, rising.length, ratedAt)), asked };
}

describe('bytes of a peer at a score', () => {
  it('lie between those of the two settings beside it, by their logarithm', async () => {
    const { bytes, from } = await at(65);
    expect(bytes).toBeCloseTo(Math.sqrt(200 * 400), 6);
    expect(from).toBe('between');
  });

  it('are those of a setting that has this score', async () => {
    expect((await at(80)).bytes).toBeCloseTo(800, 6);
    expect(await at(90)).toMatchObject({ bytes: 1600, from: 'between' });
  });

  it('are those of its best setting where the result looks better than that', async () => {
    expect(await at(95)).toMatchObject({ bytes: 1600, from: 'best' });
  });

  it('are unknown where the result looks poorer than its poorest setting', async () => {
    expect(await at(39)).toMatchObject({ bytes: null, from: 'none' });
  });

  it('take no more codings than it needs to find the two', async () => {
    const { asked } = await at(75);
    expect(asked).toEqual([4, 1, 2, 3]);
  });
});
