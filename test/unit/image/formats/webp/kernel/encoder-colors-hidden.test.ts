import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../support/random.ts';
import { plainLuma, referenceChroma } from './encoder-colors-reference.ts';
import { type Coded, codedColors, type Plane } from './encoder-colors-stage.ts';
import { drawn, type Picture } from './libwebp-pictures.ts';

const random = new Random(23);
const level = () => random.word() & 0xff;

/** Samples of a part of a plane. */
function part(
  { width, data }: Plane,
  [left, top, right, bottom]: readonly [number, number, number, number],
): number[] {
  const rows = Array.from({ length: bottom - top }, (_, y) => (top + y) * width);
  return rows.flatMap((row) => [...data.subarray(row + left, row + right)]);
}

const only = (samples: readonly number[]) => [...new Set(samples)];

function samplesOf(red: number, green: number, blue: number) {
  const one = drawn(1, 1, () => [red, green, blue, 255]);
  const chroma = referenceChroma(one, false);
  return {
    luma: plainLuma(red, green, blue),
    u: Math.round(chroma.u[0] ?? 0),
    v: Math.round(chroma.v[0] ?? 0),
  };
}

/** A visible disc in front of hidden noise. */
function disc(width: number, height: number): Picture {
  return drawn(width, height, (x, y) =>
    (x - 24) ** 2 + (y - 24) ** 2 < 200 ? [200, 40, 30, 255] : [level(), level(), level(), 0],
  );
}

describe('chroma of a picture with alpha', () => {
  it('is weighed by alpha', () => {
    for (const size of [1, 2, 5, 16, 33]) {
      const picture = drawn(size, 34 - size, () => [level(), level(), level(), 1 + (level() >> 1)]);
      const { u, v } = codedColors(picture, { hasAlpha: true });
      const exact = referenceChroma(picture, true);
      const columns = (size + 1) >> 1;
      for (const [i, sample] of exact.u.entries()) {
        const at = Math.floor(i / columns) * u.width + (i % columns);
        expect(Math.abs((u.data[at] ?? 0) - sample)).toBeLessThan(0.51);
        expect(Math.abs((v.data[at] ?? 0) - (exact.v[i] ?? 0))).toBeLessThan(0.51);
      }
    }
  });

  it('is what an opaque picture has where nothing is transparent', () => {
    const picture = drawn(35, 37, () => [level(), level(), level(), 255]);
    const samples = ({ luma, u, v, colorful }: Coded) => ({ luma, u, v, colorful });
    expect(samples(codedColors(picture, { hasAlpha: true }))).toEqual(
      samples(codedColors(picture)),
    );
  });
});

