import { describe, expect, it } from 'vitest';
import { arena } from '../../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../../src/image/wasm/budgets.ts';
import { Random } from '../../../../../support/random.ts';
import { codedAlpha, transforms } from './encoder-stage.ts';
import { encoded, libwebpPixels, type Picture } from './libwebp-pictures.ts';
import { smoothlyVeiled, veiled, veiledInSteps } from './lossless-pictures.ts';
import { chunkOf, decodedAlpha, status, withChunk } from './lossless-stage.ts';

// libwebp's encoder takes a lot for the larger ones
arena.reserve(arenaCeiling);

const random = new Random(37);
const below = (n: number) => Math.floor(random.unit() * n);

const noise = (width: number, height: number) => veiled(width, height, () => below(256));
/** A disc with a soft edge, as cut-outs have. */
const disc = (width: number, height: number) =>
  veiled(width, height, (x, y) => {
    const distance = Math.hypot(x - width / 2, y - height / 2) - Math.min(width, height) / 3;
    return Math.max(0, Math.min(255, 128 - 60 * distance));
  });

const alphaOf = (pixels: Uint8Array) => Buffer.from(pixels.filter((_, i) => i % 4 === 3));

/** Codes a plane, and makes sure that both decoders read it as it was. Returns its bytes. */
function expectKept(picture: Picture, isSurveyed: boolean): number {
  const { data, taken, counted, kind } = codedAlpha(picture, isSurveyed);
  const name = `${picture.width} × ${picture.height}, ${isSurveyed}, ${kind}`;
  const lossy = encoded({ ...picture, data: withHole(picture) }, { method: 0 });
  const file = withChunk(lossy, 'ALPH', data ?? Buffer.alloc(0));
  const own = decodedAlpha(file);
  expect(own.status, name).toBe(status.sound);
  expect(own.data.equals(alphaOf(picture.data)), name).toBe(true);
  const theirs = alphaOf(libwebpPixels(file) ?? Buffer.alloc(0));
  expect(own.data.equals(theirs), name).toBe(true);
  expect(taken, name).toBeLessThanOrEqual(counted);
  return data?.length ?? 0;
}

/** The same with a pixel that is not opaque, so that libwebp writes a plane. */
function withHole({ data }: Picture): Uint8Array {
  const copy = Uint8Array.from(data);
  copy[3] = 7;
  return copy;
}

describe('a plane of alpha', () => {
  it('is kept in every size', { tags: 'slow' }, () => {
    for (let size = 1; size <= 33; size++) {
      expectKept(noise(size, 34 - size), false);
      expectKept(smoothlyVeiled(34 - size, size), true);
      expectKept(veiledInSteps(size, size, 3), true);
    }
  });

  it('is kept with any number of levels', { tags: 'slow' }, () => {
    for (const levels of [1, 2, 3, 4, 5, 16, 17, 100, 256]) {
      for (const isSurveyed of [true, false]) expectKept(veiledInSteps(70, 50, levels), isSurveyed);
    }
  });

  it('is a palette of few levels after a survey', () => {
    expect(codedAlpha(veiledInSteps(100, 80, 5), true).kind).toBe(transforms.indexed);
    const surveyed = expectKept(veiledInSteps(100, 80, 5), true);
    expect(surveyed).toBeLessThan(expectKept(veiledInSteps(100, 80, 5), false));
  });

  it('is kept where it is very wide or high, and across bands', { tags: 'slow' }, () => {
    expectKept(smoothlyVeiled(16_383, 3), false);
    expectKept(smoothlyVeiled(3, 16_383), false);
    expectKept(disc(900, 700), false);
    expectKept(noise(500, 400), true);
  });

  it('takes about as many bytes as libwebp makes of it', { tags: 'slow' }, () => {
    for (const picture of [disc(400, 300), smoothlyVeiled(300, 200), noise(200, 100)]) {
      const { length } = chunkOf(encoded(picture, { method: 4 }), 'ALPH');
      expect(expectKept(picture, true)).toBeLessThan(1.03 * length + 40);
    }
  });

  it('takes little more than its samples where it is noise', () => {
    expect(expectKept(noise(400, 300), false)).toBeLessThan(1.02 * 400 * 300);
  });

  it('takes little memory whatever its size', () => {
    const plane = { width: 4000, height: 24, data: new Uint8Array(4000 * 24 * 4) };
    expect(codedAlpha(plane, false).taken).toBeLessThan(4 * 2 ** 20);
  });
});
