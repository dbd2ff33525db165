import { describe, expect, it } from 'vitest';
import type { Configuration } from '../../../../bench/service/memory/configurations.ts';
import {
  failuresOf,
  groupFailures,
  groupTable,
  type Measured,
  type MeasuredGroup,
  memoryPlots,
  memoryTable,
} from '../../../../bench/service/memory/report.ts';
import { memoryBudget } from '../../../../src/image/wasm/budgets.ts';

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
    unseen: 0.5 * mebibyte,
    milliseconds: 210.4,
    ...changes,
  };
}

describe('the memory report', () => {
  it('has a row for each configuration', () => {
    expect(memoryTable([row()]).rows).toEqual([
      ['JPEG → webp, 800 px', '12.0', '2.5', '200', '24.0', '22.0', '0.5', '210'],
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

describe('the memory report of several requests', () => {
  function together(changes: Partial<MeasuredGroup> = {}): MeasuredGroup {
    return {
      group: { areParallel: true, requests: [configuration, configuration] },
      fileBytes: [2 * mebibyte, 2.5 * mebibyte],
      statuses: [200, 503],
      measured: 40 * mebibyte,
      milliseconds: 300,
      ...changes,
    };
  }

  it('has a row for each company', () => {
    expect(groupTable([together()]).rows).toEqual([
      ['2 at once: 2 × JPEG → webp, 800 px', '2.0, 2.5', '200, 503', '40.0', '300'],
    ]);
  });

  it('fails nothing within the budget and the longest file, where one at least is answered', () => {
    expect(groupFailures([together({ measured: memoryBudget + 2.5 * mebibyte })])).toEqual([]);
  });

  it('names what takes more than the budget', () => {
    expect(groupFailures([together({ measured: memoryBudget + 3 * mebibyte })])).toEqual([
      '2 at once: 2 × JPEG → webp, 800 px: 99.0 MiB measured, 98.5 allowed',
    ]);
  });

  it.each([
    [true, [503, 503]],
    [true, [200, 500]],
    [false, [200, 503]],
  ])('names what is not answered as it should be: parallel %s, %j', (areParallel, statuses) => {
    const group = { areParallel, requests: [configuration, configuration] };
    const [failure] = groupFailures([together({ group, statuses })]);
    expect(failure).toContain(`answered ${statuses.join(', ')}`);
  });
});
