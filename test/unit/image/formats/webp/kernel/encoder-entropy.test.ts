import { describe, expect, it } from 'vitest';
import { itForEach } from '../../../../../support/each.ts';
import { Random } from '../../../../../support/random.ts';
import { pixelsOf } from '../reading.ts';
import {
  type CodedFrame,
  type CodedMacroblock,
  type CodedResult,
  codedFrame,
  type FrameSettings,
  headerBytes,
  type ReadMacroblock,
  readFrame,
  webpOf,
} from './entropy-stage.ts';
import { libwebpPixels } from './libwebp-pictures.ts';
import { type Draw, madeFrame } from './made-levels.ts';

/** Where a position of the zigzag lies in its block (RFC 6386 §13). */
const zigzag = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15];

/** The coefficients that the decoder makes of levels at the finest steps: 4, and 8 of the second order. */
function expectedCoefficients({ levels, isByBlock }: CodedMacroblock): Int16Array {
  const coefficients = new Int16Array(24 * 16);
  for (let block = 0; block < 24; block++) {
    for (let n = 0; n < 16; n++) {
      coefficients[16 * block + (zigzag[n] ?? 0)] = 4 * (levels[16 * block + n] ?? 0);
    }
  }
  if (isByBlock) return coefficients;
  const second = Array.from({ length: 16 }, (_, at) => 8 * (levels[384 + zigzag.indexOf(at)] ?? 0));
  for (const [block, value] of walshHadamard(second).entries()) coefficients[16 * block] = value;
  return coefficients;
}

/** The inverse transform (RFC 6386 §14.3). */
function walshHadamard(input: readonly number[]): number[] {
  const turned = (values: readonly number[], i: number, step: number) => {
    const [a = 0, b = 0, c = 0, d = 0] = [0, 1, 2, 3].map((k) => values[i + k * step]);
    return [a + d + b + c, a - d + b - c, a + d - b - c, a - d - b + c];
  };
  const columns = [0, 1, 2, 3].map((i) => turned(input, i, 4));
  const middle = [0, 1, 2, 3].flatMap((y) => columns.map((column) => column[y] ?? 0));
  return [0, 1, 2, 3].flatMap((y) => turned(middle, 4 * y, 1).map((value) => (value + 3) >> 3));
}

function expectRead(frame: CodedFrame, coded: CodedResult): void {
  const all = readFrame(coded.payload, frame.across, frame.down);
  expect(all.length).toBe(frame.macroblocks.length);
  const hasMap = new Set(frame.macroblocks.map(({ segment }) => segment)).size > 1;
  for (const [i, macroblock] of frame.macroblocks.entries()) {
    const { levels, ...rest } = macroblock;
    const expected: ReadMacroblock = {
      ...rest,
      segment: hasMap ? macroblock.segment : 0,
      coefficients: macroblock.isSkipped ? null : expectedCoefficients(macroblock),
    };
    expect(all[i], `macroblock ${i}`).toEqual(expected);
  }
}

function expectAccepted(frame: CodedFrame, coded: CodedResult): void {
  const file = webpOf(coded.payload);
  const pixels = libwebpPixels(file);
  if (!pixels) throw new Error('libwebp refuses the frame');
  expect(pixels.length).toBe(4 * 256 * frame.across * frame.down);
  expect(pixelsOf(file).equals(pixels)).toBe(true);
}

const draws: readonly [string, Draw][] = [
  ['sparse levels', { density: 0.05, largest: 3 }],
  ['photo-like levels', { density: 0.15, largest: 12 }],
  ['dense levels', { density: 0.5, largest: 80 }],
  ['levels of any size', { density: 0.5, largest: 2047 }],
  ['nothing but zeros, skipped', { density: 0, largest: 1, skipped: 1 }],
  ['nothing but zeros, not skipped', { density: 0, largest: 1, skipped: 0 }],
  ['nothing skipped', { density: 0.1, largest: 9, skipped: 0 }],
  ['whole macroblocks only', { density: 0.1, largest: 9, byBlock: 0 }],
  ['blocks only', { density: 0.1, largest: 9, byBlock: 1 }],
  ['one segment', { density: 0.1, largest: 9, segments: 1 }],
  ['two segments', { density: 0.1, largest: 9, segments: 2 }],
];

