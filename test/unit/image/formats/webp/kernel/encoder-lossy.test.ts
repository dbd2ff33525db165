import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../support/random.ts';
import { drained, kept } from '../lossy-coding.ts';
import { pixelsOf } from '../reading.ts';
import { restored } from './encoder-restored.ts';
import { drawn, libwebpPixels, type Picture } from './libwebp-pictures.ts';
import { riff } from './lossless-stage.ts';
import { planesOf } from './lossy-planes.ts';
import { flat, mixed, noise } from './made-pictures.ts';

const random = new Random(22);

/** The pixels that both decoders read in a frame. */
function decoded(frame: Buffer, name = ''): Buffer {
  const file = riff('VP8 ', frame);
  const pixels = pixelsOf(file);
  expect(libwebpPixels(file)?.equals(pixels), name).toBe(true);
  return pixels;
}

/** Root of the mean squared error of all channels. */
function error({ data }: Picture, pixels: Buffer): number {
  let sum = 0;
  for (const [i, value] of pixels.entries()) sum += (value - (data[i] ?? 0)) ** 2;
  return Math.sqrt(sum / data.length);
}

describe('samples that the encoder predicts from', () => {
  const kinds: readonly [string, (width: number, height: number) => Picture][] = [
    ['mixed', (width, height) => mixed(width, height, random)],
    ['noise', (width, height) => noise(width, height, random)],
    ['extremes', (width, height) => noise(width, height, random, true)],
    ['flat', (width, height) => flat(width, height, [200, 30, 90])],
  ];

  it.each(kinds)('are those that a decoder comes to: %s', (name, make) => {
    for (let size = 1; size <= 33; size++) {
      const picture = make(size, 34 - size);
      const index = (size * 37) % 128;
      const { frame, planes } = restored(picture, [index, index, index, index]);
      expect(planesOf(riff('VP8 ', frame)), `${name} ${size}, index ${index}`).toEqual(planes);
    }
  });

  it('are those that a decoder comes to with segments and deltas', () => {
    for (const quantizers of [
      [0, 10, 20, 30],
      [127, 90, 60, 30],
      [0, 0, 127, 127],
    ]) {
      for (const deltas of [
        [0, 0, 0, 0, 0],
        [3, -5, 4, -2, 4],
        [-15, 15, -15, 15, -15],
      ]) {
        const { frame, planes } = restored(mixed(130, 95, random), quantizers, deltas);
        expect(planesOf(riff('VP8 ', frame)), `${quantizers} ${deltas}`).toEqual(planes);
      }
    }
  });
});

describe('a lossy picture', () => {
  it('is read alike by both decoders, in every size', { tags: 'slow' }, () => {
    for (let size = 1; size <= 33; size++) {
      for (const height of [34 - size, 49]) {
        const { frame } = kept(mixed(size, height, random), { quality: 60 });
        decoded(frame, `${size} × ${height}`);
      }
    }
    decoded(kept(mixed(16_383, 3, random)).frame, 'wide');
    decoded(kept(mixed(3, 16_383, random)).frame, 'high');
  });

  it.each([0, 10, 50, 75, 90, 100])('is read alike by both decoders at quality %i', (quality) => {
    for (const picture of [mixed(200, 170, random), noise(90, 70, random, true)]) {
      decoded(kept(picture, { quality }).frame);
    }
  });

  it('is nearer to its source at a higher quality, in more bytes', { tags: 'slow' }, () => {
    const picture = mixed(240, 160, random);
    const coded = [0, 20, 40, 60, 80, 100].map((quality) => kept(picture, { quality }).frame);
    const errors = coded.map((frame) => error(picture, decoded(frame)));
    expect(errors).toEqual([...errors].sort((a, b) => b - a));
    const lengths = coded.map(({ length }) => length);
    expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
    // what halved chroma lacks of colored grain
    expect(errors.at(-1)).toBeLessThan(14);
  });

  it('comes out as it was where it is flat, or a slope', () => {
    for (const color of [
      [0, 0, 0],
      [255, 255, 255],
      [128, 128, 128],
      [255, 0, 0],
      [12, 200, 160],
    ]) {
      const picture = flat(50, 40, color);
      expect(error(picture, decoded(kept(picture, { quality: 90 }).frame))).toBeLessThan(1.5);
    }
    const slope = drawn(256, 64, (x, y) => [x, (x + y) >> 1, 255 - x, 255]);
    expect(error(slope, decoded(kept(slope, { quality: 90 }).frame))).toBeLessThan(2);
  });
});

