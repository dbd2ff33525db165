import { PngDamaged } from './png-damaged.ts';

/** Longest code in bits (RFC 1951 §3.2.7). */
const longest = 15;

/** Codes up to this length are found by one look into a table, which then fits the nearest cache. */
const rootBits = 10;

/**
 * A prefix code of RFC 1951 §3.2.2, given by the lengths of its codes. Its memory is used again for
 * each block.
 */
export class HuffmanCode {
  /** By the next bits, `mask` of them: symbol × 16 + length, or 0 for a longer code or none. */
  readonly root = new Uint16Array(1 << rootBits);
  mask = 0;
  /** How many codes of each length there are, and their symbols in the order of the codes. */
  readonly #counts = new Uint16Array(longest + 1);
  readonly #symbols = new Uint16Array(288);
  /** Where the next symbol of each length goes. */
  readonly #next = new Uint16Array(longest + 2);

  /**
   * Takes the code of `lengths`, one per symbol, 0 for none. As in zlib a code must use all bit
   * patterns; only where `mayBeSingle` may there be one code of one bit, or none at all. Throws
   * `PngDamaged` otherwise.
   */
  assign(lengths: Uint8Array, mayBeSingle: boolean): void {
    const counts = this.#counts.fill(0);
    for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
    counts[0] = 0;
    let max = longest;
    while (max > 0 && counts[max] === 0) max -= 1;
    let unused = 1;
    for (let length = 1; length <= longest; length += 1) {
      unused = 2 * unused - (counts[length] ?? 0);
      if (unused < 0) throw new PngDamaged('a prefix code has too many codes');
    }
    if (unused > 0 && !(mayBeSingle && max <= 1)) {
      throw new PngDamaged('a prefix code is incomplete');
    }
    this.mask = (1 << Math.min(rootBits, max)) - 1;
    this.root.fill(0, 0, this.mask + 1);
    this.#sort(lengths);
    this.#fillRoot();
  }

  /**
   * The code that the next 15 bits begin with, as in `root`, found length by length; 0 when there is
   * none.
   */
  search(bits: number): number {
    let rest = bits;
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length <= longest; length += 1) {
      code |= rest & 1;
      rest >>>= 1;
      const count = this.#counts[length] ?? 0;
      if (code - first < count) return ((this.#symbols[index + code - first] ?? 0) << 4) | length;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    return 0;
  }

  #sort(lengths: Uint8Array): void {
    const next = this.#next.fill(0);
    for (let length = 1; length <= longest; length += 1) {
      next[length + 1] = (next[length] ?? 0) + (this.#counts[length] ?? 0);
    }
    for (let symbol = 0; symbol < lengths.length; symbol += 1) {
      const length = lengths[symbol] ?? 0;
      if (length === 0) continue;
      const at = next[length] ?? 0;
      this.#symbols[at] = symbol;
      next[length] = at + 1;
    }
  }

  /** The bits of a code come the highest first, so the table is counted up from the other end. */
  #fillRoot(): void {
    const { root, mask } = this;
    let reversed = 0;
    let index = 0;
    for (let length = 1; 1 << length <= mask + 1; length += 1) {
      const highest = 1 << (length - 1);
      for (let left = this.#counts[length] ?? 0; left > 0; left -= 1, index += 1) {
        const entry = ((this.#symbols[index] ?? 0) << 4) | length;
        for (let at = reversed; at <= mask; at += 1 << length) root[at] = entry;
        let bit = highest;
        while ((reversed & bit) !== 0) bit >>>= 1;
        reversed = bit === 0 ? 0 : (reversed & (bit - 1)) | bit;
      }
    }
  }
}
