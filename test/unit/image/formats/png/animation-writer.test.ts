import { beforeEach, describe, expect, it } from 'vitest';
import { emptyCanvas } from '../../../../../src/image/animation/composition.ts';
import { StreamPieces } from '../../../../../src/image/container/drained-output.ts';
import { pngAnimationWriter } from '../../../../../src/image/formats/png/animation-writer.ts';
import { maxAnimationPixels } from '../../../../../src/image/pipeline/animation/plan-animation.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling, maxCpuMs } from '../../../../../src/image/wasm/budgets.ts';

const coding = { quality: 'lossless', exact: true, icc: null } as const;

beforeEach(() => arena.reserve(arenaCeiling));

/** A sink that has surveyed `megapixels` frames of a megapixel each. */
function surveyed(megapixels: number) {
  const size = { width: 1000, height: 1000 };
  const shape = { ...size, hasAlpha: false, plays: 0 };
  const pieces = new StreamPieces(2 ** 20);
  const sink = pngAnimationWriter.begin(shape, coding, { memory: arena, pieces });
  const picture = emptyCanvas(size);
  const region = { left: 0, top: 0, ...size };
  for (let i = 0; i < megapixels; i += 1) {
    if (sink.survey) runAtOnce(sink.survey({ region, picture }));
  }
  return sink;
}

describe('the computing time of an APNG', () => {
  it.each([2, 30, 140])(
    'that is told frame by frame adds up to what all %s megapixels are predicted to take',
    { tags: 'slow' },
    (megapixels) => {
      const sink = surveyed(megapixels);
      const ofFrame = sink.cpuMs?.(1e6) ?? Number.NaN;
      const frames = { count: megapixels, pixels: 1e6 * megapixels };
      expect(megapixels * ofFrame).toBeCloseTo(pngAnimationWriter.cpuMs(frames, coding), 3);
    },
  );

  it('of a small frame is less, the more there is to code beside it', { tags: 'slow' }, () => {
    const [short, long, longest] = [2, 30, 140].map((all) => surveyed(all).cpuMs?.(10_000) ?? 0);
    expect(short).toBeGreaterThan(2 * (long ?? 0));
    expect(long).toBeGreaterThan(longest ?? 0);
  });

  it('of small frames is more than that of large ones with as many pixels, as more ways are tried for them', () => {
    const of = (count: number) => pngAnimationWriter.cpuMs({ count, pixels: 4e6 }, coding) - count;
    expect(of(40)).toBeGreaterThan(2 * of(4));
  });

  it('of all that an animation may have is within what a request may take', () => {
    const frames = { count: 10_000, pixels: 0.3 * maxAnimationPixels };
    expect(pngAnimationWriter.cpuMs(frames, coding)).toBeLessThan(0.8 * maxCpuMs);
  });
});
