import { describe, expect, it } from 'vitest';
import { cpuMsBefore, inOrder } from '../../../src/policy/turns.ts';

const work = (account: string, cpuMs: number) => ({ account, cpuMs });
const never = new Map<string, number>();

describe('the order of turns', () => {
  it('goes round the accounts, and takes the shortest work of each first', () => {
    const waiting = [
      work('ann', 30),
      work('ann', 10),
      work('ann', 20),
      work('bob', 500),
      work('cid', 1),
      work('cid', 2),
    ];
    expect(inOrder(waiting, never)).toEqual([
      work('ann', 10),
      work('bob', 500),
      work('cid', 1),
      work('ann', 20),
      work('cid', 2),
      work('ann', 30),
    ]);
  });

  it('begins with whoever has not had a turn for longest', () => {
    const latest = new Map([
      ['ann', 3],
      ['bob', 1],
    ]);
    const waiting = [work('ann', 1), work('bob', 2), work('cid', 3)];
    expect(inOrder(waiting, latest).map(({ account }) => account)).toEqual(['cid', 'bob', 'ann']);
  });

  it('lets who came first go first where all else is alike', () => {
    const waiting = [work('ann', 5), work('ann', 5), work('bob', 5)];
    const [first, second] = waiting;
    expect(inOrder(waiting, never)[0]).toBe(first);
    expect(inOrder(waiting, never)[2]).toBe(second);
  });

  it('is empty where nobody waits', () => {
    expect(inOrder([], never)).toEqual([]);
  });
});

describe('the work before a newcomer', () => {
  const crowd = [work('ann', 20_000), work('ann', 20_000), work('ann', 20_000), work('bob', 300)];

  it('is one turn of each other account, for the first of its own', () => {
    expect(cpuMsBefore(work('cid', 100), crowd, never)).toBe(20_300);
    const latest = new Map([['ann', 7]]);
    expect(cpuMsBefore(work('cid', 100), crowd, latest)).toBe(300);
  });

  it('is all shorter work of its own account, and a turn of the others for each of that', () => {
    expect(cpuMsBefore(work('ann', 10), crowd, never)).toBe(0);
    expect(cpuMsBefore(work('ann', 20_000), crowd, never)).toBe(60_300);
    expect(cpuMsBefore(work('bob', 400), crowd, never)).toBe(40_300);
  });
});
