import type { EncodeOptions } from '@jsquash/webp/codec/enc/webp_enc.js';
import { describe, expect, it } from 'vitest';
import { CodecError } from '../../../../../../src/image/wasm/codec.ts';
import { kernelTraps } from '../../../../../support/kernels.ts';
import { Random } from '../../../../../support/random.ts';
import { pixelsOf } from '../reading.ts';
import { drawn, encoded, libwebpPixels } from './libwebp-pictures.ts';
import { type MadeFrame, madeWebp } from './made-frames.ts';
import { mixed as mixedPicture } from './made-pictures.ts';

const random = new Random(8);
const below = (n: number) => Math.floor(random.unit() * n);

const mixed = (width: number, height: number) => mixedPicture(width, height, random);
const picture = mixed(83, 61);

function expectSame(file: Uint8Array, name: string): void {
  const expected = libwebpPixels(file);
  if (!expected) throw new Error(`libwebp refuses ${name}`);
  expect(pixelsOf(file).equals(expected), name).toBe(true);
}

describe('a lossy picture made by libwebp', () => {
  it.each<[string, Partial<EncodeOptions>[]]>([
    ['methods', [0, 1, 2, 3, 4, 5, 6].map((method) => ({ method }))],
    ['qualities', [0, 5, 20, 50, 80, 95, 100].map((quality) => ({ quality }))],
    ['segments', [1, 2, 3, 4].map((segments) => ({ segments, sns_strength: 100 }))],
    [
      'simple filters',
      [0, 1, 10, 40, 70, 100].map((filter_strength) => ({ filter_strength, filter_type: 0 })),
    ],
    [
      'normal filters',
      [0, 1, 10, 40, 70, 100].map((filter_strength) => ({ filter_strength, filter_type: 1 })),
    ],
    [
      'sharpness of filters',
      [0, 1, 2, 3, 4, 5, 6, 7].flatMap((filter_sharpness) =>
        [0, 1].map((filter_type) => ({ filter_sharpness, filter_type, quality: 30 })),
      ),
    ],
    ['partitions', [0, 1, 2, 3].map((partitions) => ({ partitions, low_memory: 1 }))],
    ['coarse prediction', [0, 50, 100].map((partition_limit) => ({ partition_limit }))],
  ])('decodes the same with all %s', (_name, all) => {
    for (const options of all) expectSame(encoded(picture, options), JSON.stringify(options));
  });

  it('decodes the same where coefficients are large', { tags: 'slow' }, () => {
    // steps of full height in all directions
    const checks = drawn(400, 300, (x, y) => {
      const level = (x * (1 + (y >> 6)) + y * (x >> 6)) % 13 < 6 ? below(40) : 215 + below(40);
      return [level, level, level, 255];
    });
    for (const quality of [30, 70, 98]) expectSame(encoded(checks, { quality }), `${quality}`);
  });

  it('decodes the same in every size', { tags: 'slow' }, () => {
    for (let size = 1; size <= 33; size++) {
      for (const filter_type of [0, 1]) {
        const options = { quality: 40, filter_type, method: 1 };
        expectSame(encoded(mixed(size, 34 - size), options), `${size} × ${34 - size}`);
        expectSame(encoded(mixed(size, 49), options), `${size} × 49`);
      }
    }
    expectSame(encoded(mixed(16_383, 3), { method: 0 }), 'wide');
    expectSame(encoded(mixed(3, 16_383), { method: 0 }), 'high');
  });
});

