import { describe, expect, it } from 'vitest';
import {
  lossyDrainingBytes,
  lossyEncodingBytes,
} from '../../../../../src/image/formats/webp/memory.ts';
import { sideCeiling } from '../../../../../src/image/wasm/budgets.ts';
import { Random } from '../../../../support/random.ts';
import { mixed, noise } from './kernel/made-pictures.ts';
import { drained, kept } from './lossy-coding.ts';

const random = new Random(3);
const mebibyte = 2 ** 20;

const opaque = ({ width, height }: { readonly width: number; readonly height: number }) => ({
  ...{ width, height },
  hasAlpha: false,
});
const coding = (quality: number) => ({ quality, hasAlpha: false, exact: false });

const sizes = [
  [1, 1],
  [301, 203],
  [800, 600],
  [16_383, 17],
  [17, 16_383],
] as const;

describe('the arena that lossy coding is predicted to take', () => {
  it.each(sizes)('is enough for noise: %i × %i', { tags: 'slow' }, (width, height) => {
    for (const picture of [noise(width, height, random, true), noise(width, height, random)]) {
      for (const quality of [1, 60, 90, 100]) {
        const { max, maxResult } = lossyEncodingBytes(opaque(picture), coding(quality));
        const { frame, taken } = kept(picture, { quality, bytes: max });
        expect(taken).toBeLessThanOrEqual(max);
        expect(frame.length).toBeLessThanOrEqual(maxResult);
      }
    }
  });

  it.each(sizes)(
    'is enough where the result is drained: %i × %i',
    { tags: 'slow' },
    (width, height) => {
      const picture = noise(width, height, random, true);
      for (const quality of [60, 100]) {
        const bytes = lossyDrainingBytes(opaque(picture), coding(quality)).max;
        expect(drained(picture, { quality, bytes }).taken).toBeLessThanOrEqual(bytes);
      }
    },
  );

  it('is enough for what is less busy than the busiest photo, be it in two runs', {
    tags: 'slow',
  }, () => {
    const picture = mixed(900, 700, random);
    for (const quality of [50, 75, 90]) {
      const { photo, max, result } = lossyEncodingBytes(opaque(picture), coding(quality));
      const streamed = kept(picture, { quality, bytes: photo });
      expect(streamed.frame.length).toBeLessThanOrEqual(result);
      const whole = kept(picture, { quality, bytes: max });
      expect(whole.runs).toBe(1);
      expect(whole.frame.equals(streamed.frame)).toBe(true);
    }
  });

  it('is what the service has for large photos', () => {
    const photo = (width: number, height: number, quality: number) =>
      lossyEncodingBytes(opaque({ width, height }), coding(quality)).photo;
    expect(photo(4000, 3000, 90)).toBeLessThan(6 * mebibyte);
    expect(photo(8192, 6144, 90)).toBeLessThan(24 * mebibyte);
    for (const [width, height] of [
      [12_000, 10_000],
      [16_383, 7324],
      [7324, 16_383],
    ] as const) {
      const { max } = lossyDrainingBytes(opaque({ width, height }), coding(90));
      expect(max).toBeLessThan(sideCeiling);
    }
  });

  it('rises with the quality', () => {
    const bytes = [0, 10, 50, 77, 90, 100].map(
      (quality) => lossyEncodingBytes(opaque({ width: 800, height: 600 }), coding(quality)).photo,
    );
    expect(bytes).toEqual(bytes.toSorted((a, b) => a - b));
  });
});
