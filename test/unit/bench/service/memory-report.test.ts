import { describe, expect, it } from 'vitest';
import type { Configuration } from '../../../../bench/service/memory/configurations.ts';
import {
  failuresOf,
  type Measured,
  memoryPlots,
  memoryTable,
} from '../../../../bench/service/memory/report.ts';
import { memoryBudget } from '../../../../src/image/memory.ts';

const mebibyte = 2 ** 20;

const configuration: Configuration = {
  kind: 'JPEG',
  query: { format: 'webp', width: '800' },
  megapixels: 12,
};

function row(changes: Partial<Measured> = {}): Measured {
  return {
    configuration,
    pixels: 12e6,
    fileBytes: 2.5 * mebibyte,
    status: 200,
    predicted: 24 * mebibyte,
    measured: 22 * mebibyte,
    milliseconds: 210.4,
    ...changes,
  };
}

describe('the memory report', () => {
  it('has a row for each configuration', () => {
    expect(memoryTable([row()]).rows).toEqual([
      ['JPEG → webp, 800 px', '12.0', '2.5', '200', '24.0', '22.0', '210'],
    ]);
  });

  it('fails nothing that stays below its prediction and the budget', () => {
    expect(failuresOf([row(), row({ measured: 24 * mebibyte })])).toEqual([]);
  });

  it('names what takes more than was predicted', () => {
    expect(failuresOf([row({ measured: 25 * mebibyte })])).toEqual([
      'JPEG → webp, 800 px, 12.0 MP: 25.0 MiB measured, 24.0 predicted',
    ]);
  });

  it('names what takes more than the budget, though it was predicted', () => {
    const above = memoryBudget + mebibyte;
    expect(failuresOf([row({ measured: above, predicted: above })])).toEqual([
      'JPEG → webp, 800 px, 12.0 MP: 97.0 MiB measured, 96.0 allowed',
    ]);
  });

  it('names what is not answered, and nothing else of it', () => {
    expect(failuresOf([row({ status: 503, measured: 99 * mebibyte })])).toEqual([
      'JPEG → webp, 800 px, 12.0 MP: answered 503',
    ]);
  });

  it('plots what was measured by megapixels under the budget, and by what was predicted', () => {
    const png = row({ configuration: { ...configuration, kind: 'PNG' }, pixels: 4e6 });
    const [byPixels, byPrediction] = memoryPlots([row(), png]);
    expect(byPixels?.series.map(({ name, points }) => [name, points])).toEqual([
      ['JPEG', [{ x: 12, y: 22 }]],
      ['PNG', [{ x: 4, y: 22 }]],
      [
        'budget',
        [
          { x: 4, y: 96 },
          { x: 12, y: 96 },
        ],
      ],
    ]);
    expect(byPrediction?.series[0]?.points).toEqual([{ x: 24, y: 22 }]);
  });
});
