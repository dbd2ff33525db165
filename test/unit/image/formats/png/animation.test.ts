import { describe, expect, it } from 'vitest';
import { ImageError } from '../../../../../src/image/engine.ts';
import { makeApng, pngColor } from '../../../../support/animations/apng-maker.ts';
import { timelineOf } from '../../../../support/animations/judges.ts';
import { timelineDifference } from '../../../../support/animations/timeline.ts';
import { answerTo, optimize } from '../../../../support/engine.ts';
import { displayP3Profile, gammaCurve, greyProfile } from '../../../../support/icc.ts';
import { apngOf, chunksOf, colorTypeOf, profileChunk } from './animating.ts';

const size = { width: 40, height: 24 };
const content = { ...size, depth: 8, count: 3 } as const;

/** A disc that moves over a background of few grays. */
const disc = (x: number, y: number, frame: number) =>
  (x - 10 - 4 * frame) ** 2 + (y - 12) ** 2 < 60 ? 200 : 40 + 30 * (x >> 4);
/** More than 16 grays. */
const ramp = (x: number, y: number, frame: number) => (5 * x + 3 * y + 9 * frame) & 255;

describe('an APNG under a profile', () => {
  const grey = [profileChunk(greyProfile(gammaCurve(1.8)))];
  const rgb = [profileChunk(displayP3Profile())];

  it.each([
    ['few greys', disc],
    ['many greys', ramp],
  ])('for grey stays grey: %s', async (_name, greyAt) => {
    for (const color of [pngColor.grey, pngColor.greyAlpha] as const) {
      const file = apngOf({ ...content, color, before: grey }, (x, y, frame) =>
        color === pngColor.grey ? [greyAt(x, y, frame)] : [greyAt(x, y, frame), x < 4 ? 90 : 255],
      );
      const { bytes } = optimize(file, { quality: 'lossless' });
      expect(bytes.length).toBeLessThan(file.length);
      expect(chunksOf(bytes, 'iCCP')).toHaveLength(1);
      expect([pngColor.grey, pngColor.greyAlpha]).toContain(colorTypeOf(bytes));
      expect(chunksOf(bytes, 'PLTE')).toHaveLength(0);
      expect(
        timelineDifference(await timelineOf('png', bytes), await timelineOf('png', file)),
      ).toBeNull();
    }
  });

  it('for grey becomes sRGB once, in what later frames leave as it is too', async () => {
    const ground = { region: { left: 0, top: 0, ...size }, delay: [1, 10] } as const;
    const dot = (sample: number) => ({
      region: { left: 20, top: 4, width: 8, height: 8 },
      samples: new Array(64).fill(sample),
      delay: [1, 10] as const,
    });
    const samples = new Array(size.width * size.height).fill(100);
    const frames = [{ ...ground, samples }, dot(10), dot(200), dot(30)];
    const shape = { ...size, depth: 8, color: pngColor.grey, plays: 0, before: grey } as const;
    const file = Uint8Array.from(makeApng({ ...shape, frames }));
    const { bytes } = optimize(file, { format: 'webp', quality: 90 });
    const { pictures } = await timelineOf('webp', bytes);
    const corners = pictures.map(({ pixels }) => [...pixels.subarray(0, 4)]);
    expect(corners).toHaveLength(4);
    // 100 to the power of 1.8 is lighter than code 100 in sRGB.
    expect(corners[0]?.[0]).toBeGreaterThan(100);
    for (const corner of corners) expect(corner).toEqual(corners[0]);
  });

  it.each([
    ['few greys', disc],
    ['many greys', ramp],
  ])('for RGB stays coloured, though all that is seen is grey: %s', async (_name, greyAt) => {
    for (const color of [pngColor.rgb, pngColor.rgba] as const) {
      const file = apngOf({ ...content, color, before: rgb }, (x, y, frame) => {
        const sample = greyAt(x, y, frame);
        const pixel = [sample, sample, sample];
        return color === pngColor.rgb ? pixel : [...pixel, x < 4 ? 90 : 255];
      });
      const { bytes } = optimize(file, { quality: 'lossless' });
      expect(bytes.length).toBeLessThan(file.length);
      expect(chunksOf(bytes, 'iCCP')).toHaveLength(1);
      expect([pngColor.rgb, pngColor.palette, pngColor.rgba]).toContain(colorTypeOf(bytes));
      expect(
        timelineDifference(await timelineOf('png', bytes), await timelineOf('png', file)),
      ).toBeNull();
    }
  });
});

