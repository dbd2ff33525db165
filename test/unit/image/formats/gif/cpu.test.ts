import { describe, expect, it } from 'vitest';
import { colorOf } from '../../../../../src/image/color/source-color.ts';
import { CodedDensity, gifWritingMs } from '../../../../../src/image/formats/gif/cpu.ts';
import { gif } from '../../../../../src/image/formats/gif/gif.ts';
import type { GifInspection } from '../../../../../src/image/formats/gif/reader.ts';
import { gifRecoder } from '../../../../../src/image/formats/gif/recode.ts';
import type { Quality, Source } from '../../../../../src/image/formats/inspection.ts';
import { animatingCpu, usualCpu } from '../../../../../src/image/pipeline/animation/cpu.ts';
import { planAnimation } from '../../../../../src/image/pipeline/animation/plan-animation.ts';
import { defaultOptions } from '../../../../../src/image/pipeline/options.ts';
import { plan } from '../../../../../src/image/pipeline/plan.ts';
import { firstPictureOf } from '../../../../../src/image/pipeline/read-source.ts';
import { type MadeFrame, madeGif } from '../../../../support/gif-maker/gif-maker.ts';
import { inspection } from './reading.ts';

const table = [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255];
const small: MadeFrame = { width: 1, height: 1, indices: [0], minCodeSize: 2 };
/** A frame of which only the first pixel can be visible, unless it is the first frame. */
const large: MadeFrame = { ...small, width: 65_535, height: 65_535, data: Uint8Array.of(1, 4, 0) };

function sourceWith(...frames: readonly MadeFrame[]): {
  readonly file: Uint8Array;
  readonly source: Source<GifInspection>;
} {
  const file = madeGif({ width: 1, height: 1, globalTable: table, frames });
  const image = inspection(file);
  const color = colorOf(gif.read.samples(image), null);
  return { file, source: { kind: 'source', image, fileBytes: file.length, icc: null, color } };
}

describe('the computing time of reading a GIF', () => {
  const { animation, decoder } = gif.read;
  if (!animation) throw new Error('animations are not read');

  it('counts what frames code beyond the canvas', () => {
    const { source } = sourceWith(small, large);
    expect(source.image.frameTotals?.codedPixels).toBe(1 + 65_535 ** 2);
    expect(animation.cpuMs(source.image, source.fileBytes)).toBeGreaterThan(4000);
    const { source: other } = sourceWith(small, small);
    expect(animation.cpuMs(other.image, other.fileBytes)).toBeLessThan(1);
  });

  it('counts interlaced frames one and a half times, whichever they are', () => {
    const frame = { ...large, width: 10_000, height: 10_000 };
    const [plain, interlaced] = [false, true].map((isInterlaced) => {
      const { source } = sourceWith(small, { ...frame, isInterlaced });
      return animation.cpuMs(source.image, source.fileBytes);
    });
    expect(Number(interlaced) / Number(plain)).toBeCloseTo(1.5, 1);
  });

  it('counts no scoring of what is too narrow for a score', () => {
    const { source } = sourceWith({ ...small, top: 39_999 }, small);
    const planned = planAnimation(source, defaultOptions);
    if ('reason' in planned) throw new Error(planned.reason);
    for (const { cpuMs } of planned) expect(cpuMs).toBeLessThan(100);
  });

  it('is that of the first frame alone where only that is wanted', () => {
    const { source, file } = sourceWith(small, large);
    const { image, fileBytes } = firstPictureOf(source, file);
    expect(image.frameTotals).toBeUndefined();
    expect(animation.cpuMs(image, fileBytes)).toBeLessThan(1);
    expect(decoder.cpuMs(image, fileBytes, 0)).toBeLessThan(1);
  });

  it('is that of the coded part of a still one, and of the canvas around it', () => {
    const frame = { ...large, left: 0, width: 1000, height: 1000 };
    const { source } = sourceWith(frame);
    const wide = sourceWith({ ...frame, left: 9000, top: 9000 }).source;
    const settings = { quality: 'lossless', exact: false } as const;
    const times = [source, wide].map((one) => [
      decoder.cpuMs(one.image, one.fileBytes, 0),
      gifRecoder.cpuMs(one, settings),
    ]);
    const [[read = 0, remade = 0] = [], [wideRead = 0, wideRemade = 0] = []] = times;
    expect(wideRead).toBeGreaterThan(read);
    expect(wideRead).toBeLessThan(20 * read);
    // A hundred megapixels, which would take 8000 ms to encode.
    expect(wideRemade - remade).toBeLessThan(300);
  });
});

