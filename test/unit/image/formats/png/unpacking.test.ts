import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inflate, unpacked } from '../../../../../src/image/formats/png/kernel.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { randomNumbers } from './png-writer.ts';

const unpackedBytes = (packed: Uint8Array, limit: number) =>
  runAtOnce(unpacked(packed, limit)).bytes;

describe('the bytes that a stream unpacks to', () => {
  const random = randomNumbers(3);
  const content = Buffer.from(Array.from({ length: 300_000 }, () => random(random(256) + 1)));
  const stream = deflateSync(content);

  it('are counted to its end, and no further than to the limit', () => {
    expect(unpackedBytes(stream, 1_000_000)).toBe(300_000);
    expect(unpackedBytes(stream, 300_000)).toBe(300_000);
    expect(unpackedBytes(stream, 299_999)).toBe(299_999);
    expect(unpackedBytes(deflateSync(Buffer.alloc(0)), 10)).toBe(0);
  });

  it('of a damaged one are counted to the damage', () => {
    const cut = unpackedBytes(stream.subarray(0, stream.length >> 1), 1_000_000);
    expect(cut).toBeGreaterThan(100_000);
    expect(cut).toBeLessThan(200_000);
    expect(unpackedBytes(Buffer.from('no stream at all'), 1_000_000)).toBe(0);
    expect(unpackedBytes(Buffer.alloc(0), 1_000_000)).toBe(0);
  });

  it('of a bomb are many', () => {
    const bomb = deflateSync(Buffer.alloc(40 * 2 ** 20));
    expect(bomb.length).toBeLessThan(50_000);
    expect(unpackedBytes(bomb, 32 * 2 ** 20)).toBe(32 * 2 ** 20);
  });
});

describe('a stream that is inflated at once', () => {
  const content = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * i) >> 7));
  const stream = deflateSync(content);

  it('gives all its bytes, whatever follows it', () => {
    for (const each of [stream, Buffer.concat([stream, Buffer.from('more')])]) {
      const { isWhole, content: inflated } = inflate(each, content.length);
      expect(isWhole).toBe(true);
      expect(content.equals(inflated)).toBe(true);
    }
  });

  it('is not whole if it is longer than the limit, cut off, or has another checksum', () => {
    expect(inflate(stream, content.length - 1).isWhole).toBe(false);
    expect(inflate(stream.subarray(0, -1), content.length).isWhole).toBe(false);
    const other = Buffer.from(stream);
    other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
    expect(inflate(other, content.length)).toMatchObject({ bytes: content.length, isWhole: false });
  });
});