describe('a wide interlaced APNG of 16 bits', () => {
  const wide = (width: number) =>
    apngOf(
      { width, height: 1, depth: 16, color: pngColor.rgba, interlaced: true, count: 2 },
      (x, _y, frame) => [x & 0xffff, 0, 257 * frame, 0xffff],
    );

  it('is refused with the size that would fit, where a row takes more memory than there is for reading', {
    tags: 'slow',
  }, () => {
    const refused = { code: 'image_too_large' } as const;
    const options = [{}, { quality: 'lossless' }, { format: 'webp', width: 100 }] as const;
    for (const one of options) expect(answerTo(wide(200_000), one)).toMatchObject(refused);
    const refusal = answerTo(wide(200_000));
    const limit = refusal instanceof ImageError ? Number(refusal.members.limit_pixels) : 0;
    expect(limit).toBeGreaterThan(100_000);
    expect(answerTo(wide(limit))).not.toBeInstanceOf(ImageError);
    expect(answerTo(wide(limit + 100))).toMatchObject(refused);
  });
});

describe('an APNG of 16 bits', () => {
  const deep = { ...content, depth: 16, color: pngColor.rgb } as const;
  /** Samples whose two bytes are equal, except for the one at the top left of the last frame. */
  const samples = (fine: number) => (x: number, y: number, frame: number) => {
    const sample = 257 * disc(x, y, frame);
    return [sample, x === 0 && y === 0 && frame === 2 ? 257 * 90 + fine : 257 * 90, 257 * x];
  };
  const shallow = apngOf(deep, samples(0));
  const fine = apngOf(deep, samples(1));

  it('becomes one of 8 bits without loss where these hold all samples exactly', async () => {
    for (const quality of ['lossless', 'auto', 100] as const) {
      const { bytes, quality: said } = optimize(shallow, { quality });
      expect(said).toBe('lossless');
      expect(bytes[24]).toBeLessThanOrEqual(8);
      expect(bytes.length).toBeLessThan(0.6 * shallow.length);
      const before = await timelineOf('png', shallow);
      expect(timelineDifference(await timelineOf('png', bytes), before)).toBeNull();
    }
  });

  it('stays as it is without loss where one sample needs more bits', () => {
    for (const quality of ['lossless', 100] as const) {
      const result = optimize(fine, { quality });
      expect(result.quality).toBe('original');
      expect(result.bytes).toEqual(fine);
    }
  });

  it('stays as it is without loss where its default image alone needs more bits', () => {
    const defaultImage = Uint16Array.from({ length: 3 * 40 * 24 }, (_, i) => 5 * i);
    const file = apngOf({ ...deep, defaultImage }, samples(0));
    expect(optimize(file, { quality: 'lossless' }).quality).toBe('original');
    expect(optimize(file).quality).toBeTypeOf('number');
  });

  it('is not called lossless once samples were rounded', { tags: 'slow' }, () => {
    for (const options of [{}, { quality: 90 }, { format: 'webp' }, { width: 20 }] as const) {
      const { quality, bytes } = optimize(fine, options);
      expect(bytes.length).toBeLessThan(fine.length);
      expect(quality).toBeTypeOf('number');
    }
  });
});

describe('pixels that are not square in an APNG', () => {
  const rgb = (x: number, y: number, frame: number) => [disc(x, y, frame), 7 * x, 9 * y];
  const shape = (across: number, down: number) => {
    const data = Buffer.alloc(9);
    data.writeUInt32BE(across, 0);
    data.writeUInt32BE(down, 4);
    return { type: 'pHYs', data };
  };
  const made = (before: ReturnType<typeof shape>[], options = {}) => {
    const file = apngOf({ ...content, color: pngColor.rgb, before }, rgb);
    const result = optimize(file, { quality: 'lossless', ...options });
    expect(result.quality).toBe('lossless');
    return chunksOf(result.bytes, 'pHYs');
  };

  it('stay so when it is made anew, as in a still', () => {
    const wide = shape(2, 1);
    expect(made([wide])).toEqual([wide.data]);
    expect(made([wide, shape(3, 1)])).toEqual([wide.data]);
  });

  it('are not spoken of where they are square, or others after resizing', () => {
    expect(made([shape(3780, 3780)])).toEqual([]);
    expect(made([shape(2, 1)], { width: 20 })).toEqual([]);
  });
});
