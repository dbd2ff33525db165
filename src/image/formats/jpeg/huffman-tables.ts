/** A Huffman table as DHT defines it (ITU-T T.81 §B.2.4.2). */
export interface HuffmanDefinition {
  /** Number of codes of each length, 1 to 16. */
  readonly counts: Uint8Array;
  /** Symbols in the order of their codes. */
  readonly symbols: Uint8Array;
}

/** A table for encoding. */
export interface HuffmanTable extends HuffmanDefinition {
  /** Code length of each symbol in bits; 0 if it has no code. */
  readonly lengths: Uint8Array;
  readonly codes: Uint16Array;
  /** Total bits of all codes, weighted by the histogram. */
  readonly bits: number;
}

const maxCodeLength = 16;

/**
 * Returns an optimal table for these frequencies, with codes of at most 16 bits and none that consists only of ones.
 * T.81 §K.2 reserves that code, because it could be mistaken for a marker; here, an additional symbol that never occurs
 * gets it, as the last one of the maximum length.
 *
 * For an empty histogram, the table has the symbol 0: T.81 allows a table without codes, but not all decoders accept
 * it.
 *
 * @param histogram frequency of each of 256 symbols
 */
export function optimalHuffmanTable(histogram: Uint32Array): HuffmanTable {
  const sorted = symbolsByFrequency(histogram);
  const weights = new Float64Array(sorted.length + 1);
  for (let i = 0; i < sorted.length; i += 1) weights[i + 1] = histogram[sorted[i] ?? 0] ?? 0;
  const limited = limitedLengths(weights);
  const lengths = new Uint8Array(256);
  for (let i = 0; i < sorted.length; i += 1) lengths[sorted[i] ?? 0] = limited[i + 1] ?? 0;
  return codedTable(lengths, histogram);
}

/** The symbols that occur, least frequent first; equally frequent ones in ascending order. */
function symbolsByFrequency(histogram: Uint32Array): Uint8Array {
  const keys = new Float64Array(256);
  let count = 0;
  for (let symbol = 0; symbol < 256; symbol += 1) {
    const frequency = histogram[symbol] ?? 0;
    if (frequency > 0) keys[count++] = frequency * 256 + symbol;
  }
  if (count === 0) return Uint8Array.of(0);
  return Uint8Array.from(keys.subarray(0, count).sort(), (key) => key % 256);
}

/**
 * Code lengths of an optimal length-limited code by the package-merge algorithm: L. L. Larmore and D. S. Hirschberg, A
 * fast algorithm for optimal length-limited Huffman codes, J. ACM 37 (1990) 464–473.
 * @param weights in ascending order, at least two
 */
function limitedLengths(weights: Float64Array): Uint8Array {
  const symbols = weights.length;
  const most = 2 * symbols;
  /** For each level and each item of its list: the number of symbols among the items up to it. */
  const symbolsUpTo = new Uint16Array(maxCodeLength * most);
  let list = new Float64Array(most);
  let below = new Float64Array(most);
  let belowLength = 0;
  for (let level = 0; level < maxCodeLength; level += 1) {
    const length = symbols + (belowLength >> 1);
    let symbol = 0;
    let pair = 0;
    for (let item = 0; item < length; item += 1) {
      const weight = weights[symbol] ?? Number.POSITIVE_INFINITY;
      const paired =
        pair + 1 < belowLength
          ? (below[pair] ?? 0) + (below[pair + 1] ?? 0)
          : Number.POSITIVE_INFINITY;
      if (weight <= paired) {
        list[item] = weight;
        symbol += 1;
      } else {
        list[item] = paired;
        pair += 2;
      }
      symbolsUpTo[level * most + item] = symbol;
    }
    [list, below] = [below, list];
    belowLength = length;
  }
  return lengthsOf(symbolsUpTo, symbols);
}

/** Derives the lengths from the items selected on each level, starting with the last level. */
function lengthsOf(symbolsUpTo: Uint16Array, symbols: number): Uint8Array {
  const lengths = new Uint8Array(symbols);
  let taken = 2 * symbols - 2;
  for (let level = maxCodeLength - 1; level >= 0 && taken > 0; level -= 1) {
    const longer = symbolsUpTo[level * 2 * symbols + taken - 1] ?? 0;
    for (let symbol = 0; symbol < longer; symbol += 1) {
      lengths[symbol] = (lengths[symbol] ?? 0) + 1;
    }
    taken = 2 * (taken - longer);
  }
  return lengths;
}

/** Assigns codes in order of length and, within a length, of frequency rank (T.81 figures C.1 to C.3). */
function codedTable(lengths: Uint8Array, histogram: Uint32Array): HuffmanTable {
  const counts = new Uint8Array(maxCodeLength);
  const symbols = new Uint8Array(256);
  const codes = new Uint16Array(256);
  let number = 0;
  let code = 0;
  let bits = 0;
  for (let length = 1; length <= maxCodeLength; length += 1) {
    const before = number;
    for (let symbol = 0; symbol < 256; symbol += 1) {
      if (lengths[symbol] !== length) continue;
      symbols[number++] = symbol;
      codes[symbol] = code++;
      bits += length * (histogram[symbol] ?? 0);
    }
    counts[length - 1] = number - before;
    code <<= 1;
  }
  return { counts, symbols: symbols.slice(0, number), lengths, codes, bits };
}

