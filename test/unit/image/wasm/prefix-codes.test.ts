import { beforeAll, describe, expect, it } from 'vitest';
import { compiledKernel } from '../../../support/kernels.ts';
import { linked, put, seeded } from '../formats/png/kernel/writing.ts';

interface PrefixCodes {
  codeSpaceBytes(symbols: number): number;
  setCodeSpace(at: number, symbols: number, bits: number): void;
  codeLengths(counts: number, symbols: number, limit: number, lengths: number): number;
  assignCodes(lengths: number, symbols: number, codes: number): void;
}

const maxSymbols = 300;
const symbolBits = 9;
let module: WebAssembly.Module;

beforeAll(async () => {
  const assembly = '../../../wasm/assembly';
  module = await compiledKernel('png', [`${assembly}/memory.ts`, `${assembly}/prefix-codes.ts`]);
});

describe('lengths of codes', () => {
  it('are those of Huffman where none is too long', () => {
    expect(lengthsOf([5, 1, 1, 2], 15)).toEqual([1, 3, 3, 2]);
    expect(lengthsOf([1, 1, 1, 1], 15)).toEqual([2, 2, 2, 2]);
  });

  it('are one bit for a single symbol, and none for no symbol', () => {
    expect(lengthsOf([0, 0, 9], 15)).toEqual([0, 0, 1]);
    expect(lengthsOf([0, 0], 15)).toEqual([0, 0]);
  });

  it('stay within the limit, fill the code, and are shorter for what is frequent', () => {
    const fibonacci = [1, 1];
    for (let i = 2; i < 28; i += 1)
      fibonacci.push((fibonacci[i - 1] ?? 0) + (fibonacci[i - 2] ?? 0));
    const random = seeded(5);
    const skewed = Array.from({ length: 286 }, () => Math.floor(random() ** 12 * 80_000) + 1);
    for (const [counts, limit] of [
      [fibonacci, 15],
      [fibonacci.slice(0, 19), 7],
      [skewed, 9],
    ] as const) {
      const lengths = lengthsOf(counts, limit);
      expect(Math.max(...lengths)).toBe(limit);
      expect(lengths.reduce((sum, length) => sum + 2 ** -length, 0)).toBe(1);
      const order = counts.map((_, i) => i).sort((a, b) => (counts[a] ?? 0) - (counts[b] ?? 0));
      const sorted = order.map((i) => lengths[i] ?? 0);
      expect(sorted).toEqual(sorted.toSorted((a, b) => b - a));
    }
  });
});

describe('codes', () => {
  it('count up within each length, the bit that comes first lowest', () => {
    // the example of RFC 1951, section 3.2.2
    const codes = ['010', '011', '100', '101', '110', '00', '1110', '1111'];
    expect(codesOf([3, 3, 3, 3, 3, 2, 4, 4])).toEqual(codes);
  });

  it('are none for symbols without a length', () => {
    expect(codesOf([1, 0, 2, 0, 2])).toEqual(['0', '', '10', '', '11']);
  });
});

function lengthsOf(counts: readonly number[], limit: number): number[] {
  const kernel = linkedCodes();
  const at = put(kernel, new Uint8Array(Uint32Array.from(counts).buffer));
  const lengths = kernel.allocate(counts.length);
  const used = kernel.codeLengths(at, counts.length, limit, lengths);
  expect(used).toBe(counts.filter((count) => count > 0).length);
  return [...new Uint8Array(kernel.memory.buffer, lengths, counts.length)];
}

/** Codes as they are written, their first bit first. */
function codesOf(lengths: readonly number[]): string[] {
  const kernel = linkedCodes();
  const at = put(kernel, Uint8Array.from(lengths));
  const codes = kernel.allocate(4 * lengths.length);
  kernel.assignCodes(at, lengths.length, codes);
  return Array.from(new Uint32Array(kernel.memory.buffer, codes, lengths.length), (code) => {
    const bits = (code & 0xffff).toString(2).padStart(code >>> 16, '0');
    return code === 0 ? '' : [...bits].reverse().join('');
  });
}

function linkedCodes() {
  const kernel = linked<PrefixCodes>(module);
  kernel.setCodeSpace(kernel.allocate(kernel.codeSpaceBytes(maxSymbols)), maxSymbols, symbolBits);
  return kernel;
}
