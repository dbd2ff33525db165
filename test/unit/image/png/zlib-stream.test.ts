import { constants, deflateSync, inflateRawSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { adler32 } from '../../../../src/image/png/adler32.ts';
import { PngDamaged } from '../../../../src/image/png/png-damaged.ts';
import { ZlibStream } from '../../../../src/image/png/zlib-stream.ts';
import { randomNumbers } from './png-writer.ts';

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The inflated bytes, read in portions of this size. */
function inflated(stream: Uint8Array, length: number, portion = 1000, pieceBytes = 5000): Buffer {
  const reader = new ZlibStream(cut(stream, pieceBytes));
  const portions: Buffer[] = [];
  for (let left = length; left > 0; left -= portion) {
    const target = Buffer.alloc(Math.min(left, portion));
    reader.read(target);
    portions.push(target);
  }
  reader.end();
  return Buffer.concat(portions);
}

const random = randomNumbers(7);
const contents = {
  'no bytes': Buffer.alloc(0),
  'one byte': Buffer.of(7),
  'a long run': Buffer.alloc(300_000, 5),
  noise: Buffer.from(Array.from({ length: 200_000 }, () => random(256))),
  'steep noise': Buffer.from(
    Array.from({ length: 300_000 }, () => random(random(random(256) + 1) + 1)),
  ),
  'far repetitions': Buffer.concat(
    Array.from({ length: 9 }, () => Buffer.from(Array.from({ length: 32_768 }, (_, i) => i * i))),
  ),
  'near repetitions': Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i % 7) + (i >> 15))),
};

describe('a zlib stream', () => {
  const { Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE, Z_DEFAULT_STRATEGY } = constants;

  it.each(Object.entries(contents))('gives back %s, however it was deflated', (_, content) => {
    for (const strategy of [Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE]) {
      for (const level of [0, 1, 6, 9]) {
        const stream = deflateSync(content, { level, strategy });
        expect(inflated(stream, content.length).equals(content)).toBe(true);
      }
    }
  });

  it('may come in pieces and be read in portions of any size', () => {
    const content = contents['steep noise'];
    const stream = deflateSync(content, { level: 9 });
    for (const [portion, piece] of [
      [1, 20_000],
      [64, 1],
      [65, 3],
      [70_000, 100_000],
    ] as const) {
      expect(inflated(stream, content.length, portion, piece).equals(content)).toBe(true);
    }
  });

  it('is read no further than it takes to see that there is too much of it', () => {
    const stream = deflateSync(Buffer.alloc(64 * 2 ** 20));
    let taken = 0;
    const pieces = cut(stream, 100).map((piece) => {
      taken += piece.length;
      return piece;
    });
    const reader = new ZlibStream(pieces);
    reader.read(Buffer.alloc(1000));
    expect(() => reader.end()).toThrow('too many rows');
    expect(stream.length).toBeGreaterThan(60_000);
    expect(taken).toBeLessThan(20_000);
  });

  it('ends with its checksum, even where that ends with a zero', () => {
    const stream = deflateSync(Buffer.of(255));
    expect(stream.at(-1)).toBe(0);
    expect(inflated(stream, 1)).toEqual(Buffer.of(255));
    expect(() => inflated(stream.subarray(0, -1), 1)).toThrow('end too early');
  });

  it('may declare any window', () => {
    for (let windowBits = 9; windowBits <= 15; windowBits += 1) {
      const stream = deflateSync(contents['near repetitions'], { windowBits });
      expect(inflated(stream, 300_000).equals(contents['near repetitions'])).toBe(true);
    }
  });
});

/** From groups of bits in the order in which they are read, each group as written in RFC 1951. */
function streamOf(...groups: (string | readonly [value: number, bits: number])[]): Buffer {
  const bits = groups
    .map((group) =>
      typeof group === 'string'
        ? group
        : [...group[0].toString(2).padStart(group[1], '0')].toReversed().join(''),
    )
    .join('');
  const bytes = (bits.match(/.{1,8}/g) ?? []).map((byte) =>
    parseInt([...byte.padEnd(8, '0')].toReversed().join(''), 2),
  );
  return Buffer.from([0x78, 0x01, ...bytes, 0, 0, 0, 0, 0, 0]);
}