describe('a lossy picture with a gap that hides between two colours', () => {
  const red = [220, 30, 30, 255];
  const blue = [30, 60, 220, 255];

  /** How far the colors beside the gap are off at most. */
  function mostOff(start: number, gap: number, isAcross: boolean): number {
    const picture = drawn(96, 96, (x, y) => {
      const at = isAcross ? x : y;
      if (at >= start && at < start + gap) return [0, 0, 0, 0];
      return at < start ? red : blue;
    });
    const { frame } = kept(picture, { quality: 90, hasAlpha: true });
    const pixels = decoded(frame);
    const off = picture.data.map((value, i) =>
      picture.data[i | 3] === 0 || i % 4 === 3 ? 0 : Math.abs(value - (pixels[i] ?? 0)),
    );
    return Math.max(...off);
  }

  it('keeps both of them up to its edges', { tags: 'slow' }, () => {
    for (const gap of [16, 24, 40]) {
      for (const start of [24, 26, 32, 34]) {
        const most = Math.max(mostOff(start, gap, true), mostOff(start, gap, false));
        expect(most, `${gap} from ${start}`).toBeLessThan(8);
      }
    }
  });
});

describe('a lossy picture whose tokens find no room', () => {
  const picture = noise(400, 300, random, true);
  const whole = kept(picture, { quality: 90 });

  it('takes one run as long as they do', () => {
    expect(whole.runs).toBe(1);
  });

  it('takes two runs then, and is the same byte for byte', { tags: 'slow' }, () => {
    let fewest = whole.taken;
    for (let bytes = whole.taken - 40_000; ; bytes -= 40_000) {
      const streamed = attempt(() => kept(picture, { quality: 90, bytes }));
      if (!streamed) break;
      expect(streamed.runs, `${bytes}`).toBe(2);
      expect(streamed.frame.equals(whole.frame), `${bytes}`).toBe(true);
      fewest = bytes;
    }
    expect(fewest).toBeLessThan(0.7 * whole.taken);
  });

  it('is the same where it is drained, in less memory', () => {
    const streamed = drained(picture, { quality: 90 });
    expect(streamed.runs).toBe(2);
    expect(streamed.frame.equals(whole.frame)).toBe(true);
    expect(streamed.taken).toBeLessThan(0.6 * whole.taken);
  });

  it('is the same in every small size', () => {
    for (let size = 1; size <= 33; size++) {
      const small = mixed(size, 50 - size, random);
      expect(drained(small).frame.equals(kept(small).frame), `${size}`).toBe(true);
    }
  });
});

/** Null if there was no room. */
function attempt<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch {
    return null;
  }
}

describe('the partition of modes', () => {
  const modeBytes = (frame: Buffer) => frame.readUIntLE(0, 3) >> 5;

  it.each([2048, 3000, 4000])('stays below a limit of %i bytes', { tags: 'slow' }, (limit) => {
    const picture = noise(320, 304, random);
    const free = kept(picture, { quality: 90 });
    const limited = kept(picture, {
      quality: 90,
      begin: (kernel) => kernel.limitModeBytes(limit),
    });
    expect(modeBytes(limited.frame)).toBeLessThanOrEqual(Math.min(limit, modeBytes(free.frame)));
    const loss = error(picture, decoded(limited.frame)) - error(picture, decoded(free.frame));
    expect(Math.abs(loss)).toBeLessThan(3);
  });

  it('takes modes by block again where there is room for them', { tags: 'slow' }, () => {
    const picture = mixed(640, 480, random);
    const free = modeBytes(kept(picture).frame);
    const limit = Math.ceil(0.8 * free);
    const { frame } = kept(picture, { begin: (kernel) => kernel.limitModeBytes(limit) });
    expect(modeBytes(frame)).toBeLessThanOrEqual(limit);
    expect(modeBytes(frame)).toBeGreaterThan(0.5 * limit);
    decoded(frame);
  });
});
