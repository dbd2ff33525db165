import type { Plot, Series, Table } from '../../harness/section.ts';
import { costOf, type Metering } from '../cost.ts';
import type { TimedJob, Way } from './jobs.ts';

const count = 1000;

export function speedTable(rows: readonly TimedJob[]): Table {
  return {
    caption: 'Time of one request in milliseconds',
    columns: [
      ...['', 'megapixels', 'status', 'quality', 'CPU', 'wall'],
      ...['sharp, quality', 'sharp, CPU', 'against sharp'],
    ],
    rows: rows.map(({ job, pixels, status, quality, sharpQuality, cpu, wall, sharp }) => [
      job.name,
      (pixels / 1e6).toFixed(2),
      String(status),
      quality,
      cpu.toFixed(1),
      wall.toFixed(1),
      sharpQuality === null ? '–' : String(sharpQuality),
      sharp.toFixed(1),
      sharp > 0 ? (cpu / sharp).toFixed(2) : '–',
    ]),
  };
}

export function costTable(rows: readonly TimedJob[], metering: Metering): Table {
  return {
    caption: `Dollars for ${count} requests`,
    columns: ['', 'requests', 'CPU time', 'counting', 'in all'],
    rows: rows.map(({ job, cpu }) => {
      const cost = costOf(count, cpu, metering);
      const cells = [cost.requests, cost.cpu, cost.counting, cost.total];
      return [job.name, ...cells.map((dollars) => dollars.toFixed(4))];
    }),
  };
}

/** CPU time by megapixels, with logarithmic axes; one photo in several sizes is drawn as a line. */
export function speedPlot(rows: readonly TimedJob[]): Plot {
  const ways = [...new Set(rows.map(({ job: { way } }) => way))];
  const series = (name: string, way: Way, timeOf: (row: TimedJob) => number): Series => {
    const timed = rows.filter((row) => row.job.way === way && timeOf(row) > 0);
    return {
      name: `${name}, ${way}`,
      mark: way === 'JPEG kept' ? 'line' : 'points',
      points: timed.map((row) => ({ x: row.pixels / 1e6, y: timeOf(row) })),
    };
  };
  return {
    name: 'speed-megapixels',
    title: 'CPU time of one request',
    x: { title: 'megapixels of the source', scale: 'log' },
    y: { title: 'CPU time, ms', scale: 'log' },
    series: [
      ...ways.map((way) => series('ours', way, ({ cpu }) => cpu)),
      ...ways.map((way) => series('sharp', way, ({ sharp }) => sharp)),
    ],
  };
}

export function failuresOf(rows: readonly TimedJob[]): string[] {
  return rows.flatMap(({ job, status }) => (status === 200 ? [] : [`${job.name}: ${status}`]));
}