describe('deflated data that RFC 1951 forbids', () => {
  const lastFixed = '110';
  const lastDynamic = '101';
  const codeLengths = (...values: number[]) => values.map((value) => [value, 3] as const);

  const smallest = [lastDynamic, [0, 5], [0, 5], [0, 4]] as const;
  /** The code lengths 1, 2 and 18, a run of zeros, as '10', '11' and '0'. */
  const threeLengths = (literals: number) =>
    [
      ...[lastDynamic, [literals - 257, 5], [0, 5], [14, 4]],
      ...codeLengths(0, 0, 1, ...Array(12).fill(0), 2, 0, 2),
      ...['0', [127, 7], '0', [107, 7]],
    ] as (string | readonly [number, number])[];
  const zeros = (count: number) => ['1', [count - 11, 7]] as const;

  it.each([
    ['an unknown type', streamOf('111')],
    ['length of a stored block', streamOf('10000000', [5, 16], [5, 16])],
    ['before the beginning', streamOf(lastFixed, '00110000', '0000001', '00001')],
    ['a length does not exist', streamOf(lastFixed, '00110000', '11000110', '00000')],
    ['a distance does not exist', streamOf(lastFixed, '00110000', '0000001', '11110')],
    ['too many symbols', streamOf(lastDynamic, [30, 5], [0, 5], [0, 4])],
    ['too many symbols', streamOf(lastDynamic, [0, 5], [30, 5], [0, 4])],
    ['too many codes', streamOf(...smallest, ...codeLengths(1, 1, 1, 0))],
    ['incomplete', streamOf(...smallest, ...codeLengths(0, 0, 2, 2))],
    ['no length to repeat', streamOf(...smallest, ...codeLengths(1, 0, 0, 1), '1', [0, 2])],
    ['incomplete', streamOf(...threeLengths(257), '11', '10')],
    ['incomplete', streamOf(...threeLengths(258), '10', '10', '11')],
    ['a code does not exist', streamOf(...threeLengths(257), '10', '10', '1')],
    ['a distance does not exist', streamOf(...threeLengths(258), '10', '10', '10', '1', '1')],
    ['cannot end', streamOf(...smallest, ...codeLengths(0, 0, 1, 1), ...zeros(138), ...zeros(120))],
    [
      'too many lengths',
      streamOf(...smallest, ...codeLengths(0, 0, 1, 1), ...zeros(138), ...zeros(138)),
    ],
  ])('are damaged: %s', (reason, stream) => {
    expect(() => inflated(stream, 4)).toThrow(PngDamaged);
    expect(() => inflated(stream, 4)).toThrow(reason);
    expect(() => inflateSync(stream)).toThrow();
  });

  it('are told from sound ones as zlib does, also after chance damage', () => {
    const content = contents['steep noise'].subarray(0, 400);
    let accepted = 0;
    for (const level of [0, 1, 9]) {
      for (const strategy of [constants.Z_FIXED, constants.Z_DEFAULT_STRATEGY]) {
        const stream = deflateSync(content, { level, strategy });
        for (let round = 0; round < 1500; round += 1) {
          const changed = Buffer.from(stream.subarray(0, -4));
          const at = 2 + random(round % 2 === 0 ? 60 : changed.length - 2);
          changed.writeUInt8(changed.readUInt8(at) ^ (1 << random(8)), at);
          const wanted = rawInflated(changed.subarray(2));
          const sum = Buffer.alloc(4);
          sum.writeUInt32BE(wanted === null ? 1 : adler32(wanted, 1));
          const file = Buffer.concat([changed, sum]);
          if (wanted === null) expect(() => inflated(file, content.length)).toThrow(PngDamaged);
          else expect(inflated(file, wanted.length).equals(wanted)).toBe(true);
          if (wanted !== null) accepted += 1;
        }
      }
    }
    expect(accepted).toBeGreaterThan(1000);
  });
});

/** What zlib makes of it, the checksum aside; null when it does not accept it. */
function rawInflated(deflated: Buffer): Buffer | null {
  try {
    const { buffer, engine } = inflateRawSync(deflated, { info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return engine.bytesWritten === deflated.length ? buffer : null;
  } catch {
    return null;
  }
}

describe('Adler-32', () => {
  it('is as in published examples, in one go or several', () => {
    expect(adler32(Buffer.from('Wikipedia'), 1)).toBe(0x11e60398);
    expect(adler32(Buffer.from('pedia'), adler32(Buffer.from('Wiki'), 1))).toBe(0x11e60398);
    expect(adler32(Buffer.alloc(0), 1)).toBe(1);
  });

  it('is what zlib writes, for the greatest sums too', () => {
    for (const content of [Buffer.alloc(100_001, 255), ...Object.values(contents)]) {
      expect(adler32(content, 1)).toBe(
        deflateSync(content).readUInt32BE(deflateSync(content).length - 4),
      );
    }
  });
});
