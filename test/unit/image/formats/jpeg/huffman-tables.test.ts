import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  type HuffmanTable,
  isValidHuffmanTable,
  optimalHuffmanTable,
} from '../../../../../src/image/formats/jpeg/huffman-tables.ts';
import { makeJpeg } from '../../../../support/jpeg-maker/jpeg-maker.ts';

/** Numbers from 0 to 1 that are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function histogramOf(frequencies: readonly number[]): Uint32Array {
  const histogram = new Uint32Array(256);
  histogram.set(frequencies);
  return histogram;
}

/**
 * The least bits that any code with codes of up to 16 bits takes, when one code more is to be kept
 * free: tries every number of leaves on every level of the tree.
 */
function minBits(frequencies: readonly number[]): number {
  const weights = [...frequencies].filter((f) => f > 0).sort((a, b) => b - a);
  weights.push(0);
  const rest = (placed: number) => weights.slice(placed).reduce((sum, weight) => sum + weight, 0);
  const known = new Map<string, number>();
  const least = (level: number, placed: number, nodes: number): number => {
    const left = weights.length - placed;
    if (nodes >= left) return 0;
    if (level === 16) return Number.POSITIVE_INFINITY;
    const key = `${level} ${placed} ${nodes}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    let best = Number.POSITIVE_INFINITY;
    for (let leaves = 0; leaves < nodes; leaves += 1) {
      const below = least(level + 1, placed + leaves, 2 * (nodes - leaves));
      best = Math.min(best, rest(placed + leaves) + below);
    }
    known.set(key, best);
    return best;
  };
  return least(0, 0, 1);
}

function kraftSum({ counts }: HuffmanTable): number {
  return counts.reduce((sum, count, i) => sum + count / 2 ** (i + 1), 0);
}

/** Symbols out of bits by T.81 figure F.16. */
function decoded(bits: string, { counts, symbols }: HuffmanTable): number[] {
  const found: number[] = [];
  for (let at = 0; at < bits.length; ) {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; ; length += 1) {
      if (length > 16) throw new Error('no code begins so');
      code = 2 * code + Number(bits[at++]);
      first *= 2;
      const count = counts[length - 1] ?? 0;
      if (code < first + count) {
        found.push(symbols[index + code - first] ?? -1);
        break;
      }
      first += count;
      index += count;
    }
  }
  return found;
}

const fibonacci = [1, 1];
while (fibonacci.length < 40) fibonacci.push((fibonacci.at(-1) ?? 0) + (fibonacci.at(-2) ?? 0));

const random = numbers(1);
const histograms: Record<string, number[]> = {
  'two symbols': [3, 900],
  'equal frequencies': Array.from({ length: 16 }, () => 7),
  'Fibonacci numbers': fibonacci,
  'symbols that are missing': [0, 5, 0, 0, 1, 0, 80],
  'powers of two': Array.from({ length: 30 }, (_, i) => 2 ** i),
};
for (let i = 1; i <= 20; i += 1) {
  histograms[`random numbers ${i}`] = Array.from({ length: i + 1 }, () =>
    Math.floor(random() ** 8 * 1e6),
  );
}
const large = Array.from({ length: 256 }, (_, i) => Math.floor(4e9 * 0.85 ** i) + 1);

describe('the optimal Huffman table', () => {
  it.each(Object.entries(histograms))('takes the least bits: %s', (_, frequencies) => {
    const { bits } = optimalHuffmanTable(histogramOf(frequencies));
    expect(bits).toBe(minBits(frequencies));
  });

  it.each(Object.entries({ ...histograms, 'all symbols': large }))(
    'is one that decoders take: %s',
    (_, frequencies) => {
      const table = optimalHuffmanTable(histogramOf(frequencies));
      expect(isValidHuffmanTable(table.counts, table.symbols, 'ac')).toBe(true);
      // what is missing is one code, that of ones
      const longest = Math.max(...table.lengths);
      expect(longest).toBeLessThanOrEqual(16);
      expect(kraftSum(table)).toBe(1 - 2 ** -longest);
      const ones = frequencies.filter(
        (_, s) => table.codes[s] === 2 ** (table.lengths[s] ?? 0) - 1,
      );
      expect(ones.filter((frequency) => frequency > 0)).toEqual([]);
    },
  );

  it.each(Object.entries({ ...histograms, 'all symbols': large }))(
    'has codes that its definition decodes: %s',
    (_, frequencies) => {
      const table = optimalHuffmanTable(histogramOf(frequencies));
      const message = frequencies.flatMap((frequency, symbol) => (frequency > 0 ? [symbol] : []));
      expect(Array.from(table.symbols).sort((a, b) => a - b)).toEqual(message);
      const bits = message.map((symbol) => {
        const length = table.lengths[symbol] ?? 0;
        return (table.codes[symbol] ?? 0).toString(2).padStart(length, '0');
      });
      expect(decoded(bits.join(''), table)).toEqual(message);
    },
  );

  it('has codes of 16 bits where the best ones would be longer', () => {
    const { lengths } = optimalHuffmanTable(histogramOf(fibonacci));
    expect(Math.max(...lengths)).toBe(16);
  });

  it('gives symbols without occurrence no code', () => {
    const { lengths, codes } = optimalHuffmanTable(histogramOf([0, 5, 0, 1]));
    expect(Array.from(lengths.subarray(0, 4))).toEqual([0, 1, 0, 2]);
    expect(Array.from(codes.subarray(0, 4))).toEqual([0, 0, 0, 2]);
  });

  it('has one symbol of one bit where only one occurs, and where none does', () => {
    const one = optimalHuffmanTable(histogramOf([0, 0, 70]));
    expect(one).toMatchObject({ bits: 70, symbols: Uint8Array.of(2) });
    expect(one.counts[0]).toBe(1);
    const none = optimalHuffmanTable(new Uint32Array(256));
    expect(none).toMatchObject({ bits: 0, symbols: Uint8Array.of(0) });
    expect(none.counts[0]).toBe(1);
  });
});

describe('a Huffman table of a file', () => {
  const counts = (codes: Record<number, number>) =>
    Uint8Array.from({ length: 16 }, (_, i) => codes[i + 1] ?? 0);
  const symbols = (number: number) => Uint8Array.from({ length: number }, (_, i) => i);
  const ac = { counts: counts({ 1: 1 }), symbols: symbols(1) };

  // with a picture of zeros, which needs the symbol 0 only
  it.each([
    ['one code', counts({ 1: 1 }), symbols(1), true],
    ['a code of ones', counts({ 1: 2 }), symbols(2), false],
    ['a long code of ones', counts({ 1: 1, 2: 1, 3: 2 }), symbols(4), false],
    ['all but the code of ones', counts({ 1: 1, 2: 1, 3: 1 }), symbols(3), true],
    ['more codes than fit', counts({ 1: 1, 2: 3 }), symbols(4), false],
    ['codes after lengths without any', counts({ 2: 1, 16: 10 }), symbols(11), true],
    ['a size that no difference has', counts({ 2: 2 }), Uint8Array.of(0, 16), false],
    ['the largest size', counts({ 2: 2 }), Uint8Array.of(0, 15), true],
    ['the same symbol twice', counts({ 2: 2 }), Uint8Array.of(0, 0), true],
    ['more than 256 codes', counts({ 9: 128, 10: 129 }), new Uint8Array(257), false],
  ])('is valid if libjpeg takes it: %s', async (_, counts, symbols, isValid) => {
    expect(isValidHuffmanTable(counts, symbols, 'dc')).toBe(isValid);
    const content = { width: 8, height: 8, components: [{}], coefficients: () => [0] };
    const file = makeJpeg({ ...content, huffmanTables: { dc: { counts, symbols }, ac } });
    const decoding = sharp(file, { failOn: 'none' }).raw().toBuffer();
    if (isValid) expect((await decoding)[0]).toBe(128);
    else await expect(decoding).rejects.toThrow(/huffman/i);
  });

  it('may have any symbol if it is for AC', () => {
    expect(isValidHuffmanTable(counts({ 2: 2 }), Uint8Array.of(0, 255), 'ac')).toBe(true);
  });

  it('is not valid without all of its symbols', () => {
    expect(isValidHuffmanTable(counts({ 2: 3 }), symbols(2), 'ac')).toBe(false);
  });
});
