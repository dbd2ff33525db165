import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../support/random.ts';
import { type CodingOptions, codedLossless, transforms } from './encoder-stage.ts';
import { drawn, encoded, libwebpPixels, type Picture } from './libwebp-pictures.ts';
import { losslessPictures } from './lossless-pictures.ts';
import { decodedLossless, riff, status } from './lossless-stage.ts';

const random = new Random(31);
const below = (n: number) => Math.floor(random.unit() * n);

const { photo, translucent, noise, painted } = losslessPictures(random);
/** Areas that are fully transparent, with colors under them. */
const veiled = (width: number, height: number) =>
  drawn(width, height, (x, y) => {
    const alpha = (x >> 3) + (y >> 3);
    return [(x * 3) & 255, below(256), (x ^ y) & 255, alpha % 3 === 0 ? 0 : 255 - (alpha % 2) * x];
  });
const flat = (width: number, height: number) => drawn(width, height, () => [12, 34, 56, 255]);
/** Pixels with nothing under full transparency. */
function shown(pixels: Uint8Array): Buffer {
  const copy = Buffer.from(pixels);
  for (let i = 0; i < copy.length; i += 4) if (copy[i + 3] === 0) copy.fill(0, i, i + 3);
  return copy;
}

/** Codes a picture, and makes sure that both decoders read it as it was. Returns bytes. */
function expectKept(picture: Picture, options: CodingOptions = {}): number {
  const { data, taken, counted, kind } = codedLossless(picture, options);
  const name = `${picture.width} × ${picture.height}, ${JSON.stringify(options)}, ${kind}`;
  const file = riff('VP8L', data ?? Buffer.alloc(0));
  const own = decodedLossless(file);
  const seen = options.keepsHidden === false ? shown : (pixels: Uint8Array) => Buffer.from(pixels);
  expect(own.status, name).toBe(status.sound);
  expect(seen(own.data).equals(seen(picture.data)), name).toBe(true);
  expect(own.data.equals(libwebpPixels(file) ?? Buffer.alloc(0)), name).toBe(true);
  expect(taken, name).toBeLessThanOrEqual(counted);
  return file.length;
}

const { indexed, ...kinds } = transforms;

describe('a lossless picture', () => {
  it('is kept in every size', { tags: 'slow' }, () => {
    for (let size = 1; size <= 33; size++) {
      expectKept(photo(size, 34 - size));
      expectKept(photo(size, size), { kind: kinds.predictiveWithoutGreen });
      expectKept(noise(34 - size, size), { kind: size & 3 });
      expectKept(veiled(size, 40), { keepsHidden: false, kind: 2 + (size & 1) });
    }
  });

  it('is kept whatever is done to its pixels', () => {
    for (const picture of [photo(90, 70), translucent(70, 90), noise(50, 40), flat(60, 50)]) {
      for (const kind of Object.values(kinds)) expectKept(picture, { kind });
    }
  });

  it('is kept with a palette of any size', { tags: 'slow' }, () => {
    for (const colors of [1, 2, 3, 4, 5, 15, 16, 17, 60, 255, 256, 257]) {
      for (const width of [1, 7, 8, 9, 64, 101]) {
        const picture = painted(width, 40, colors);
        expectKept(picture);
        if (colors <= 256) expectKept(picture, { kind: indexed });
      }
    }
  });

  it('keeps colours under full transparency, or what is seen', { tags: 'slow' }, () => {
    for (const keepsHidden of [true, false]) {
      for (const kind of Object.values(kinds)) {
        expectKept(veiled(100, 75), { keepsHidden, kind });
        expectKept(translucent(61, 47), { keepsHidden, kind });
      }
    }
  });

  it('takes fewer bytes where hidden colours may change', () => {
    const picture = veiled(200, 150);
    const kept = expectKept(picture);
    expect(expectKept(picture, { keepsHidden: false })).toBeLessThan(0.8 * kept);
  });

  it('says whether there is alpha', () => {
    const alphaBit = (picture: Picture) => ((codedLossless(picture).data?.[4] ?? 0) >> 4) & 1;
    expect(alphaBit(photo(33, 21))).toBe(0);
    expect(alphaBit(veiled(33, 21))).toBe(1);
    const last = photo(33, 21);
    last.data[last.data.length - 1] = 254;
    expect(alphaBit(last)).toBe(1);
  });

  it('is kept where it is very wide or high', { tags: 'slow' }, () => {
    for (const [width, height] of [
      [16_383, 1],
      [1, 16_383],
      [16_383, 19],
      [19, 16_383],
    ] as const) {
      expectKept(photo(width, height), { kind: kinds.predictiveWithoutGreen });
      expectKept(painted(width, height, 9));
      expectKept(painted(width, height, 400), { kind: kinds.direct });
    }
  });

  it('is kept across the bands that it is coded in', { tags: 'slow' }, () => {
    const screen = painted(1000, 900, 300);
    for (const kind of [kinds.direct, kinds.predictive]) expectKept(screen, { kind });
    expectKept(photo(700, 620));
    // the second half repeats the first one, far above it
    const half = noise(640, 800);
    const twice = Buffer.concat([half.data, half.data]);
    const bytes = expectKept({ width: 640, height: 1600, data: twice }, { kind: kinds.direct });
    expect(bytes).toBeLessThan(0.55 * twice.length);
  });

  it('takes little more than its pixels where it is noise', { tags: 'slow' }, () => {
    const picture = noise(500, 400);
    expect(expectKept(picture)).toBeLessThan(1.01 * picture.data.length);
    const opaque = drawn(500, 400, () => [below(256), below(256), below(256), 255]);
    expect(expectKept(opaque)).toBeLessThan((1.02 * opaque.data.length * 3) / 4);
  });

  it('takes no more bytes than libwebp makes of it', { tags: 'slow' }, () => {
    const smooth = drawn(150, 100, (x, y) => [
      128 + 100 * Math.sin(x / 40) + below(4),
      128 + 90 * Math.cos(y / 30) + below(4),
      128 + 80 * Math.sin((x + y) / 50) + below(4),
      255,
    ]);
    for (const picture of [smooth, painted(150, 100, 12), painted(150, 100, 600)]) {
      const theirs = encoded(picture, { lossless: 1 }).length;
      expect(expectKept(picture)).toBeLessThan(1.02 * theirs);
    }
  });

  it('comes out the same when rows are gone through again', { tags: 'slow' }, () => {
    for (const picture of [photo(300, 900), painted(200, 300, 9), painted(300, 300, 400)]) {
      const once = codedLossless(picture);
      const twice = codedLossless(picture, { runs: 2 });
      if (once.kind === indexed) continue;
      expect(twice.data?.equals(once.data ?? Buffer.alloc(0))).toBe(true);
    }
  });

  it('is given up without room', { tags: 'slow' }, () => {
    const picture = noise(300, 300);
    const { taken } = codedLossless(picture);
    expect(codedLossless(picture, { limit: 100_000 }).data).toBeNull();
    expect(codedLossless(picture, { limit: taken - 1 }).data).toBeNull();
    expect(codedLossless(picture, { limit: taken + 100_000 }).data).toBeNull();
    expect(codedLossless(picture, { limit: taken + 500_000 }).data).not.toBeNull();
  });
});
