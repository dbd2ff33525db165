import { describe, expect, it } from 'vitest';
import type { Finished } from '../../../../../src/image/formats/format.ts';
import { scaleOf } from '../../../../../src/image/pipeline/target/scale.ts';
import { encodeWithin } from '../../../../../src/image/pipeline/target/within-bytes.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';

type Made = Parameters<typeof encodeWithin>[1];
type Asked = { readonly quality: number | 'lossless'; readonly isAutomatic?: boolean };

/** Trials of a sample that is a tenth of the picture, or about. */
const trials = [20, 40, 60, 80, 98].map((quality) => ({
  quality,
  score: 30 + 0.7 * quality,
  bytes: 1000 * 1.03 ** quality,
}));

function candidate(quality: number, floor = 10) {
  return {
    type: 'webp',
    quality,
    isAutomatic: true,
    goal: { target: 95, maxBytes: 100_000 },
    found: { trials, share: 10, floor },
  };
}

/** What is made of it, by what is asked for; and the qualities that were. */
function passes(
  make: (asked: Asked) => { readonly bytes: number; readonly exact?: boolean } | null,
  { first = 75, times = 9, score = null as number | null } = {},
) {
  const asked: (number | 'lossless')[] = [];
  const made: Finished[] = [];
  const passing: Made = {
    scale: scaleOf('webp'),
    *make(one) {
      const { quality } = one as unknown as Asked;
      asked.push(quality);
      const result = make(one as unknown as Asked);
      if (!result) return { kind: 'refused', reason: 'overloaded' };
      const finished: Finished = {
        kind: 'finished',
        bytes: new Uint8Array(result.bytes),
        quality: result.exact ? 'lossless' : quality,
        isComplete: true,
      };
      made.push(finished);
      return finished;
    },
    *scored() {
      return score;
    },
    mayRepeat: () => asked.length < times,
  };
  const outcome = runAtOnce(encodeWithin(candidate(first), passing));
  return { outcome, asked, made };
}

const lengthAt = (share: number) => (quality: number | 'lossless') =>
  Math.round(share * 1000 * 1.03 ** Number(quality));

describe('encodeWithin', () => {
  it.each([4, 8, 14, 30])(
    'uses most of the limit where the whole has %i times the sample',
    (share) => {
      const { outcome, asked, made } = passes(({ quality }) => ({
        bytes: lengthAt(share)(quality),
      }));
      if (outcome.kind !== 'finished') throw new Error(outcome.kind);
      expect(outcome.bytes.length).toBeLessThanOrEqual(100_000);
      // at 93 the target is reached
      const most = Math.min(100_000, lengthAt(share)(93));
      expect(outcome.bytes.length).toBeGreaterThan(0.93 * most);
      expect(asked.length).toBeLessThanOrEqual(4);
      const held = made.filter(({ bytes }) => !bytes.buffer.detached);
      expect(held).toEqual([outcome]);
    },
  );

  it('goes down to the floor, and says what that takes', () => {
    const { outcome, asked } = passes(({ quality }) => ({ bytes: 2 * lengthAt(100)(quality) }));
    expect(asked.at(-1)).toBe(10);
    expect(outcome).toEqual({
      kind: 'impossible',
      refusal: { kind: 'refused', reason: 'max-bytes', smallestBytes: 2 * lengthAt(100)(10) },
    });
  });

  it('has loss where what is kept of its own accord without any is too long', () => {
    const { outcome, asked } = passes(({ quality, isAutomatic }) =>
      isAutomatic ? { bytes: 120_000, exact: true } : { bytes: lengthAt(10)(quality) },
    );
    expect(asked.length).toBeGreaterThan(1);
    if (outcome.kind !== 'finished') throw new Error(outcome.kind);
    expect(outcome.quality).toEqual(expect.any(Number));
    expect(outcome.bytes.length).toBeGreaterThan(80_000);
  });

  it('goes down where a quality loses nothing even then, and finds the finest that fits', () => {
    const { outcome, asked } = passes(({ quality }) =>
      Number(quality) >= 70 ? { bytes: 120_000, exact: true } : { bytes: lengthAt(10)(quality) },
    );
    if (outcome.kind !== 'finished') throw new Error(outcome.kind);
    expect(outcome.quality).toBeGreaterThan(50);
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  it('keeps what it has where a finer one fails', () => {
    const { outcome, made } = passes(({ quality }) =>
      Number(quality) > 75 ? null : { bytes: 60_000 },
    );
    expect(outcome).toBe(made[0]);
  });

  it('ends where the whole is as good as it shall be, or there is no more time', () => {
    const short = () => ({ bytes: 20_000 });
    expect(passes(short, { score: 95 }).asked).toEqual([75]);
    expect(passes(short, { times: 1 }).asked).toEqual([75]);
    expect(passes(short, { score: 60 }).asked.length).toBeGreaterThan(1);
  });
});
