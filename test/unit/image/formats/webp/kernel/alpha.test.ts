import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../support/random.ts';
import { encoded, libwebpPixels, type Picture } from './libwebp-pictures.ts';
import { smoothlyVeiled, veiled, veiledInSteps } from './lossless-pictures.ts';
import { chunkOf, decodedAlpha, status, withChunk } from './lossless-stage.ts';
import { type MadeStream, madeStream } from './made-streams.ts';
import { BitWriter, describeSimple } from './prefix-code-writer.ts';

const random = new Random(23);
const below = (n: number) => Math.floor(random.unit() * n);

/** The alpha that libwebp's decoder reads in a file; null if it refuses it. */
function libwebpAlpha(file: Buffer): Buffer | null {
  const pixels = libwebpPixels(file);
  return pixels && Buffer.from(pixels.filter((_, i) => i % 4 === 3));
}

function expectSame(file: Buffer, name: string, runs = 1): void {
  const { status: outcome, data, taken, counted } = decodedAlpha(file, { runs });
  expect(outcome, name).toBe(status.sound);
  expect(data.equals(libwebpAlpha(file) ?? Buffer.alloc(0)), name).toBe(true);
  expect(taken, name).toBeLessThanOrEqual(counted);
}

const noise = (width: number, height: number) => veiled(width, height, () => below(256));

/** A lossy picture with other alpha data. */
function withAlpha(picture: Picture, data: Uint8Array): Buffer {
  return withChunk(encoded(picture, { method: 0 }), 'ALPH', data);
}

describe('the alpha of a lossy picture made by libwebp', () => {
  it('decodes the same however it was filtered, reduced and compressed', { tags: 'slow' }, () => {
    for (const picture of [
      smoothlyVeiled(61, 40),
      veiledInSteps(50, 33, 5),
      noise(40, 30),
      veiledInSteps(64, 9, 2),
    ]) {
      for (const alpha_compression of [0, 1]) {
        for (const alpha_filtering of [0, 1, 2]) {
          for (const alpha_quality of [0, 40, 80, 100]) {
            const options = { alpha_compression, alpha_filtering, alpha_quality };
            expectSame(encoded(picture, { method: 1, ...options }), JSON.stringify(options));
          }
        }
      }
    }
  });

  it('decodes the same in every size', { tags: 'slow' }, () => {
    for (let size = 1; size <= 33; size++) {
      expectSame(encoded(noise(size, 34 - size), { method: 0 }), `${size}`);
      expectSame(encoded(veiledInSteps(34 - size, size, 3), { method: 0 }), `${size}`);
    }
    expectSame(encoded(smoothlyVeiled(16_383, 3), { method: 0 }), 'wide');
    expectSame(encoded(noise(9_001, 3), { method: 0, alpha_compression: 0 }), 'wide, raw');
  });

  it('can be gone through again', () => {
    for (const alpha_compression of [0, 1]) {
      expectSame(encoded(smoothlyVeiled(60, 50), { alpha_compression }), 'again', 3);
    }
  });
});

describe('the filters of alpha', () => {
  const picture = noise(37, 20);
  const filters = [0, 1, 2, 3];

  it('are undone where nothing is compressed', () => {
    const samples = Array.from({ length: 37 * 20 }, () => below(256));
    for (const filter of filters) {
      expectSame(withAlpha(picture, Uint8Array.of(filter << 2, ...samples)), `${filter}`);
    }
    const narrow = noise(1, 20);
    for (const filter of filters) {
      const column = Uint8Array.of(filter << 2, ...samples.slice(0, 20));
      expectSame(withAlpha(narrow, column), `narrow, ${filter}`);
    }
  });

  it('are undone behind a VP8L stream of any kind', { tags: 'slow' }, () => {
    const streams: Omit<MadeStream, 'width' | 'height' | 'seed'>[] = [
      {},
      { isGreen: true },
      { isGreen: true, transforms: [{ type: 'indexing', colors: 200 }] },
      { isGreen: true, transforms: [{ type: 'indexing', colors: 16 }] },
      { isGreen: true, transforms: [{ type: 'predictor', bits: 3 }] },
      { isGreen: true, cacheBits: 2, transforms: [{ type: 'crossColor', bits: 2 }] },
      { groups: { bits: 3, number: 4 }, transforms: [{ type: 'indexing', colors: 4 }] },
    ];
    for (const [seed, stream] of streams.entries()) {
      for (const filter of filters) {
        const data = madeStream({ width: 37, height: 20, seed, ...stream }, false);
        const file = withAlpha(picture, Uint8Array.of((filter << 2) | 1, ...data));
        expectSame(file, `${filter}, ${JSON.stringify(stream)}`);
      }
    }
  });
});

describe('damaged alpha', () => {
  const picture = noise(12, 10);
  const samples = Array.from({ length: 120 }, () => below(256));

  function expectRefused(data: Uint8Array, as: number): void {
    const file = withAlpha(picture, data);
    expect(decodedAlpha(file).status).toBe(as);
    expect(libwebpAlpha(file)).toBeNull();
  }

  it('has a header that means nothing', () => {
    for (const header of [0x02, 0x03, 0x20, 0x30, 0x40, 0x80]) {
      expectRefused(Uint8Array.of(header, ...samples), status.badHeader);
    }
    expectSame(withAlpha(picture, Uint8Array.of(0x10, ...samples)), 'reduced levels');
  });

  it('has too few bytes; too many are none', () => {
    for (const length of [0, 60, 119]) {
      expectRefused(Uint8Array.of(0, ...samples.slice(0, length)), status.truncated);
    }
    expectRefused(Uint8Array.of(1), status.truncated);
    expectSame(withAlpha(picture, Uint8Array.of(0, ...samples, 1, 2, 3)), 'bytes left over');
  });

  it('may be of less than eight bytes: as many are read, zeros behind the last', () => {
    /** Alpha of one row, a bit for each pixel behind 31 others, of which 4 bytes are there. */
    const row = (width: number) => {
      const bits = new BitWriter();
      bits.number(1, 8);
      bits.number(0, 3);
      describeSimple(bits, [0, 200]);
      for (let i = 0; i < 4; i++) describeSimple(bits, [0]);
      bits.number(1, 1);
      return withAlpha(noise(width, 1), bits.finished());
    };
    expectSame(row(33), '64 bits');
    expect(decodedAlpha(row(34)).status).toBe(status.truncated);
    expect(libwebpAlpha(row(34))).toBeNull();
  });

  it('by a cut is noticed where libwebp notices it: some may miss the bits of their last symbol', {
    tags: 'slow',
  }, () => {
    const pictures = [
      smoothlyVeiled(30, 9),
      veiledInSteps(30, 20, 2),
      veiledInSteps(30, 20, 4),
      veiledInSteps(31, 20, 30),
    ];
    let missing = 0;
    for (const [i, picture] of pictures.entries()) {
      const file = encoded(picture, { method: 0 });
      const { start, length } = chunkOf(file, 'ALPH');
      for (let bytes = 1; bytes < length; bytes++) {
        const cut = withChunk(file, 'ALPH', file.subarray(start, start + bytes));
        const isAccepted = decodedAlpha(cut).status === status.sound;
        expect(isAccepted, `picture ${i}, ${bytes} bytes`).toBe(libwebpAlpha(cut) !== null);
        if (isAccepted) missing++;
      }
    }
    expect(missing).toBeGreaterThan(0);
  });
});
