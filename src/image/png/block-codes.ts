import type { CompressedBits } from './compressed-bits.ts';
import { HuffmanCode } from './huffman-code.ts';
import { PngDamaged } from './png-damaged.ts';

/** In what order the lengths of the code length code come (RFC 1951 §3.2.7). */
const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15] as const;

const endOfBlock = 256;

/** The two codes of a block of deflated data (RFC 1951 §3.2.6 and §3.2.7). */
export class BlockCodes {
  literals = fixedLiterals;
  distances = fixedDistances;
  readonly #lengthCode = new HuffmanCode();
  readonly #literals = new HuffmanCode();
  readonly #distances = new HuffmanCode();
  readonly #lengths = new Uint8Array(288 + 32);

  useFixed(): void {
    this.literals = fixedLiterals;
    this.distances = fixedDistances;
  }

  /** Reads them from the head of a block. Throws `PngDamaged` where zlib does not accept it. */
  read(source: CompressedBits): void {
    const literalCount = source.take(5) + 257;
    const distanceCount = source.take(5) + 1;
    const lengthCount = source.take(4) + 4;
    if (literalCount > 286 || distanceCount > 30) throw new PngDamaged('too many symbols');
    const lengths = this.#lengths.fill(0);
    for (const symbol of lengthOrder.slice(0, lengthCount)) lengths[symbol] = source.take(3);
    this.#lengthCode.assign(lengths.subarray(0, lengthOrder.length), false);
    this.#readLengths(source, literalCount + distanceCount);
    if (lengths[endOfBlock] === 0) throw new PngDamaged('a block cannot end');
    this.#literals.assign(lengths.subarray(0, literalCount), true);
    this.#distances.assign(lengths.subarray(literalCount, literalCount + distanceCount), true);
    this.literals = this.#literals;
    this.distances = this.#distances;
  }

  /** Both codes' lengths in one row: repetitions go across the border. */
  #readLengths(source: CompressedBits, count: number): void {
    const lengths = this.#lengths;
    for (let at = 0; at < count; ) {
      const symbol = this.#nextSymbol(source);
      if (symbol < 16) {
        lengths[at] = symbol;
        at += 1;
        continue;
      }
      if (symbol === 16 && at === 0) throw new PngDamaged('there is no length to repeat');
      const value = symbol === 16 ? (lengths[at - 1] ?? 0) : 0;
      const times =
        symbol === 16
          ? 3 + source.take(2)
          : symbol === 17
            ? 3 + source.take(3)
            : 11 + source.take(7);
      if (at + times > count) throw new PngDamaged('too many lengths');
      lengths.fill(value, at, at + times);
      at += times;
    }
  }

  #nextSymbol(source: CompressedBits): number {
    source.need(7);
    const entry = this.#lengthCode.root[source.bits & this.#lengthCode.mask] ?? 0;
    if (entry === 0) throw new PngDamaged('a code length does not exist');
    source.drop(entry & 15);
    return entry >> 4;
  }
}

const fixedLiterals = new HuffmanCode();
fixedLiterals.assign(
  Uint8Array.from({ length: 288 }, (_, symbol) =>
    symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
  ),
  false,
);
const fixedDistances = new HuffmanCode();
fixedDistances.assign(new Uint8Array(32).fill(5), false);
