import { describe, expect, it } from 'vitest';
import { drawn, encoded, libwebpPixels } from './libwebp-pictures.ts';
import { decodedLossless, linked, riff, status } from './lossless-stage.ts';
import { type MadeStream, madeStream } from './made-streams.ts';
import { BitWriter, describeSimple, PrefixCode } from './prefix-code-writer.ts';

/** A stream of 8 × 8 pixels: its header, and then what `write` writes. */
function stream(write: (bits: BitWriter) => void, signature = 0x2f, version = 0): Buffer {
  const bits = new BitWriter();
  bits.number(signature, 8);
  bits.number(7, 14);
  bits.number(7, 14);
  bits.number(1, 1);
  bits.number(version, 3);
  write(bits);
  for (let i = 0; i < 40; i++) bits.number(0, 24);
  return riff('VP8L', bits.finished());
}

/** Neither transforms nor a cache nor an entropy image. */
const plain = (bits: BitWriter) => bits.number(0, 3);

/** Codes of green, red, blue and alpha that take no bits. */
function describeColors(bits: BitWriter): void {
  for (let i = 0; i < 4; i++) describeSimple(bits, [1]);
}

/** A code as its code lengths, which are written in 4 bits each. */
function describeLengths(bits: BitWriter, lengths: readonly number[]): void {
  const code = new PrefixCode([...new Array<number>(16).fill(4), 0, 0, 0]);
  bits.number(0, 1);
  bits.number(15, 4);
  for (const isUsed of [0, 0, 1, 1, 1, 1, 1, 1, 0, ...new Array<number>(10).fill(1)]) {
    bits.number(isUsed ? 4 : 0, 3);
  }
  bits.number(0, 1);
  for (const length of lengths) code.write(bits, length);
}

/** Code lengths of a distance code. */
const distances = (...lengths: number[]) => [
  ...lengths,
  ...new Array<number>(40 - lengths.length).fill(0),
];

function expectRefused(file: Buffer, as: number): void {
  expect(decodedLossless(file).status).toBe(as);
  expect(libwebpPixels(file)).toBeNull();
}

function expectAccepted(file: Buffer): void {
  const { status: outcome, data } = decodedLossless(file);
  expect(outcome).toBe(status.sound);
  expect(data).toEqual(libwebpPixels(file));
}

/** Whatever it is, it is read or refused as libwebp does. */
function expectAlike(file: Buffer, name: string): boolean {
  const theirs = libwebpPixels(file);
  const { status: outcome, data } = decodedLossless(file);
  expect(outcome === status.sound, name).toBe(theirs !== null);
  if (theirs) expect(data.equals(theirs), name).toBe(true);
  return theirs !== null;
}

describe('the header of a VP8L stream', () => {
  const rest = (bits: BitWriter) => {
    plain(bits);
    describeColors(bits);
    describeSimple(bits, [0]);
  };

  it('has a signature and a version, and the size of the picture', () => {
    expectAccepted(stream(rest));
    expectRefused(stream(rest, 0x2e), status.badHeader);
    expectRefused(stream(rest, 0x2f, 1), status.badHeader);
    const file = stream(rest);
    for (const [width, height] of [
      [8, 9],
      [9, 8],
    ] as const) {
      expect(linked(file).openLossless(20, file.length, width, height)).toBe(status.badHeader);
    }
  });

  it('names each transform once', () => {
    const twice = stream((bits) => {
      for (let i = 0; i < 2; i++) {
        bits.number(1, 1);
        bits.number(2, 2);
      }
      rest(bits);
    });
    expectRefused(twice, status.badTransform);
  });

  it('gives the colour cache 1 to 11 bits', () => {
    for (const cacheBits of [0, 12, 15]) {
      const file = stream((bits) => {
        bits.number(0, 1);
        bits.number(1, 1);
        bits.number(cacheBits, 4);
        rest(bits);
      });
      expectRefused(file, status.badCache);
    }
  });
});