/**
 * Whether decoders accept a table, by the rules of `jpeg_make_d_derived_tbl` in libjpeg 6b and its successors: at most
 * 256 codes that fit their lengths, none of them only ones, and DC categories up to 15. A table without codes and
 * repeated symbols are accepted.
 */
export function isValidHuffmanTable(
  counts: Uint8Array,
  symbols: Uint8Array,
  kind: 'dc' | 'ac',
): boolean {
  let total = 0;
  let code = 0;
  for (let length = 1; length <= maxCodeLength; length += 1) {
    const count = counts[length - 1] ?? 0;
    total += count;
    code += count;
    if (count > 0 && code >= 2 ** length) return false;
    code *= 2;
  }
  if (total > 256 || symbols.length < total) return false;
  return kind === 'ac' || symbols.subarray(0, total).every((size) => size <= 15);
}

/** Huffman tables by slot, 0 to 3: 16 counts of codes by length, followed by the symbols, padded to 256 bytes. */
export interface HuffmanDefinitions {
  readonly dc: Uint8Array[];
  readonly ac: Uint8Array[];
}

/** Length of a table in bytes: counts and padded symbols. */
const definitionBytes = 16 + 256;

/**
 * Reads the tables of a DHT segment (ITU-T T.81 §B.2.4.2); a later table replaces an earlier one in its slot. As in
 * libjpeg, codes are validated only when a scan uses them (`isValidHuffmanTable`).
 * @param content content of the segment, after its length
 * @returns false if the segment cannot be read
 */
export function readHuffmanTables(content: Uint8Array, tables: HuffmanDefinitions): boolean {
  let at = 0;
  while (at < content.length) {
    const head = content[at] ?? 0;
    const counts = content.subarray(at + 1, at + 17);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const symbols = content.subarray(at + 17, at + 17 + total);
    const isDc = head >> 4 === 0;
    if (head >> 4 > 1 || (head & 15) > 3) return false;
    if (counts.length < 16 || total > 256 || symbols.length < total) return false;
    tables[isDc ? 'dc' : 'ac'][head & 15] = definition(counts, symbols);
    at += 17 + total;
  }
  return true;
}

/** Combines the counts and symbols of a table in one array. */
function definition(counts: Uint8Array, symbols: Uint8Array): Uint8Array {
  const whole = new Uint8Array(definitionBytes);
  whole.set(counts);
  whole.set(symbols, 16);
  return whole;
}

/**
 * The tables K.3 to K.6 of ITU-T T.81 §K.3.3 by slot: for luma, then for chroma. They are the default of files without
 * tables, such as frames of Motion JPEG.
 */
export const typicalHuffmanTables: {
  readonly dc: readonly HuffmanDefinition[];
  readonly ac: readonly HuffmanDefinition[];
} = {
  dc: [
    typicalTable(['', '00', '0102030405', '06', '07', '08', '09', '0a', '0b']),
    typicalTable(['', '000102', '03', '04', '05', '06', '07', '08', '09', '0a', '0b']),
  ],
  ac: [
    typicalTable([
      ...['', '0102', '03', '000411', '051221', '3141', '06135161', '072271', '14328191a1'],
      ...['082342b1c1', '1552d1f0', '24336272', '', '', '82'],
      '090a161718191a25262728292a3435363738393a434445464748494a535455565758595a63646566676869' +
        '6a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9' +
        'bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
    ]),
    typicalTable([
      ...['', '0001', '02', '0311', '04052131', '06124151', '076171', '13223281'],
      ...['08144291a1b1c1', '09233352f0', '156272d1', '0a162434', '', 'e1', '25f1'],
      '1718191a262728292a35363738393a434445464748494a535455565758595a636465666768696a73747576' +
        '7778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4' +
        'c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa',
    ]),
  ],
};

/** Creates a table from the symbols of each code length, starting from 1 bit, two hexadecimal digits each. */
function typicalTable(symbolsByLength: readonly string[]): HuffmanDefinition {
  const counts = new Uint8Array(16);
  for (const [i, symbols] of symbolsByLength.entries()) counts[i] = symbols.length / 2;
  const digits = symbolsByLength.join('').match(/../g) ?? [];
  return { counts, symbols: Uint8Array.from(digits, (digit) => Number.parseInt(digit, 16)) };
}

/** The initial tables of a sequential file. */
export function typicalDefinitions(): HuffmanDefinitions {
  const { dc, ac } = typicalHuffmanTables;
  return {
    dc: dc.map(({ counts, symbols }) => definition(counts, symbols)),
    ac: ac.map(({ counts, symbols }) => definition(counts, symbols)),
  };
}