describe('hidden pixels', () => {
  it('take nothing from their own colours, and give nothing to those that are seen', () => {
    const expected = samplesOf(200, 40, 30);
    const { luma, u, v } = codedColors(disc(48, 48), { hasAlpha: true });
    // all of these macroblocks have a part of the disc
    expect(only(part(luma, [0, 0, 48, 48]).filter((_, i) => i % 48 > 15 && i >= 48 * 16))).toEqual([
      expected.luma,
    ]);
    expect(only(part(u, [8, 8, 24, 24]))).toEqual([expected.u]);
    expect(only(part(v, [8, 8, 24, 24]))).toEqual([expected.v]);
  });

  it('take the mean of what is seen in their block of 8 × 8, weighed by alpha', () => {
    const picture = drawn(16, 16, (x, y) => {
      if (y < 8 && x < 8 && (x ^ y) & 1) return x < 4 ? [90, 90, 90, 200] : [180, 180, 180, 100];
      if (y < 8 && x === 12 && y === 3) return [130, 130, 130, 1];
      return [level(), level(), level(), 0];
    });
    const { luma } = codedColors(picture, { hasAlpha: true });
    const at = (x: number, y: number) => luma.data[16 * y + x];
    expect(at(0, 0)).toBe(plainLuma(120, 120, 120));
    expect(at(6, 6)).toBe(plainLuma(120, 120, 120));
    expect(only(part(luma, [8, 0, 16, 8]))).toEqual([plainLuma(130, 130, 130)]);
    // nothing is seen in the lower blocks: the mean of the macroblock
    expect(only(part(luma, [0, 8, 16, 16]))).toEqual([plainLuma(120, 120, 120)]);
  });

  it('go on with what is seen to their left, or else with what they touch', () => {
    const green = [50, 150, 100] as const;
    const blue = [20, 60, 220] as const;
    const picture = drawn(70, 56, (x, y) => {
      const isSeen = (x >> 4) % 2 === 1 && y >= 16 && y < 36;
      return isSeen ? [...(x < 32 ? green : blue), 255] : [level(), level(), level(), 0];
    });
    const { luma, u, v } = codedColors(picture, { hasAlpha: true });
    const left = samplesOf(...green);
    const right = samplesOf(...blue);
    expect(only(part(u, [0, 8, 20, 20]))).toEqual([left.u]);
    expect(only(part(v, [0, 8, 20, 20]))).toEqual([left.v]);
    expect(only(part(u, [20, 8, 40, 20]))).toEqual([right.u]);
    expect(only(part(v, [20, 8, 40, 20]))).toEqual([right.v]);
    expect(only(part(luma, [0, 18, 40, 40]))).toEqual([left.luma]);
    // below what is seen
    expect(only(part(luma, [0, 40, 48, 48]))).toEqual([left.luma]);
    expect(only(part(luma, [48, 18, 80, 56]))).toEqual([right.luma]);
    // nothing has been seen yet; what touches the seen is like it
    expect(only(part(luma, [0, 0, 80, 8]))).toEqual([plainLuma(128, 128, 128)]);
    expect(only(part(u, [8, 4, 16, 8]))).toEqual([left.u]);
  });

  it('do not carry a colour across a gap', { tags: 'slow' }, () => {
    const red = [220, 30, 30] as const;
    const blue = [30, 60, 220] as const;
    const ends = [samplesOf(...red), samplesOf(...blue)];
    for (const gap of [8, 12, 16, 23, 40]) {
      for (let start = 16; start < 32; start++) {
        const colorAt = (x: number) => {
          if (x >= start && x < start + gap) return [0, 0, 0, 0];
          return [...(x < start ? red : blue), 255];
        };
        for (const isAcross of [true, false]) {
          const picture = drawn(96, 96, (x, y) => colorAt(isAcross ? x : y));
          const { v } = codedColors(picture, { hasAlpha: true });
          // of hidden samples the first and the last, where they are blended with what is seen
          const beside = [start >> 1, ((start + gap) >> 1) - 1];
          for (const [i, at] of beside.entries()) {
            if ((start + i * gap) % 2 === 1) continue;
            const sample = v.data[isAcross ? v.width * 20 + at : v.width * at + 20] ?? 0;
            const off = Math.abs(sample - (ends[i]?.v ?? 0));
            expect(off, `${gap} from ${start}, ${isAcross}`).toBeLessThan(gap < 16 ? 30 : 4);
          }
        }
      }
    }
  });

  it('keep their colours if that is wished', () => {
    const picture = disc(40, 40);
    const opaque = drawn(40, 40, (x, y) => {
      const at = 4 * (40 * y + x);
      return [...picture.data.subarray(at, at + 3), 255];
    });
    const kept = codedColors(picture, { hasAlpha: true, keepsHidden: true });
    const expected = codedColors(opaque);
    // the first eight rows of the picture are hidden: two of luma take chroma from below
    expect(part(kept.luma, [0, 0, 48, 8])).toEqual(part(expected.luma, [0, 0, 48, 8]));
    expect(part(kept.u, [0, 0, 24, 5])).toEqual(part(expected.u, [0, 0, 24, 5]));
    expect(part(kept.v, [0, 0, 24, 5])).toEqual(part(expected.v, [0, 0, 24, 5]));
  });

  it('come a row of macroblocks and a row of pixels later', () => {
    const { complete } = codedColors(disc(20, 40), { hasAlpha: true });
    expect(complete[31]).toBe(0);
    expect(complete[32]).toBe(1);
    expect(complete[38]).toBe(1);
    expect(complete[39]).toBe(3);
  });
});
