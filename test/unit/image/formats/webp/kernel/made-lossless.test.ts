import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../support/random.ts';
import { libwebpPixels } from './libwebp-pictures.ts';
import { decodedLossless, riff, status } from './lossless-stage.ts';
import { type MadeStream, type MadeTransform, madeStream } from './made-streams.ts';
import { BitWriter, describeSimple, PrefixCode } from './prefix-code-writer.ts';

function expectSame(stream: MadeStream): void {
  const file = riff('VP8L', madeStream(stream));
  const theirs = libwebpPixels(file);
  const { status: outcome, data } = decodedLossless(file);
  const name = JSON.stringify({ ...stream, tokens: undefined });
  expect(theirs, name).not.toBeNull();
  expect(outcome, name).toBe(status.sound);
  expect(data.equals(theirs ?? Buffer.alloc(0)), name).toBe(true);
}

const size = { width: 70, height: 60 };

describe('a VP8L stream', () => {
  it('may have any transform with tiles of any size', { tags: 'slow' }, () => {
    for (let bits = 2; bits <= 9; bits++) {
      for (const type of ['predictor', 'crossColor'] as const) {
        expectSame({ ...size, seed: bits, transforms: [{ type, bits }] });
      }
    }
    expectSame({ ...size, seed: 1, transforms: [{ type: 'subtractGreen' }] });
  });

  it('may have a palette of any size, and indices beyond it', { tags: 'slow' }, () => {
    for (let colors = 1; colors <= 256; colors += colors < 20 ? 1 : 59) {
      const transforms = [{ type: 'indexing', colors }] as const;
      expectSame({ ...size, seed: colors, transforms });
      expectSame({ ...size, width: 33, seed: colors, transforms, isGreen: true });
    }
  });

  it('may have all transforms in any order', { tags: 'slow' }, () => {
    const all: readonly MadeTransform[] = [
      { type: 'predictor', bits: 3 },
      { type: 'crossColor', bits: 2 },
      { type: 'subtractGreen' },
      { type: 'indexing', colors: 12 },
    ];
    for (const [seed, order] of orders(all).entries()) {
      expectSame({ ...size, seed, transforms: order, isGreen: seed % 3 === 0 });
      expectSame({ ...size, width: 1 + seed, seed, transforms: order.slice(1), cacheBits: 4 });
    }
  });

  it('may have a colour cache of any size', { tags: 'slow' }, () => {
    for (let cacheBits = 1; cacheBits <= 11; cacheBits++) {
      expectSame({ ...size, seed: cacheBits, cacheBits });
      expectSame({ ...size, seed: cacheBits, cacheBits, isGreen: true });
      expectSame({ ...size, seed: cacheBits, cacheBits, groups: { bits: 4, number: 3 } });
    }
  });

  it('may have groups of codes for tiles of any size, of which not all are used', {
    tags: 'slow',
  }, () => {
    for (let bits = 2; bits <= 9; bits++) {
      expectSame({ ...size, seed: bits, groups: { bits, number: 5 } });
      expectSame({ ...size, seed: bits, groups: { bits, number: 2, stated: 40 }, cacheBits: 3 });
      expectSame({ ...size, seed: bits, groups: { bits, number: 6 }, isGreen: true });
    }
    expectSame({ ...size, seed: 3, groups: { bits: 2, number: 15, stated: 45 } });
  });

  it('may have codes of any lengths', { tags: 'slow' }, () => {
    for (let seed = 100; seed < 200; seed++) {
      const random = new Random(seed);
      const [width, height] = [1 + (random.word() % 90), 1 + (random.word() % 40)];
      expectSame({ width, height, seed, references: random.unit() / 2 });
      expectSame({ width, height, seed, isGreen: true, cacheBits: seed & 3 });
    }
  });

  it('may refer to all pixels near by, also where they are before the row', () => {
    for (const width of [1, 2, 7, 8, 9, 30]) {
      const height = Math.ceil(1100 / width);
      const start = Math.max(300, width * 8);
      const noise = new Random(width);
      const byte = () => noise.word() & 255;
      const tokens = [
        ...Array.from({ length: start }, () => ({
          color: [byte(), byte(), byte(), byte()] as const,
        })),
        ...Array.from({ length: 120 }, (_, i) => ({ length: 1, code: i + 1 })),
      ];
      expectSame({ width, height, seed: width, tokens });
    }
  });

  it('may repeat what overlaps with itself', { tags: 'slow' }, () => {
    for (const isGreen of [false, true]) {
      for (let distance = 1; distance <= 40; distance++) {
        const noise = new Random(distance);
        const tokens = [
          ...Array.from({ length: 50 }, () => ({
            color: [noise.word() & 255, 9, 9, 9] as const,
          })),
          ...[1, 2, 3, 15, 16, 17, 100].map((length) => ({ length, code: 120 + distance })),
        ];
        expectSame({ width: 24, height: 20, seed: 1, tokens, isGreen });
      }
    }
  });

  it('may have references of 58 bits', () => {
    const width = 1021;
    const height = 640;
    /** One symbol of each length up to 14 bits, and two of 15. */
    const steep = (alphabet: number, ...symbols: number[]) => {
      const lengths = new Array<number>(alphabet).fill(0);
      symbols.forEach((symbol, i) => {
        lengths[symbol] = Math.min(i + 1, 15);
      });
      return new PrefixCode(lengths);
    };
    const random = new Random(58);
    const green = steep(280, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 255, 279);
    const distance = steep(40, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 37, 38);
    const bits = new BitWriter();
    bits.number(0x2f, 8);
    bits.number(width - 1, 14);
    bits.number(height - 1, 14);
    bits.number(0, 4 + 3);
    green.describe(bits, random);
    for (let i = 0; i < 3; i++) describeSimple(bits, [9]);
    distance.describe(bits, random);
    let left = width * height;
    for (; left > width * height - 2 * width; left--) green.write(bits, random.word() % 14);
    // the row above, again and again
    for (; left > 100_000; left -= 4096) {
      green.write(bits, 279);
      bits.number(1023, 10);
      distance.write(bits, 0);
    }
    for (let i = 0; i < 24; i++) {
      green.write(bits, 279);
      bits.number(i, 10);
      distance.write(bits, 38);
      bits.number(i * 997, 18);
      left -= 3073 + i;
    }
    for (; left > 0; left--) green.write(bits, random.word() % 14);
    const file = riff('VP8L', bits.finished());
    const { status: outcome, data } = decodedLossless(file);
    expect(outcome).toBe(status.sound);
    expect(data.equals(libwebpPixels(file) ?? Buffer.alloc(0))).toBe(true);
  });

  it('may refer to pixels far back, on the other side of where the ring ends', () => {
    const farthest = 2 ** 20 - 120;
    for (const isGreen of [false, true]) {
      const noise = new Random(5);
      const tokens = [
        ...Array.from({ length: 5000 }, () => ({
          color: [noise.word() & 255, 9, 9, 9] as const,
        })),
        ...Array.from({ length: 265 }, (_, i) => ({ length: 4096, code: 5000 - i + 120 })),
        ...[4096, 3, 1000, 4095, 2].map((length) => ({ length, code: farthest + 120 })),
        ...[4096, 77, 4096].map((length, i) => ({ length, code: farthest + 119 - i * 4000 })),
      ];
      expectSame({ width: 1531, height: 731, seed: 5, tokens, isGreen, references: 0.9 });
    }
  });

  it('puts all of a reference into the cache, also behind where the ring ends', () => {
    const noise = new Random(6);
    const byte = () => noise.word() & 255;
    const tokens = [
      ...Array.from({ length: 4000 }, () => ({
        color: [byte(), byte(), byte(), byte()] as const,
      })),
      ...Array.from({ length: 256 }, () => ({ length: 4096, code: 4000 + 120 })),
    ];
    expectSame({ width: 1024, height: 1030, seed: 7, tokens, cacheBits: 11 });
  });
});

function orders<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) =>
    orders(items.filter((_, j) => j !== i)).map((rest) => [item, ...rest]),
  );
}