describe('entropy coding of a frame', () => {
  itForEach(draws, 'is read as it was written: %s', (_name, draw) => {
    for (const [i, size] of (
      [
        [1, 1],
        [5, 3],
        [33, 2],
        [2, 33],
      ] as const
    ).entries()) {
      const frame = madeFrame(i + 1, size, draw);
      const coded = codedFrame(frame);
      expect(coded.status).toBe(0);
      expectRead(frame, coded);
      // beyond that, transforms overflow, each decoder's in its own way
      if (draw.largest < 1000) expectAccepted(frame, coded);
    }
  });

  it('is read as it was written in every size', { tags: 'slow' }, () => {
    for (let size = 1; size <= 33; size++) {
      const frame = madeFrame(size, [size, 34 - size], { density: 0.08, largest: 5 });
      expectRead(frame, codedFrame(frame));
    }
  });

  it('has every magnitude', () => {
    const random = new Random(5);
    const frame = madeFrame(5, [4, 4], { density: 0, largest: 1, skipped: 0, byBlock: 1 });
    for (const [i, { levels }] of frame.macroblocks.entries()) {
      for (let n = 0; n < 384; n++) {
        const magnitude = 1 + ((384 * i + n) % 2047);
        levels[n] = random.unit() < 0.5 ? -magnitude : magnitude;
      }
    }
    expectRead(frame, codedFrame(frame));
  });

  it.each<[string, FrameSettings]>([
    ['quantizers', { quantizers: [3, 20, 60, 127], deltas: [15, -15, 3, -2, 1] }],
    ['a quantizer of deltas', { quantizers: [40, 40, 40, 40], deltas: [0, 7, 0, -9, 15] }],
    ['the normal filter', { filterLevels: [10, 0, 63, 20], sharpness: 5 }],
    ['the simple filter', { filterLevels: [10, 12, 63, 20], isSimple: true, sharpness: 2 }],
  ])('says in the header: %s', (_name, settings) => {
    for (const segments of [1, 4]) {
      const frame = madeFrame(9, [6, 5], { density: 0.05, largest: 4, segments }, settings);
      expectAccepted(frame, codedFrame(frame));
    }
  });
});

describe('a frame whose tokens are not kept', () => {
  const frame = madeFrame(3, [60, 40], { density: 0.3, largest: 30 });
  const kept = codedFrame(frame);

  it('is the same, whether they are counted or run out of room', { tags: 'slow' }, () => {
    expect(kept.status).toBe(0);
    expect(kept.isExhausted).toBe(false);
    expect(kept.tokenBytes).toBeGreaterThan(3 * 32_768);
    const counted = codedFrame(frame, { counts: true });
    expect(counted.isExhausted).toBe(true);
    expect(counted.payload.equals(kept.payload)).toBe(true);
    const outcomes = new Set<string>();
    for (let pieces = 0; pieces < 24; pieces++) {
      const limited = codedFrame(frame, { room: pieces * 32_768 });
      outcomes.add(limited.status === 0 ? `exhausted: ${limited.isExhausted}` : 'no room');
      if (limited.status !== 0) continue;
      expect(limited.payload.equals(kept.payload), `${pieces} pieces`).toBe(true);
    }
    expect([...outcomes]).toEqual(['no room', 'exhausted: true', 'exhausted: false']);
  });

  it('is written in the room that its tokens have', () => {
    let before = 0;
    const { taken } = codedFrame(frame, {
      onEnd: ({ calls }) => {
        before = calls.taken?.() ?? 0;
      },
    });
    expect(taken).toBe(before);
  });
});

/**
 * Bytes of a partition that libwebp's bit reader has loaded when it has read what lies in the first `needed` ones. It
 * loads words without their last byte if these are of 3, 5, 6 or 7 bytes, as long as they lie in the partition, and
 * single bytes after that (`VP8LoadNewBytes` in `bit_reader_inl_utils.h`).
 */
function loadedBytes(partition: number, needed: number, bits: number): number {
  const step = bits / 8;
  const word = [1, 2, 4, 8].find((bytes) => bytes >= step) ?? 8;
  let loaded = 0;
  while (loaded < needed) loaded += partition - loaded >= word ? step : 1;
  return loaded;
}

describe('a first partition that is short', () => {
  it('outlasts the header in bit readers of every word size', { tags: 'slow' }, () => {
    for (const [across, down] of [
      [1, 1],
      [2, 1],
      [1, 3],
      [2, 2],
      [5, 1],
    ] as const) {
      for (let seed = 0; seed < 6; seed += 1) {
        const density = seed % 3 === 0 ? 0 : 0.05 * seed;
        const draw = {
          density,
          largest: 1 + 3 * seed,
          byBlock: seed % 2,
          segments: 1 + (seed % 4),
        };
        const { payload, firstBytes } = codedFrame(madeFrame(seed, [across, down], draw));
        const needed = headerBytes(payload, across, down);
        for (const bits of [8, 16, 24, 32, 40, 48, 56]) {
          expect(loadedBytes(firstBytes, needed, bits), `${bits} bits`).toBeLessThan(firstBytes);
        }
        expect(firstBytes).toBeGreaterThanOrEqual(needed + 4);
      }
    }
  });

  it('is not padded beyond that', () => {
    const frame = madeFrame(1, [1, 1], { density: 0, largest: 1, byBlock: 0, segments: 1 });
    const { payload, firstBytes } = codedFrame(frame);
    expect(firstBytes).toBeLessThanOrEqual(headerBytes(payload, 1, 1) + 5);
  });
});

describe('a first partition that is too long', () => {
  it('is refused', { tags: 'slow' }, () => {
    const frame = madeFrame(4, [300, 250], { density: 0, largest: 1, byBlock: 1 });
    expect(codedFrame(frame).status).toBe(2);
    const fewer = madeFrame(4, [240, 190], { density: 0, largest: 1, byBlock: 1 });
    const coded = codedFrame(fewer);
    expect(coded.firstBytes).toBeGreaterThan(400_000);
    expectRead(fewer, coded);
  });
});
