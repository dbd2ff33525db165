import { beforeEach, describe, expect, it } from 'vitest';
import { srgbCurves } from '../../../../src/image/color/curves.ts';
import type { Orientation } from '../../../../src/image/metadata/exif-block.ts';
import { turnInPlace } from '../../../../src/image/pixels/orientation.ts';
import type { Raster } from '../../../../src/image/pixels/raster.ts';
import { ResizedRows } from '../../../../src/image/pixels/resized-rows.ts';
import { resized } from '../../../../src/image/pixels/resizer.ts';
import {
  forEachRowOf,
  gathered,
  pacedRows,
  type RowSource,
  rowsOf,
} from '../../../../src/image/pixels/row-source.ts';
import {
  maxBands,
  turnedRows,
  turningBytes,
  turnsInBands,
} from '../../../../src/image/pixels/turned-rows.ts';
import { Pace, runAtOnce } from '../../../../src/image/slices.ts';
import { drawn, noise } from './drawings.ts';

/** The raster that rows come to. */
function rasterOf(rows: RowSource): Raster {
  return runAtOnce(gathered(rows));
}

/** Rows that count how often they are gone through, and to the end. */
function counted(rows: RowSource): RowSource & { runs: number; ends: number } {
  return {
    ...rows,
    runs: 0,
    ends: 0,
    *start() {
      this.runs += 1;
      yield* rows.start();
    },
    *end() {
      this.ends += 1;
      yield* rows.end();
    },
  };
}

const orientations: readonly Orientation[] = [1, 2, 3, 4, 5, 6, 7, 8];
const sizes = [
  [1, 1],
  [1, 37],
  [37, 1],
  [5, 3],
  [40, 17],
  [16, 33],
  [130, 70],
] as const;

describe('rows of a turned picture', () => {
  it.each(orientations)('are those of the raster that was turned: orientation %i', (turn) => {
    for (const [width, height] of sizes) {
      const source = noise(width, height, 'noise');
      const expected = turnInPlace({ ...source, data: source.data.slice() }, turn);
      for (const bands of [1, 2, 3, maxBands]) {
        const turned = turnedRows(rowsOf({ ...source, data: source.data.slice() }), turn, bands);
        expect(rasterOf(turned)).toEqual(expected);
      }
    }
  });

  it.each(orientations)('can be had again, each band by a run: orientation %i', (turn) => {
    const source = noise(64, 48, 'opaque');
    const rows = counted(rowsOf(source));
    const turned = turnedRows(rows, turn, 4);
    // a mirrored row is its source's own, which may be changed
    const first = rasterOf(turned);
    const again = turn === 2 ? rasterOf(turnedRows(rowsOf(source), 1, 1)) : rasterOf(turned);
    expect(again).toEqual(first);
    if (turnsInBands(turn)) expect(rows.runs).toBe(8);
    expect(rows.ends).toBeGreaterThanOrEqual(1);
  });

  it('hold no more than is stated', () => {
    const taken: number[] = [];
    const { Uint32Array: Native } = globalThis;
    globalThis.Uint32Array = new Proxy(Native, {
      construct(target, [first, ...rest]) {
        if (typeof first === 'number') taken.push(4 * first);
        return Reflect.construct(target, [first, ...rest]);
      },
    });
    try {
      for (const turn of [3, 4, 5, 6, 7, 8] as const) {
        for (const [width, height] of sizes) {
          taken.length = 0;
          rasterOf(turnedRows(rowsOf(noise(width, height, 'noise')), turn, 3));
          const sum = taken.reduce((all, bytes) => all + bytes, 0);
          expect(sum).toBeGreaterThan(0);
          expect(sum).toBeLessThanOrEqual(turningBytes({ width, height }, turn, 3));
        }
      }
    } finally {
      globalThis.Uint32Array = Native;
    }
  });
});

