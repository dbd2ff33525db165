import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unpacked } from '../../../../../src/image/formats/png/kernel.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import {
  type CostlyBlocks,
  costlyBlocks,
  costlyStream,
  dribblingStream,
} from '../../../../support/adversarial/deflate.ts';
import { Random } from '../../../../support/random.ts';

const unpackedAtOnce = (stream: Uint8Array, limit: number) => runAtOnce(unpacked(stream, limit));

const text = Buffer.from('what these blocks stand before');
const limit = 1_000_000;

/** Blocks that take no longer than their bytes account for. */
const all = Object.keys(costlyBlocks) as CostlyBlocks[];
const isCheap = (blocks: CostlyBlocks) => /stored|as are read/.test(blocks);
const cheap = all.filter(isCheap);
const costly = all.filter((blocks) => !isCheap(blocks));

describe('a stream with more blocks than any encoder writes', () => {
  it.each(costly)('is given up: %s', (blocks) => {
    const short = unpackedAtOnce(costlyStream(blocks, text, 500), limit);
    expect(short).toMatchObject({ bytes: text.length, isExcessive: false });
    const long = unpackedAtOnce(costlyStream(blocks, text, 100_000), limit);
    expect(long).toMatchObject({ bytes: 0, isExcessive: true });
  });

  it('is given up if each block has a single byte', () => {
    expect(unpackedAtOnce(dribblingStream(100), limit)).toMatchObject({
      bytes: 100,
      isExcessive: false,
    });
    const { bytes, isExcessive } = unpackedAtOnce(dribblingStream(100_000), limit);
    expect(isExcessive).toBe(true);
    expect(bytes).toBeLessThan(1000);
  });
});

describe('a stream of the smallest blocks that encoders write', () => {
  const random = new Random(3);
  const noise = Buffer.from(Array.from({ length: 300_000 }, () => random.word() & 255));
  const drawing = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i >> 6) % 7));
  /** Fewer values, so that their codes are worth a table. */
  const soft = Buffer.from(Array.from({ length: noise.length }, (_, i) => (noise[i] ?? 0) & 15));
  const contents = { noise, drawing, soft, zeros: Buffer.alloc(3_000_000) };

  it.each(Object.entries(contents))('is read to its end: %s', (_, content) => {
    const complete = { bytes: content.length, isWhole: true, isExcessive: false };
    for (const level of [0, 1, 9]) {
      expect(unpackedAtOnce(deflateSync(content, { level, memLevel: 1 }), limit * 4)).toMatchObject(
        complete,
      );
    }
  });

  it.each(Object.entries(contents))(
    'is read to its end if each row is flushed: %s',
    (_, content) => {
      for (const rowBytes of [3, 40, 601]) {
        for (const flush of [constants.Z_SYNC_FLUSH, constants.Z_FULL_FLUSH]) {
          const length = Math.min(content.length, 400 * rowBytes);
          const stream = flushedRows(content.subarray(0, length), rowBytes, flush);
          expect(unpackedAtOnce(stream, limit)).toMatchObject({
            bytes: length,
            isExcessive: false,
          });
        }
      }
    },
  );
});

/** Rows that are deflated independently, each with a flush. The checksum is left out. */
function flushedRows(content: Buffer, rowBytes: number, finishFlush: number): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0x78, 0x9c)];
  for (let at = 0; at < content.length; at += rowBytes) {
    parts.push(deflateRawSync(content.subarray(at, at + rowBytes), { finishFlush }));
  }
  return Buffer.concat([...parts, deflateRawSync(Buffer.alloc(0))]);
}

describe('a stream of as many blocks as its bytes account for', () => {
  it.each(cheap)('is read to its end: %s', (blocks) => {
    const stream = costlyStream(blocks, text, 200_000);
    expect(unpackedAtOnce(stream, limit)).toMatchObject({ bytes: text.length, isExcessive: false });
  });
});