describe('a prefix code', () => {
  const withDistances = (describe: (bits: BitWriter) => void) =>
    stream((bits) => {
      plain(bits);
      describeColors(bits);
      describe(bits);
    });

  it('uses all bit patterns, or has one symbol of any length', () => {
    for (const lengths of [[1, 1], [1, 2, 2], [0, 1], [15], [2, 2, 2, 2]]) {
      expectAccepted(withDistances((bits) => describeLengths(bits, distances(...lengths))));
    }
    for (const lengths of [[], [1, 2], [2, 2, 2], [1, 1, 1], [1, 1, 15], [3, 3]]) {
      const file = withDistances((bits) => describeLengths(bits, distances(...lengths)));
      expectRefused(file, status.badCode);
    }
  });

  it('may be one or two symbols of the alphabet, of which others are left out', () => {
    for (const symbols of [[0], [39], [3, 3], [39, 40], [200, 7]]) {
      expectAccepted(withDistances((bits) => describeSimple(bits, symbols)));
    }
    for (const symbols of [[40], [255], [40, 41]]) {
      expectRefused(
        withDistances((bits) => describeSimple(bits, symbols)),
        status.badCode,
      );
    }
  });

  it('has no more code lengths than symbols', () => {
    /** Code lengths that are all 1, or with 18 zeros; `counted` is how many are said to be there. */
    const described = (counted: number | null, zeros: number) => (bits: BitWriter) => {
      bits.number(0, 1);
      bits.number(0, 4);
      // the code length code: 18 and 1 take a bit each
      for (const length of [0, 1, 0, 1]) bits.number(length, 3);
      bits.number(counted === null ? 0 : 1, 1);
      if (counted !== null) {
        bits.number(2, 3);
        bits.number(counted - 2, 6);
      }
      for (let i = 0; i < 2; i++) bits.number(0, 1);
      bits.number(1, 1);
      bits.number(zeros - 11, 7);
    };
    expectAccepted(withDistances(described(null, 38)));
    expectAccepted(withDistances(described(3, 20)));
    expectAccepted(withDistances(described(40, 38)));
    expectRefused(withDistances(described(41, 38)), status.badCode);
    expectRefused(withDistances(described(null, 39)), status.badCode);
  });

  it('of code lengths uses all bit patterns, too', () => {
    const file = withDistances((bits) => {
      bits.number(0, 1);
      bits.number(0, 4);
      for (const length of [0, 2, 0, 1]) bits.number(length, 3);
    });
    expectRefused(file, status.badCode);
  });
});

describe('a reference', () => {
  /** Two pixels, and then `length` pixels from `code` back. */
  const referring = (length: number, code: number) =>
    riff(
      'VP8L',
      madeStream({
        width: 40,
        height: 9,
        seed: 4,
        tokens: [
          { color: [1, 2, 3, 4] },
          { color: [5, 6, 7, 8] },
          { length: 5, code: 122 },
          { length, code },
        ],
      }),
    );

  it('begins with the first pixel at the earliest and ends with the last', () => {
    expectAccepted(referring(353, 127));
    expectRefused(referring(3, 128), status.badReference);
    expectRefused(referring(3, 1), status.badReference);
    expectRefused(referring(354, 127), status.badReference);
  });
});

describe('damage', () => {
  const made: MadeStream[] = [
    { width: 20, height: 9, seed: 8, cacheBits: 3, groups: { bits: 3, number: 2 } },
    { width: 9, height: 5, seed: 9, isGreen: true, transforms: [{ type: 'indexing', colors: 5 }] },
  ];
  const files = [
    ...made.map((of) => riff('VP8L', madeStream(of))),
    encoded(
      drawn(40, 20, (x, y) => [(x * y) & 255, x, y * 9, 255 - x]),
      { lossless: 1 },
    ),
    encoded(
      drawn(30, 7, (x, y) => [0, (x ^ y) & 4, 0, 255]),
      { lossless: 1 },
    ),
  ];

  it('by a cut is noticed where libwebp notices it', { tags: 'slow' }, () => {
    for (const [i, file] of files.entries()) {
      for (let end = 25; end < file.length; end += end > file.length - 30 ? 1 : 19) {
        expectAlike(riff('VP8L', file.subarray(20, end)), `file ${i} up to ${end}`);
      }
    }
  });

  it('by flipped bits is noticed where libwebp notices it', { tags: 'slow' }, () => {
    let accepted = 0;
    for (const [i, file] of files.entries()) {
      for (let bit = 25 * 8; bit < file.length * 8; bit += bit < 330 ? 1 : 61) {
        const flipped = Buffer.from(file);
        flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        if (expectAlike(flipped, `file ${i}, bit ${bit}`)) accepted++;
      }
    }
    expect(accepted).toBeGreaterThan(20);
  });
});

describe('a stream that asks for too much', () => {
  it('is refused where its groups of codes find no room', () => {
    const groups = { bits: 2, number: 90 };
    const file = riff('VP8L', madeStream({ width: 70, height: 60, seed: 3, groups }));
    expect(decodedLossless(file).status).toBe(status.sound);
    for (let pages = 1; pages < 5; pages++) {
      expect(decodedLossless(file, { pages }).status).toBe(status.outOfMemory);
    }
  });
});
