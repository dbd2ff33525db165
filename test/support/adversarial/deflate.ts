import { deflateRawSync } from 'node:zlib';
import { type BitWriter, joined, repeated, wholeBytes } from './bit-writer.ts';

/** Deflate blocks that take a decoder far more time than their bytes (RFC 1951 §3.2). */
export const costlyBlocks = {
  /** Empty, with codes of their own: 90 bits for a table of two symbols. */
  'empty dynamic blocks': emptyDynamic,
  /** Empty, with codes for all symbols. */
  'empty blocks of many codes': emptyOfManyCodes,
  /** Empty, with the fixed codes: ten bits. */
  'empty fixed blocks': emptyFixed,
  /** Empty and stored: five bytes. */
  'empty stored blocks': emptyStored,
  /** Fixed and own codes in turn, so that each block needs other tables than the one before it. */
  'fixed and dynamic blocks in turn': (to: BitWriter) => {
    emptyFixed(to);
    emptyDynamic(to);
  },
  /** Codes for all symbols as often as a stream may have them, and empty stored blocks in between. */
  'as many codes as are read': (to: BitWriter) => {
    emptyOfManyCodes(to);
    for (let i = 0; i < 43; i += 1) emptyStored(to);
  },
  'as many dynamic blocks as are read': (to: BitWriter) => {
    emptyDynamic(to);
    for (let i = 0; i < 8; i += 1) emptyStored(to);
  },
  'as many fixed blocks as are read': (to: BitWriter) => {
    for (let i = 0; i < 4; i += 1) emptyFixed(to);
    emptyStored(to);
  },
} as const satisfies Record<string, (to: BitWriter) => void>;

export type CostlyBlocks = keyof typeof costlyBlocks;

/**
 * A zlib stream that begins with costly blocks.
 * @param data what it inflates to
 * @param bytes length of these blocks
 */
export function costlyStream(
  blocks: CostlyBlocks,
  data: Uint8Array,
  bytes: number,
): Uint8Array<ArrayBuffer> {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(adler32(data));
  const storm = repeated(wholeBytes(costlyBlocks[blocks]), bytes);
  return joined(Uint8Array.of(0x78, 0x9c), storm, deflateRawSync(data), checksum);
}

/** A zlib stream of zeros in which each block has codes of its own for a single byte. */
export function dribblingStream(length: number): Uint8Array<ArrayBuffer> {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(adler32(new Uint8Array(length)));
  const end = deflateRawSync(new Uint8Array(0));
  // Eight blocks of 92 bits.
  const storm = repeated(wholeBytes(oneZero), Math.floor(length / 8) * 92);
  const rest = deflateRawSync(new Uint8Array(length % 8), { finishFlush: 2 });
  return joined(Uint8Array.of(0x78, 0x9c), storm, rest, end, checksum);
}

/** The order in which the lengths of the code length code are stored (RFC 1951 §3.2.7). */
const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/**
 * @param lengths lengths of the code length code by symbol
 * @param literals number of literal codes; `distances`: number of distance codes
 */
function dynamicHeader(
  to: BitWriter,
  lengths: Readonly<Record<number, number>>,
  literals: number,
  distances: number,
): void {
  const count = lengthOrder.findLastIndex((symbol) => lengths[symbol] !== undefined) + 1;
  to.put(0, 1)
    .put(2, 2)
    .put(literals - 257, 5)
    .put(distances - 1, 5)
    .put(count - 4, 4);
  for (const symbol of lengthOrder.slice(0, count)) to.put(lengths[symbol] ?? 0, 3);
}

/** The codes of symbols 1 and 18 in the code length code have one bit. */
function emptyDynamic(to: BitWriter): void {
  dynamicHeader(to, { 1: 1, 18: 1 }, 257, 1);
  // 138 and 118 zeros, then one bit for the end of the block and for a distance.
  to.put(1, 1).put(127, 7).put(1, 1).put(107, 7).put(0, 1).put(0, 1);
  to.put(0, 1);
}

/** One bit for a zero byte, and one for the end of the block. */
function oneZero(to: BitWriter): void {
  dynamicHeader(to, { 1: 1, 18: 1 }, 257, 1);
  to.put(0, 1).put(1, 1).put(127, 7).put(1, 1).put(106, 7).put(0, 1).put(0, 1);
  to.put(0, 1).put(1, 1);
}

/** Codes of 8 bits for 256 symbols, the end of the block among them, and one for distances. */
function emptyOfManyCodes(to: BitWriter): void {
  // Symbols 0 and 16 have codes of two bits, 8 and 1 as well.
  dynamicHeader(to, { 0: 2, 1: 2, 8: 2, 16: 2 }, 257, 1);
  const code = (reversed: number) => to.put(reversed, 2);
  // 0: 00, 1: 01, 8: 10, 16: 11, the first bit lowest.
  const [zero, one, eight, again] = [0, 2, 1, 3];
  code(zero);
  code(eight);
  // 42 repetitions of six, then three more: 256 symbols of 8 bits.
  for (let i = 0; i < 42; i += 1) code(again).put(3, 2);
  code(again).put(0, 2);
  code(one);
  // The end of the block is the last code of 8 bits.
  to.put(255, 8);
}

function emptyFixed(to: BitWriter): void {
  to.put(0, 1).put(1, 2).put(0, 7);
}

function emptyStored(to: BitWriter): void {
  to.put(0, 3);
  while (to.length % 8 !== 0) to.put(0, 1);
  to.put(0, 16).put(0xffff, 16);
}

/** RFC 1950 §8.2 */
function adler32(data: Uint8Array): number {
  let [low, high] = [1, 0];
  for (const byte of data) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return high * 65536 + low;
}