describe('rows whose consumer pauses', () => {
  const source = noise(10, 30, 'opaque');
  const flow = (take: (row: Uint8Array, y: number) => void) => forEachRowOf(rowsOf(source), take);

  it('are the same, and all counted, whichever way they are taken', () => {
    let taken = 0;
    const rows = pacedRows({ ...rowsOf(source), flow }, 1, (count) => {
      taken += count;
    });
    expect(rasterOf(rows)).toEqual(source);
    expect(taken).toBe(30);
    runAtOnce(rows.start());
    const first = runAtOnce(rows.next()).slice();
    const others = rows.nextRows && runAtOnce(rows.nextRows(4, { left: 0, width: 10 }));
    expect([...first, ...(others ?? [])]).toEqual([...source.data.subarray(0, 200)]);
    expect(taken).toBe(35);
    expect(pacedRows(turnedRows(rowsOf(source), 6, 2), 1).nextRows).toBeUndefined();
  });

  // Nothing is left of loops before.
  beforeEach(() => runAtOnce(new Pace(8).after()));

  it('let others run after some milliseconds of predicted work, and not before', () => {
    expect(Array.from(gathered(pacedRows(rowsOf(source), 3)))).toEqual(Array(10).fill(9));
    expect(Array.from(gathered(pacedRows(rowsOf(source), 0.01)))).toEqual([]);
  });

  it('count several rows that are taken at once as so much work', () => {
    const rows = pacedRows(rowsOf(source), 3);
    runAtOnce(rows.start());
    expect([...(rows.nextRows?.(7, { left: 0, width: 10 }) ?? [])]).toEqual([21]);
  });
});

describe('rows that are given up half-way', () => {
  it('give back what they hold, and can be begun again', () => {
    const source = noise(40, 30, 'opaque');
    const region = { left: 0, top: 0, width: 40, height: 30 };
    const make = () =>
      turnedRows(
        new ResizedRows(rowsOf(source), region, { width: 20, height: 15 }, srgbCurves),
        6,
        2,
      );
    const rows = make();
    runAtOnce(rows.start());
    const first = runAtOnce(rows.next());
    expect(first.length).toBe(4 * 15);
    rows.release?.();
    // the band that the row lay in is gone
    expect(first.length).toBe(0);
    expect(rasterOf(rows)).toEqual(rasterOf(make()));
  });
});

describe('rows of a reduced picture', () => {
  it.each([
    [
      { left: 0, top: 0, width: 90, height: 70 },
      { width: 30, height: 20 },
    ],
    [
      { left: 0, top: 0, width: 90, height: 70 },
      { width: 1, height: 1 },
    ],
    [
      { left: 0, top: 0, width: 90, height: 70 },
      { width: 90, height: 69 },
    ],
    [
      { left: 0, top: 0, width: 90, height: 70 },
      { width: 45, height: 70 },
    ],
    [
      { left: 3, top: 5, width: 80, height: 60 },
      { width: 80, height: 60 },
    ],
    [
      { left: 3.5, top: 5.25, width: 80, height: 60.5 },
      { width: 33, height: 60 },
    ],
  ])(
    'are those of a raster that is reduced, as often as they are wanted: %o to %o',
    (region, target) => {
      for (const alpha of ['opaque', 'noise', 'some'] as const) {
        const source = noise(90, 70, alpha);
        const rows = counted(rowsOf(source));
        const reduced = new ResizedRows(rows, region, target, srgbCurves);
        const expected = resized(source, region, target, srgbCurves);
        expect(rasterOf(reduced)).toEqual(expected);
        expect(rasterOf(reduced)).toEqual(expected);
        expect([rows.runs, rows.ends]).toEqual([2, 2]);
      }
    },
  );

  it('repeat the last row of the source where rounding takes the region beyond it', () => {
    const source = drawn(20, 10, () => [10, 200, 30, 255]);
    const region = { left: 0, top: 2, width: 20, height: 8 + 1e-9 };
    const target = { width: 20, height: 4 };
    const reduced = rasterOf(new ResizedRows(rowsOf(source), region, target, srgbCurves));
    expect(reduced).toEqual(drawn(20, 4, () => [10, 200, 30, 255]));
  });
});
