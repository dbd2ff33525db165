/** Huffman tables by slot, 0 to 3: 16 counts of codes by length, then 256 bytes that begin with their symbols. */
export interface HuffmanDefinitions {
  readonly dc: Uint8Array[];
  readonly ac: Uint8Array[];
}

/** Counts and symbols together, the symbols padded. */
export const definitionBytes = 16 + 256;

/**
 * Reads the tables of a DHT segment (ITU-T T.81 §B.2.4.2); a later table of the same slot replaces
 * the earlier one. Whether its codes can be is for the scan to ask that uses it, as in libjpeg: what
 * nothing uses does no harm.
 * @param content of the segment, after its length
 * @returns false where the segment cannot be read
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

/** The two parts of a table as one. */
export function definition(counts: Uint8Array, symbols: Uint8Array): Uint8Array {
  const whole = new Uint8Array(definitionBytes);
  whole.set(counts);
  whole.set(symbols, 16);
  return whole;
}