describe('a lossy picture of noise', () => {
  const segments = {
    hasMap: true,
    isAbsolute: true,
    quantizers: [3, 0, 9, 14],
    levels: [10, 63, 0, 25],
    tree: [100, 180, 30],
  };
  it.each<[string, Partial<MadeFrame>]>([
    ['with the normal filter', { level: 33 }],
    ['with the simple filter', { level: 33, isSimple: true }],
    ['with a filter of level 15', { level: 15 }],
    ['with a filter of level 39', { level: 39 }],
    ['with a filter of level 40', { level: 40 }],
    ['with sharpness 4', { level: 50, sharpness: 4 }],
    ['with sharpness 5', { level: 50, sharpness: 5 }],
    ['without a filter', { level: 0 }],
    ['with a sharp filter', { level: 63, sharpness: 7 }],
    ['with a filter that depends on prediction', { level: 30, deltas: [-12, 31] }],
    ['with a filter beyond its range', { level: 60, deltas: [40, -63] }],
    ['with segments', { segments }],
    ['with segments beside the frame', { segments: { ...segments, isAbsolute: false } }],
    ['with segments out of range', { segments: { ...segments, quantizers: [-9, 2, -1, 5] } }],
    ['with segments of even tree', { segments: { ...segments, tree: null } }],
    ['with segments that nothing is in', { segments: { ...segments, hasMap: false } }],
    ['with quantizers apart', { quantizer: 4, quantizerDeltas: [5, -3, 4, 6, -4] }],
    ['with coarse quantizers', { quantizer: 70 }],
    ['with the coarsest quantizers', { quantizer: 127 }],
    ['with quantizers out of range', { quantizer: 0, quantizerDeltas: [-15, -15, -15, -15, -15] }],
    ['in two partitions', { partitions: 1 }],
    ['in four partitions', { partitions: 2 }],
    ['in eight partitions', { partitions: 3 }],
  ])('decodes the same %s', (name, frame) => {
    for (const [i, [width, height]] of [
      [90, 150],
      [33, 17],
    ].entries()) {
      const file = madeWebp({ width: width ?? 1, height: height ?? 1, seed: 40 + i, ...frame });
      expectSame(file, name);
    }
  });

  it('is refused exactly where libwebp refuses it: by the byte', { tags: 'slow' }, () => {
    const whole = madeWebp({ width: 40, height: 50, seed: 7, partitions: 1, noise: [40, 60] });
    const accepted = new Set<boolean>();
    for (let cut = 1; cut < 700; cut += 3) {
      const file = shortened(whole, 2 * cut);
      const isTheirs = libwebpPixels(file) !== null;
      expect(isAccepted(file), `${cut}`).toBe(isTheirs);
      accepted.add(isTheirs);
    }
    expect(accepted.size).toBe(2);
  });

  it('is refused or accepted as by libwebp with bits flipped', { tags: 'slow' }, () => {
    const { traps, restore } = kernelTraps('file-window');
    const accepted = new Set<boolean>();
    for (let i = 0; i < 300; i++) {
      const whole = { width: 40, height: 50, partitions: i & 3, noise: [40, 60] as const };
      const file = madeWebp({ ...whole, seed: 100 + (i >> 4) });
      for (let flips = i % 3; flips >= 0; flips--) {
        // frame tag, header and the sizes of partitions, or anything
        const at = 20 + below(flips === 0 ? 60 : file.length - 20);
        file[at] = (file[at] ?? 0) ^ (1 << below(8));
      }
      const isTheirs = libwebpPixels(file) !== null && isOfSize(file);
      expect(isAccepted(file), `${i}`).toBe(isTheirs);
      accepted.add(isTheirs);
    }
    restore();
    expect(accepted.size).toBe(2);
    expect(traps).toEqual([]);
  });

  it('is refused where tokens begin beyond the range of the coder', () => {
    const file = madeWebp({ width: 40, height: 50, seed: 3, noise: [40, 4] });
    const tag = new DataView(file.buffer).getUint32(20, true) & 0xffffff;
    file[30 + (tag >> 5)] = 255;
    expect(libwebpPixels(file)).toBeNull();
    expect(isAccepted(file)).toBe(false);
  });

  it('is refused where nothing is left of its partitions', () => {
    const whole = madeWebp({ width: 40, height: 50, seed: 7, partitions: 3 });
    for (const left of [0, 2, 9, 10, 11, 40]) {
      const file = shortened(whole, whole.length - 20 - left);
      expect(libwebpPixels(file), `${left}`).toBeNull();
      expect(isAccepted(file), `${left}`).toBe(false);
    }
  });
});

/** A file whose chunk ends so many bytes earlier. */
function shortened(file: Uint8Array, bytes: number): Uint8Array {
  const short = file.slice(0, file.length - bytes);
  const view = new DataView(short.buffer);
  view.setUint32(4, short.length - 8, true);
  view.setUint32(16, short.length - 20, true);
  return short;
}

/** Whether the frame says that it is of the size that is expected of it. */
function isOfSize(file: Uint8Array): boolean {
  const view = new DataView(file.buffer, file.byteOffset);
  return (view.getUint16(26, true) & 0x3fff) === 40 && (view.getUint16(28, true) & 0x3fff) === 50;
}

function isAccepted(file: Uint8Array): boolean {
  const whole = { width: 40, height: 50, alpha: null, hasAlpha: false };
  const range = { offset: 20, length: file.length - 20 };
  try {
    pixelsOf(file, { ...whole, color: { kind: 'lossy', range } });
    return true;
  } catch (error) {
    if (error instanceof CodecError) return false;
    throw error;
  }
}
