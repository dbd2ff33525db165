import { describe, expect, it } from 'vitest';
import type { Job, TimedJob } from '../../../../bench/service/speed/jobs.ts';
import {
  costTable,
  failuresOf,
  speedPlot,
  speedTable,
} from '../../../../bench/service/speed/report.ts';

const job: Job = {
  name: 'JPEG 12 MP, kept',
  way: 'JPEG kept',
  file: new Uint8Array(1),
  query: {},
  takesQuality: true,
  bySharp: () => {
    throw new Error('nothing is coded here');
  },
};

const row: TimedJob = {
  ...{ job, pixels: 12e6, status: 200, quality: 'original', sharpQuality: 80 },
  ...{ cpu: 150, wall: 160, sharp: 600 },
};

describe('the speed report', () => {
  it('has the times of each job, and how they compare', () => {
    expect(speedTable([row]).rows).toEqual([
      ['JPEG 12 MP, kept', '12.00', '200', 'original', '150.0', '160.0', '80', '600.0', '0.25'],
    ]);
  });

  it('has what a thousand of them cost', () => {
    expect(costTable([row], { calls: 2, active: 0, rows: 2, databaseRows: 0 }).rows).toEqual([
      ['JPEG 12 MP, kept', '0.0003', '0.0030', '0.0023', '0.0056'],
    ]);
  });

  it('plots the time by megapixels, and that of sharp', () => {
    const [kept, sharp] = speedPlot([row]).series;
    expect(kept).toMatchObject({
      name: 'ours, JPEG kept',
      mark: 'line',
      points: [{ x: 12, y: 150 }],
    });
    expect(sharp).toMatchObject({ name: 'sharp, JPEG kept', points: [{ x: 12, y: 600 }] });
  });

  it('fails on what is not answered', () => {
    expect(failuresOf([row, { ...row, status: 413 }])).toEqual(['JPEG 12 MP, kept: 413']);
  });
});
