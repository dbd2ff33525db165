/** Definitions as in DHT, used for all components. */
export interface HuffmanTables {
  dc: HuffmanDefinition;
  ac: HuffmanDefinition;
}

export interface HuffmanDefinition {
  counts: ArrayLike<number>;
  symbols: ArrayLike<number>;
}

/** Codes for everything: DC sizes 0 to 15 with 5 bits each, the 256 AC symbols with 8 or 9. */
export const generousTables: HuffmanTables = {
  dc: { counts: countsOf({ 5: 16 }), symbols: Array.from({ length: 16 }, (_, size) => size) },
  ac: { counts: countsOf({ 8: 254, 9: 2 }), symbols: Array.from({ length: 256 }, (_, i) => i) },
};

function countsOf(codesByLength: Record<number, number>): number[] {
  return Array.from({ length: 16 }, (_, i) => codesByLength[i + 1] ?? 0);
}

/** Codes by symbol. */
export type Codes = ReadonlyMap<number, { readonly code: number; readonly length: number }>;

/** T.81 figure C.2. */
export function codesOf({ counts, symbols }: HuffmanDefinition): Codes {
  const codes = new Map<number, { code: number; length: number }>();
  let code = 0;
  let i = 0;
  for (let length = 1; length <= 16; length += 1) {
    const end = i + (counts[length - 1] ?? 0);
    for (; i < end; i += 1, code += 1) codes.set(symbols[i] ?? 0, { code, length });
    code <<= 1;
  }
  return codes;
}
