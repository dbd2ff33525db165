import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../../../../../bench/codecs/png/coders.ts';
import { plainDecoded } from '../../../../../bench/codecs/png/plain-decoder.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../src/image/wasm/budgets.ts';
import { chunk } from '../../../../support/pictures.ts';
import { cpuMilliseconds } from '../../../../support/time.ts';
import { filteredRows, type Picture, pngWith } from './png-writer.ts';

beforeAll(() => arena.reserve(arenaCeiling));

const picture: Picture = {
  ...{ width: 30, height: 20, colorType: 0, bitDepth: 8 },
  sample: (x, y) => (x * y) & 255,
};
const rows = filteredRows(picture);
const sound = pngWith(picture);

/** Seconds of computing time that an answer takes. */
function secondsFor(file: Uint8Array<ArrayBuffer>, quality: Parameters<typeof answer>[1]): number {
  return cpuMilliseconds(() => answer(file, quality)) / 1000;
}

/** Expects the pixels of a lossless result to be unchanged. */
function expectSame(file: Uint8Array<ArrayBuffer>): void {
  expect(plainDecoded(answer(file, 'lossless') ?? sound)).toEqual(plainDecoded(file));
}

describe('a PNG that takes long to go through for its size', () => {
  it('is left at its last row, whatever follows', { tags: 'slow' }, () => {
    const bomb = pngWith(picture, deflateSync(Buffer.alloc(2 ** 27)));
    expect(
      plainDecoded(answer(bomb, 'lossless') ?? sound).data.every(
        (v, i) => v === (i % 4 === 3 ? 0xffff : 0),
      ),
    ).toBe(true);
    expect(secondsFor(bomb, 'lossless')).toBeLessThan(0.1);
  });

  it('is gone through in time that grows with its rows, where there are very many', {
    tags: 'slow',
  }, () => {
    const ofRows = (height: number) =>
      pngWith({ ...picture, width: 1, height }, deflateSync(Buffer.alloc(2 * height)));
    const few = secondsFor(ofRows(300_000), 'auto');
    expect(secondsFor(ofRows(3_000_000), 'auto')).toBeLessThan(30 * few);
  });

  it.each([
    [
      'before its data',
      (many: Buffer) => Buffer.concat([sound.subarray(0, 33), many, sound.subarray(33)]),
    ],
    [
      'behind its data',
      (many: Buffer) => Buffer.concat([sound.subarray(0, -12), many, sound.subarray(-12)]),
    ],
  ])('has its pixels with 100,000 empty chunks of data %s', { tags: 'slow' }, (_, withMany) => {
    const many = Buffer.alloc(12 * 100_000, chunk('IDAT', Buffer.alloc(0)));
    const file = Uint8Array.from(withMany(many));
    expectSame(file);
    expect(secondsFor(file, 'auto')).toBeLessThan(1);
  });

  it('has its pixels behind a million empty stored blocks', { tags: 'slow' }, () => {
    const many = Buffer.alloc(5_000_000, Uint8Array.of(0, 0, 0, 255, 255));
    const stream = deflateSync(rows);
    const file = pngWith(picture, Buffer.concat([stream.subarray(0, 2), many, stream.subarray(2)]));
    expectSame(file);
    expect(secondsFor(file, 'auto')).toBeLessThan(1);
  });
});

describe('a PNG with colours that make no sense', () => {
  const indexed: Picture = { ...picture, colorType: 3, palette: new Uint8Array(9).fill(200) };

  it('has opaque black for indices beyond its palette', () => {
    const file = pngWith({ ...indexed, transparency: Uint8Array.of(9, 0) });
    expectSame(file);
    expect([...plainDecoded(file).data].slice(-4)).toEqual([0, 0, 0, 65_535]);
  });

  it('has the first of two colours that are transparent', () => {
    const keyed = pngWith({ ...picture, transparency: Uint8Array.of(0, 40) });
    const second = chunk('tRNS', Uint8Array.of(0, 80));
    const data = keyed.length - 12 - pngWith(picture).length + 45;
    const file = Uint8Array.from(
      Buffer.concat([keyed.subarray(0, data), second, keyed.subarray(data)]),
    );
    const result = answer(file, 'lossless') ?? sound;
    expect(plainDecoded(result)).toEqual(plainDecoded(keyed));
  });

  it('has a transparent colour of which only the bits of its depth count', () => {
    const file = pngWith({ ...picture, transparency: Uint8Array.of(7, 40) });
    expectSame(file);
    expect(plainDecoded(file)).toEqual(
      plainDecoded(pngWith({ ...picture, transparency: Uint8Array.of(0, 40) })),
    );
  });

  it('has greys whatever palette stands beside them', () => {
    expectSame(pngWith({ ...picture, palette: new Uint8Array(768).fill(3) }));
  });

  it('is refused where its depth is none of its colour type', () => {
    for (const [colorType, bitDepth] of [
      [2, 4],
      [3, 16],
      [4, 1],
      [6, 2],
      [0, 3],
    ] as const) {
      const palette = new Uint8Array(6);
      const file = pngWith({ ...picture, colorType, bitDepth, palette }, deflateSync(rows));
      expect(answer(file, 'auto')).toBeUndefined();
    }
  });
});

describe('a PNG whose colours are few but more than it needs', () => {
  it('looks like itself however it is written', { tags: 'slow' }, () => {
    const few: Picture = {
      ...{ width: 180, height: 150, colorType: 2, bitDepth: 8 },
      sample: (x, y, channel) =>
        (((x * y) >> 4) % 62) * (channel === 1 ? -4 : 4) + (channel & 1) * 255,
    };
    const file = pngWith(few, deflateSync(filteredRows(few), { level: 0 }));
    const { data } = plainDecoded(file);
    for (const quality of [1, 20, 50, 70]) {
      const result = plainDecoded(answer(file, quality) ?? sound).data;
      const apart = data.reduce((sum, value, at) => sum + Math.abs(value - (result[at] ?? 0)), 0);
      expect(apart / data.length / 257, `quality ${quality}`).toBeLessThan(12);
    }
  });
});
