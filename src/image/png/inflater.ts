import { BlockCodes } from './block-codes.ts';
import type { CompressedBits } from './compressed-bits.ts';
import { PngDamaged } from './png-damaged.ts';

/** How far back a match may reach (RFC 1951 §2). */
const historyBytes = 32_768;

/** What one call gives out at most. */
const pieceBytes = 65_536;

const longestMatch = 258;

/** A match takes two bits at least (RFC 1951 §3.2.5): no more bytes come out of one. */
export const greatestExpansion = 4 * longestMatch;

/** Symbols 257 to 285: shortest length and extra bits; the last ones do not exist (RFC 1951 §3.2.5). */
const lengths = Uint16Array.of(
  ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115],
  ...[131, 163, 195, 227, longestMatch],
);
const lengthBits = Uint8Array.of(
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0],
);

/** Distance symbols 0 to 29, likewise. */
const distances = Uint16Array.of(
  ...[1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537],
  ...[2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577],
);
const distanceBits = Uint8Array.of(
  ...[0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12],
  ...[13, 13],
);

const endOfBlock = 256;

/**
 * Inflates RFC 1951 piece by piece in memory that does not depend on the data. The streaming classes
 * of fflate give out as much as a piece of input expands to, up to 1,032-fold, and do not tell where
 * the deflated data end.
 */
export class Inflater {
  /** What was given out last, as far as matches may reach, and behind it the next piece. */
  readonly #window = new Uint8Array(historyBytes + pieceBytes);
  #position = 0;
  #block: 'none' | 'stored' | 'coded' = 'none';
  #isLast = false;
  #storedBytes = 0;
  readonly #source: CompressedBits;
  readonly #codes = new BlockCodes();

  constructor(source: CompressedBits) {
    this.#source = source;
  }

  /**
   * The next bytes, up to 64 KiB, to be used before the next call; null behind the last block.
   * Throws `PngDamaged` on what RFC 1951 forbids and when the data end too early.
   */
  next(): Uint8Array | null {
    if (this.#position > historyBytes) {
      this.#window.copyWithin(0, this.#position - historyBytes, this.#position);
      this.#position = historyBytes;
    }
    const start = this.#position;
    while (this.#position <= this.#window.length - longestMatch) {
      if (this.#block === 'none' && this.#isLast) break;
      if (this.#source.at > this.#source.limit && !this.#source.isExhausted) this.#source.refill();
      if (this.#block === 'none') this.#begin();
      else if (this.#block === 'stored') this.#copyStored();
      else this.#decode();
      if (this.#source.isOverrun) throw new PngDamaged('image data end too early');
    }
    return this.#position > start ? this.#window.subarray(start, this.#position) : null;
  }

  #begin(): void {
    const source = this.#source;
    this.#isLast = source.take(1) === 1;
    const type = source.take(2);
    if (type === 3) throw new PngDamaged('a block is of an unknown type');
    if (type > 0) {
      if (type === 1) this.#codes.useFixed();
      else this.#codes.read(source);
      this.#block = 'coded';
      return;
    }
    source.alignToByte();
    this.#storedBytes = source.take(16);
    if (source.take(16) !== (~this.#storedBytes & 0xffff)) {
      throw new PngDamaged('the length of a stored block is damaged');
    }
    source.alignToByte();
    this.#block = 'stored';
  }

  #copyStored(): void {
    const source = this.#source;
    const room = this.#window.length - this.#position;
    const count = Math.min(this.#storedBytes, room, source.end - source.at);
    this.#window.set(source.input.subarray(source.at, source.at + count), this.#position);
    source.at += count;
    this.#position += count;
    this.#storedBytes -= count;
    if (this.#storedBytes === 0) this.#block = 'none';
    else if (source.isExhausted && count === 0) throw new PngDamaged('a block is cut short');
  }

  /**
   * Until the block, the room or the input ends. A length with its distance and all extra bits has 48
   * bits; 15 are at hand before each of the four parts.
   */
  #decode(): void {
    const window = this.#window;
    const { literals, distances: distanceCode } = this.#codes;
    const { root, mask } = literals;
    const { root: distanceRoot, mask: distanceMask } = distanceCode;
    const { input, limit } = this.#source;
    const room = window.length - longestMatch;
    let { at, bits, count } = this.#source;
    let position = this.#position;
    while (at <= limit && position <= room) {
      if (count < 15) {
        bits |= ((input[at] ?? 0) | ((input[at + 1] ?? 0) << 8)) << count;
        at += 2;
        count += 16;
      }
      let entry = root[bits & mask] ?? 0;
      if (entry === 0) entry = literals.search(bits);
      bits >>>= entry & 15;
      count -= entry & 15;
      const symbol = entry >> 4;
      if (symbol < endOfBlock) {
        if (entry === 0) throw new PngDamaged('a code does not exist');
        window[position] = symbol;
        position += 1;
        continue;
      }
      if (symbol === endOfBlock) {
        this.#block = 'none';
        break;
      }
      if (symbol > 285) throw new PngDamaged('a length does not exist');
      if (count < 15) {
        bits |= ((input[at] ?? 0) | ((input[at + 1] ?? 0) << 8)) << count;
        at += 2;
        count += 16;
      }
      let extra = lengthBits[symbol - 257] ?? 0;
      const length = (lengths[symbol - 257] ?? 0) + (bits & ((1 << extra) - 1));
      bits >>>= extra;
      count -= extra;
      if (count < 15) {
        bits |= ((input[at] ?? 0) | ((input[at + 1] ?? 0) << 8)) << count;
        at += 2;
        count += 16;
      }
      entry = distanceRoot[bits & distanceMask] ?? 0;
      if (entry === 0) entry = distanceCode.search(bits);
      if (entry === 0 || entry >> 4 > 29) throw new PngDamaged('a distance does not exist');
      bits >>>= entry & 15;
      count -= entry & 15;
      if (count < 15) {
        bits |= ((input[at] ?? 0) | ((input[at + 1] ?? 0) << 8)) << count;
        at += 2;
        count += 16;
      }
      extra = distanceBits[entry >> 4] ?? 0;
      const distance = (distances[entry >> 4] ?? 0) + (bits & ((1 << extra) - 1));
      bits >>>= extra;
      count -= extra;
      if (distance > position) throw new PngDamaged('a match lies before the beginning');
      repeat(window, position, distance, length);
      position += length;
    }
    this.#source.at = at;
    this.#source.bits = bits;
    this.#source.count = count;
    this.#position = position;
  }
}

/** From here on a call is quicker than a loop; drawn pictures consist of such matches. */
const longMatch = 40;

/** Writes at `position` what lies `distance` before it; a match may go on into itself (RFC 1951 §2). */
function repeat(window: Uint8Array, position: number, distance: number, length: number): void {
  let from = position - distance;
  if (length > longMatch && distance >= length) {
    window.copyWithin(position, from, from + length);
  } else if (length > longMatch && distance === 1) {
    window.fill(window[from] ?? 0, position, position + length);
  } else {
    for (let to = position; to < position + length; to += 1, from += 1)
      window[to] = window[from] ?? 0;
  }
}
