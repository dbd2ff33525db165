import { beforeAll, describe, expect, it } from 'vitest';
import { compiledKernel } from '../../../../../support/kernels.ts';
import { linked, noise, predicted, put } from './writing.ts';

interface Filters {
  filterBytes(
    filter: number,
    row: number,
    previous: number,
    length: number,
    step: number,
    to: number,
  ): void;
  allocateScores(): number;
  prepareLogarithms(): void;
  scoreRow(row: number, previous: number, length: number, step: number): void;
  bestFilter(rule: number): number;
  readonly ruleNumber: WebAssembly.Global;
}

const margin = 16;
const [sub, up] = [1, 2];
let module: WebAssembly.Module;

beforeAll(async () => {
  module = await compiledKernel('png', [
    '../../../wasm/assembly/logarithms.ts',
    '../../../wasm/assembly/memory.ts',
    'filters/row-filters.ts',
  ]);
});

describe.each([1, 2, 3, 4, 6, 8])('filtering pixels of %i bytes', (step) => {
  it.each([0, 1, 2, 3, 4])('is what the format says of filter %i', (filter) => {
    for (const length of [1, 5, 16, 17, 100, 4_099]) {
      const kernel = linked<Filters>(module);
      const [row, previous] = [noise(length, 1 + length), noise(length, 9 + length)];
      const rowAt = put(kernel, withMargin(row), margin) + margin;
      const previousAt = put(kernel, withMargin(previous), margin) + margin;
      const to = kernel.allocate(length + margin);
      kernel.filterBytes(filter, rowAt, previousAt, length, step, to);
      const expected = row.map((value, x) => {
        const [left, corner] = [row[x - step] ?? 0, previous[x - step] ?? 0];
        return value - predicted(filter, left, previous[x] ?? 0, corner);
      });
      expect(new Uint8Array(kernel.memory.buffer, to, length)).toEqual(expected);
    }
  });
});

describe('the filter of a row', () => {
  it('is that of the row above where both are the same', () => {
    const row = noise(5_000, 3);
    expect(new Set(bestFilters(row, row))).toEqual(new Set([up]));
  });

  it('is that of the pixel before where colours rise evenly', () => {
    const row = Uint8Array.from({ length: 6_000 }, (_, x) => Math.floor(x / 3) * 5 + (x % 3) * 40);
    expect(new Set(bestFilters(row, noise(6_000, 4)))).toEqual(new Set([sub]));
  });
});

/** The filter that each rule chooses. */
function bestFilters(row: Uint8Array, previous: Uint8Array): number[] {
  const kernel = linked<Filters>(module);
  const rowAt = put(kernel, withMargin(row), margin) + margin;
  const previousAt = put(kernel, withMargin(previous), margin) + margin;
  kernel.prepareLogarithms();
  kernel.allocateScores();
  kernel.scoreRow(rowAt, previousAt, row.length, 3);
  return Array.from({ length: kernel.ruleNumber.value }, (_, rule) => kernel.bestFilter(rule));
}

function withMargin(row: Uint8Array): Uint8Array {
  return Uint8Array.of(...new Uint8Array(margin), ...row);
}