describe('the computing time of writing a GIF', () => {
  it('is more for what takes more bytes, as noise does', () => {
    const pixels = 1e6;
    for (const quality of [80, 'lossless'] as const) {
      const [flat, usual, noise] = [2e4, undefined, 1e6].map((bytes) =>
        gifWritingMs({ count: 1, pixels, ...(bytes ? { bytes } : {}) }, quality),
      );
      expect(flat).toBeLessThan(Number(usual));
      expect(noise).toBeGreaterThan(2 * Number(usual));
    }
  });

  it('is expected from the frames so far, of which a few small ones do not say much', () => {
    const density = new CodedDensity(80);
    expect(density.of(1e6)).toBeCloseTo(70_000);
    density.add(20, 30);
    expect(density.of(1e6)).toBeLessThan(71_000);
    density.add(900_000, 900_000);
    expect(density.of(1e6)).toBeGreaterThan(900_000);
  });
});

describe('the computing time of coding a still GIF anew', () => {
  const timeOf = (fileBytes: number, quality: Quality = 80) => {
    const { source } = sourceWith({ ...large, width: 1000, height: 1000 });
    return gifRecoder.cpuMs({ ...source, fileBytes }, { quality, exact: false });
  };

  it('grows with the bytes that its pixels take', () => {
    // Sizes of a drawing, a photo, and a dithered photo.
    const [drawn, smooth, dithered] = [60_000, 350_000, 900_000].map((bytes) => timeOf(bytes));
    expect(drawn).toBeCloseTo(66, -1);
    expect(smooth).toBeCloseTo(120, -1);
    expect(dithered).toBeCloseTo(230, -1);
  });

  it('is less where nothing may be lost', () => {
    expect(timeOf(350_000, 'lossless')).toBeLessThan(timeOf(350_000));
  });
});

describe('an animation that codes far more than it shows', () => {
  it('is refused like one that shows as much', () => {
    const { source, file } = sourceWith(small, small, large);
    expect(planAnimation(source, defaultOptions)).toMatchObject({
      reason: 'animation-too-large',
      frames: 3,
      limitFrames: 0,
    });
    const first = firstPictureOf(source, file);
    expect(planAnimation(first, defaultOptions)).not.toHaveProperty('reason');
  });
});

describe('the computing time of an animated GIF', () => {
  const frame: MadeFrame = { ...large, width: 300, height: 200 };
  const canvas = { ...frame, left: 0, top: 0 };
  const planned = (format: 'keep' | 'webp' | 'png', ...frames: readonly MadeFrame[]) => {
    const { source } = sourceWith(canvas, ...frames);
    const [first] = candidatesOf(source, { ...defaultOptions, format });
    if (first?.kind !== 'animate') throw new Error('it is not made anew');
    return { candidate: first, source };
  };

  it('counts passes that are repeated as a rule, as far as there is time for them', () => {
    const { candidate, source } = planned('keep', frame, frame);
    const needed = animatingCpu(candidate, source);
    expect(candidate.cpuMs).toBeGreaterThan(1.3 * needed);
    expect(candidate.cpuMs).toBeLessThan(3 * needed);
    expect(usualCpu(candidate, source, 1.1 * needed)).toBeCloseTo(1.1 * needed);
    expect(usualCpu(candidate, source, 0.5 * needed)).toBe(needed);
    const limited = { ...candidate, goal: { target: 77, maxBytes: 5000 } };
    expect(usualCpu(limited, source, 1e5)).toBe(animatingCpu(limited, source));
  });

  it('is what it needs where scores do not leap', () => {
    const { candidate, source } = planned('webp', frame, frame);
    expect(candidate.cpuMs).toBe(animatingCpu(candidate, source));
  });

  it('as a PNG is about half as much where all colours are known to fit into a palette', () => {
    const few = planned('png', frame, frame).candidate.cpuMs;
    const localTable = Array.from({ length: 3 * 256 }, (_, i) => i & 255);
    const many = planned('png', frame, { ...frame, localTable }).candidate.cpuMs;
    expect(few).toBeLessThan(0.6 * many);
    expect(few).toBeGreaterThan(0.3 * many);
  });
});

describe('the computing time of looking for the quality of a still GIF', () => {
  it('is more where it may be transparent, which is scored on two backgrounds', () => {
    const searchMs = (hasAlpha: boolean) => {
      const { source } = sourceWith({ ...large, left: 0, width: 700, height: 700 });
      const planning = plan({ ...source, image: { ...source.image, hasAlpha } }, defaultOptions);
      if (planning.kind === 'refused') throw new Error(planning.reason);
      const [first] = planning.candidates;
      return first && 'search' in first ? (first.search?.cpuMs ?? 0) : 0;
    };
    expect(searchMs(false)).toBeGreaterThan(50);
    expect(searchMs(true)).toBeGreaterThan(1.3 * searchMs(false));
  });
});

function candidatesOf(...args: Parameters<typeof planAnimation>) {
  const candidates = planAnimation(...args);
  if ('reason' in candidates) throw new Error(candidates.reason);
  return candidates;
}
