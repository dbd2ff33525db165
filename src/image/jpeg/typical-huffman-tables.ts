import type { HuffmanDefinition } from './huffman-table.ts';

/**
 * The tables of ITU-T T.81 §K.3.3, K.3 to K.6, by slot: first for luma, then for
 * chroma. Files without tables of their own, such as frames of Motion JPEG, are
 * decoded with them.
 */
export const typicalHuffmanTables: {
  readonly dc: readonly HuffmanDefinition[];
  readonly ac: readonly HuffmanDefinition[];
} = {
  dc: [
    tableOf(['', '00', '0102030405', '06', '07', '08', '09', '0a', '0b']),
    tableOf(['', '000102', '03', '04', '05', '06', '07', '08', '09', '0a', '0b']),
  ],
  ac: [
    tableOf([
      ...['', '0102', '03', '000411', '051221', '3141', '06135161', '072271', '14328191a1'],
      ...['082342b1c1', '1552d1f0', '24336272', '', '', '82'],
      '090a161718191a25262728292a3435363738393a434445464748494a535455565758595a63646566676869' +
        '6a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9' +
        'bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
    ]),
    tableOf([
      ...['', '0001', '02', '0311', '04052131', '06124151', '076171', '13223281'],
      ...['08144291a1b1c1', '09233352f0', '156272d1', '0a162434', '', 'e1', '25f1'],
      '1718191a262728292a35363738393a434445464748494a535455565758595a636465666768696a73747576' +
        '7778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4' +
        'c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa',
    ]),
  ],
};

/** A table from the symbols of each length, from 1 bit on, two hexadecimal digits each. */
function tableOf(symbolsByLength: readonly string[]): HuffmanDefinition {
  const counts = new Uint8Array(16);
  for (const [i, symbols] of symbolsByLength.entries()) counts[i] = symbols.length / 2;
  const digits = symbolsByLength.join('').match(/../g) ?? [];
  return { counts, symbols: Uint8Array.from(digits, (digit) => Number.parseInt(digit, 16)) };
}
