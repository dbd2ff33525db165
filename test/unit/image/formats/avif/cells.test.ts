import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf, columnsAtOnce } from '../../../../../src/image/formats/avif/codec/cells.ts';

const side = fc.oneof(
  fc.integer({ min: 1, max: 65_536 }),
  fc.integer({ min: 1, max: 200 }),
  fc.constant(64),
);
const maxPixels = fc.constantFrom(65_536, 262_144, 734_000, 1_400_000);
const ofPixels = (pixels: number) => (height: number) => pixels / height;

describe('the cells of a picture', () => {
  it('cover it, with no row or column too many, and are no larger than they may be', () => {
    fc.assert(
      fc.property(side, side, maxPixels, (width, height, most) => {
        fc.pre(width * height <= 120e6);
        const { columns, rows, cellWidth, cellHeight } = cellsOf({ width, height }, ofPixels(most));
        if (columns * rows === 1) {
          expect([cellWidth, cellHeight]).toEqual([width, height]);
          const isUncountable = width * height > 1024 * most || Math.max(width, height) > 16_384;
          expect(width * height <= most || Math.min(width, height) < 64 || isUncountable).toBe(
            true,
          );
          return;
        }
        expect([cellWidth % 64, cellHeight % 64]).toEqual([0, 0]);
        expect(cellWidth * cellHeight).toBeLessThanOrEqual(most);
        expect(columns * cellWidth).toBeGreaterThanOrEqual(width);
        expect(rows * cellHeight).toBeGreaterThanOrEqual(height);
        expect((columns - 1) * cellWidth).toBeLessThan(width);
        expect((rows - 1) * cellHeight).toBeLessThan(height);
        // counted in one byte each
        expect(Math.max(columns, rows)).toBeLessThanOrEqual(256);
        expect(columns * rows).toBeLessThanOrEqual(1024);
        // level 5.1
        expect(cellWidth).toBeLessThanOrEqual(8192);
        expect(cellHeight).toBeLessThanOrEqual(4352);
      }),
    );
  });

  it('are neither flat nor narrow, so that no speed of libaom takes them for small pictures', () => {
    for (const [width, height] of [
      [4000, 3000],
      [3000, 4000],
      [6000, 4000],
      [8192, 6144],
    ] as const) {
      const { cellWidth, cellHeight } = cellsOf({ width, height }, ofPixels(1_380_000));
      expect(Math.min(cellWidth, cellHeight)).toBeGreaterThanOrEqual(720);
    }
  });

  it.each([
    [3000, 2000, 8],
    [4000, 3000, 8],
    [6000, 4000, 8],
    [8192, 6144, 8],
    [12_000, 10_000, 8],
  ])(
    'of %i × %i are filled by as many columns as %i MiB have room for',
    (width, height, mebibytes) => {
      const cells = cellsOf({ width, height }, ofPixels(1_380_000));
      const columns = columnsAtOnce({ width, height }, cells);
      expect(columns).toBeGreaterThanOrEqual(1);
      expect(columns).toBeLessThanOrEqual(cells.columns);
      const held = Math.min(width, columns * cells.cellWidth) * cells.cellHeight;
      expect((4 * held) / 2 ** 20).toBeLessThanOrEqual(mebibytes);
    },
  );

  it('are no larger than they may be in strips of the least width', () => {
    const cells = cellsOf({ width: 64, height: 5000 }, ofPixels(512 * 512));
    expect(cells).toEqual({ columns: 1, rows: 2, cellWidth: 64, cellHeight: 2560 });
  });

  it('have lines between them that are as short as can be', () => {
    expect(cellsOf({ width: 1200, height: 900 }, ofPixels(734_000))).toMatchObject({
      columns: 2,
      rows: 1,
    });
    expect(cellsOf({ width: 900, height: 1200 }, ofPixels(734_000))).toMatchObject({
      columns: 1,
      rows: 2,
    });
    expect(cellsOf({ width: 300, height: 16_384 }, ofPixels(734_000)).columns).toBe(1);
  });
});
