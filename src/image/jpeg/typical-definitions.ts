import { definition, type HuffmanDefinitions } from './huffman-definitions.ts';
import { typicalHuffmanTables } from './typical-huffman-tables.ts';

/** The tables of a sequential file until it defines its own. */
export function typicalDefinitions(): HuffmanDefinitions {
  const { dc, ac } = typicalHuffmanTables;
  return {
    dc: dc.map(({ counts, symbols }) => definition(counts, symbols)),
    ac: ac.map(({ counts, symbols }) => definition(counts, symbols)),
  };
}
