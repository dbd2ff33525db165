import { codesOf, type HuffmanDefinition } from '../../../../../support/jpeg-maker/scan-coder.ts';
import { type CodingKernel, histogram } from './coding-stage.ts';

export interface ScanTable extends HuffmanDefinition {
  readonly kind: number;
  readonly slot: number;
}

/** Gives the kernel codes for what it has counted; returns them, and the bits that the scan takes with them. */
export function giveCodes(kernel: CodingKernel): { tables: ScanTable[]; bits: number } {
  const tables: ScanTable[] = [];
  let bits = kernel.rawBits();
  for (const kind of [0, 1]) {
    for (const slot of [0, 1]) {
      const numbers = histogram(kernel, kind, slot);
      const table = { kind, slot, ...definitionFor(numbers) };
      const codes = new Uint32Array(kernel.memory.buffer, kernel.codes(kind, slot), 256).fill(0);
      for (const [symbol, { code, length }] of codesOf(table)) {
        codes[symbol] = code | (length << 16);
        bits += length * (numbers[symbol] ?? 0);
      }
      if (table.symbols.length > 0) tables.push(table);
    }
  }
  return { tables, bits };
}

function definitionFor(numbers: Uint32Array): HuffmanDefinition {
  const lengths = codeLengths(numbers);
  const lengthOf = (symbol: number) => lengths.get(symbol) ?? 0;
  const symbols = [...lengths.keys()].sort((a, b) => lengthOf(a) - lengthOf(b) || a - b);
  const counts = Array.from(
    { length: 16 },
    (_, i) => symbols.filter((symbol) => lengthOf(symbol) === i + 1).length,
  );
  return { counts, symbols };
}

/**
 * Lengths of at most 16 bits: frequencies are flattened until they are. One more
 * symbol, rarer than all, takes the code of ones only.
 */
function codeLengths(counts: Uint32Array): Map<number, number> {
  const reserved = 256;
  let frequencies = [...counts.entries()].filter(([, number]) => number > 0);
  if (frequencies.length === 0) return new Map();
  for (;;) {
    const lengths = new Map<number, number>();
    let groups = [...frequencies, [reserved, 0] as [number, number]].map(([symbol, number]) => ({
      number,
      symbols: [symbol],
    }));
    while (groups.length > 1) {
      groups.sort((a, b) => b.number - a.number);
      const [one, other] = groups.splice(-2);
      const symbols = [...(one?.symbols ?? []), ...(other?.symbols ?? [])];
      for (const symbol of symbols) lengths.set(symbol, (lengths.get(symbol) ?? 0) + 1);
      groups = [...groups, { number: (one?.number ?? 0) + (other?.number ?? 0), symbols }];
    }
    if (Math.max(...lengths.values()) <= 16) {
      lengths.delete(reserved);
      return lengths;
    }
    frequencies = frequencies.map(([symbol, number]) => [symbol, (number + 3) >> 2]);
  }
}
