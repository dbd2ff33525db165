import { describe, expect, it } from 'vitest';
import type { Finished } from '../../../../../src/image/formats/format.ts';
import { correctedQuality, encodeNear } from '../../../../../src/image/pipeline/target/checked.ts';
import { scaleOf } from '../../../../../src/image/pipeline/target/scale.ts';
import type { SearchedScale } from '../../../../../src/image/pipeline/target/search.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { interpolated } from '../../../../../src/image/wasm/memory-ledger.ts';

const target = 77;
const avif = avifScale();

function avifScale(): SearchedScale {
  const scale = scaleOf('avif', target);
  if (!scale) throw new Error('AVIF has a scale');
  return scale;
}

/** A picture that lacks a multiple of what pictures usually lack. */
const lacking = (share: number) => (quality: number) =>
  100 - share * (100 - interpolated(avif.scores, quality));

function scored(scoreAt: (quality: number) => number, ...qualities: readonly number[]) {
  return qualities.map((quality) => ({ quality, score: scoreAt(quality) }));
}

describe('correctedQuality', () => {
  it.each([0.5, 0.8, 1.3, 1.8])('finds a picture that lacks %f times the usual', (share) => {
    const scoreAt = lacking(share);
    const quality = correctedQuality(target, avif, scored(scoreAt, 70));
    for (const other of [quality - 1, quality + 1]) {
      expect(Math.abs(scoreAt(quality) - target)).toBeLessThanOrEqual(
        Math.abs(scoreAt(other) - target),
      );
    }
  });

  it('lies between two passes of which one is too fine and one too coarse', () => {
    const passes = [
      { quality: 60, score: 71 },
      { quality: 75, score: 81 },
    ];
    const quality = correctedQuality(target, avif, passes);
    expect(quality).toBeGreaterThan(60);
    expect(quality).toBeLessThan(75);
    expect(correctedQuality(target, avif, passes.toReversed())).toBe(quality);
  });

  it('stays on the scale', () => {
    expect(correctedQuality(target, avif, scored(lacking(20), 70))).toBe(avif.highest);
    expect(correctedQuality(target, avif, scored(lacking(0.01), 70))).toBe(avif.lowest);
  });
});

/** A candidate that is checked, and what is made of it: pictures with their scores, as long as there is time. */
function checking(
  scoreAt: (quality: number) => number | null,
  times = 9,
  bytesAt: (quality: number) => number = () => 8,
  least?: number,
) {
  const made: Finished[] = [];
  const near = encodeNear(
    { quality: 70 },
    {
      target,
      scale: avif,
      *make({ quality }) {
        const bytes = new Uint8Array(bytesAt(Number(quality)));
        const one: Finished = { kind: 'finished', bytes, quality, isComplete: true };
        made.push(one);
        return one;
      },
      *scored({ quality }) {
        return scoreAt(Number(quality));
      },
      mayRepeat: () => made.length < times,
      least,
    },
  );
  const result = runAtOnce(near);
  return { result, qualities: made.map(({ quality }) => quality), made };
}

describe('encodeNear', () => {
  it('codes a picture once where it comes near to its target, and tells its score', () => {
    const { result, qualities } = checking(() => 75.6);
    expect(qualities).toEqual([70]);
    expect(result).toMatchObject({ quality: 70, score: 75.6 });
  });

  it('codes it again where it is off, and keeps the better one', () => {
    const scoreAt = lacking(1.5);
    const { result, qualities, made } = checking(scoreAt);
    expect(qualities.length).toBe(2);
    if (result.kind !== 'finished') throw new Error(result.kind);
    expect(result.quality).toBe(qualities[1]);
    expect(Math.abs(Number(result.score) - target)).toBeLessThan(1.5);
    expect(result.bytes.length).toBe(8);
    expect(made[0]?.bytes.buffer.detached).toBe(true);
  });

  it('is not repeated where it would only grow beyond another result', () => {
    const tried = (score: number, least: number) =>
      checking(lacking((100 - score) / (100 - target)), 9, () => 8, least).qualities;
    expect(tried(60, 8)).toEqual([70]);
    expect(tried(60, 9).length).toBeGreaterThan(1);
    // it may be coded in fewer bytes yet
    expect(tried(90, 8).length).toBeGreaterThan(1);
  });

  it('keeps the first one where the second is worse', () => {
    const { result, made } = checking((quality) => (quality === 70 ? 74 : 50));
    expect(result).toMatchObject({ quality: 70, score: 74 });
    if (result.kind !== 'finished') throw new Error(result.kind);
    expect(result.bytes.length).toBe(8);
    expect(made.slice(1).every(({ bytes }) => bytes.buffer.detached)).toBe(true);
  });

  it('keeps what is shorter and looks better, however far above the target that is', () => {
    const { result } = checking(
      (quality) => (quality === 70 ? 71 : 94),
      9,
      (quality) => (quality === 70 ? 2000 : 1600),
    );
    expect(result).toMatchObject({ score: 94 });
  });

  it('codes nothing more than three times', () => {
    const { qualities } = checking((quality) => 60 + (quality % 7));
    expect(qualities.length).toBeLessThanOrEqual(3);
    expect(new Set(qualities).size).toBe(qualities.length);
  });

  it('codes nothing twice without the time for it, or without a score', () => {
    expect(checking(() => 60, 1).qualities).toEqual([70]);
    expect(checking(() => null).qualities).toEqual([70]);
  });
});
