import { describe, expect, it } from 'vitest';
import { cropped, type Raster } from '../../../../src/image/pixels/raster.ts';
import { forEachRowOf, gathered, rowsOf } from '../../../../src/image/pixels/row-source.ts';
import { rowsInTurns } from '../../../../src/image/pixels/rows-in-turns.ts';
import { Strips } from '../../../../src/image/pixels/strips.ts';
import { runAtOnce } from '../../../../src/image/slices.ts';
import { Random } from '../../../support/random.ts';

const random = new Random(3);
const picture: Raster = {
  width: 7,
  height: 23,
  data: new Uint8ClampedArray(4 * 7 * 23).map(() => random.word()),
};

/** Rows in turns, the runs that they take, and whether one of them is open. */
function inTurns(stripRows: number) {
  const state = { runs: 0, isOpen: false, ends: 0 };
  const rows = rowsInTurns(picture, stripRows, function* (use) {
    state.runs += 1;
    state.isOpen = true;
    const source = rowsOf(picture);
    yield* use({
      ...source,
      *end() {
        state.ends += 1;
      },
    });
    state.isOpen = false;
  });
  return { rows, state };
}

describe('rows of a reader that takes turns', () => {
  it.each([1, 5, 22, 23, 100])('are those of the picture, %i at once', (stripRows) => {
    const { rows, state } = inTurns(stripRows);
    for (let run = 1; run <= 2; run += 1) {
      runAtOnce(rows.start());
      for (let y = 0; y < picture.height; y += 1) {
        const row = Buffer.from(runAtOnce(rows.next()));
        expect(row.equals(Buffer.from(picture.data.subarray(28 * y, 28 * y + 28)))).toBe(true);
        expect(state.isOpen).toBe(false);
      }
      runAtOnce(rows.end());
      expect(state).toMatchObject({ runs: run * Math.ceil(23 / stripRows), ends: run });
    }
    rows.release?.();
  });

  it('come as strips without a copy, and by one run where all are gone through', () => {
    const { rows, state } = inTurns(5);
    runAtOnce(rows.start());
    const strips = new Strips(rows, 10);
    const data = [10, 10, 3].map((height) => {
      const strip = runAtOnce(strips.next());
      expect(strip).toMatchObject({ width: 7, height });
      return Buffer.from(strip.data);
    });
    strips.end();
    expect(Buffer.concat(data).equals(Buffer.from(picture.data))).toBe(true);
    expect(state.runs).toBe(3);
    let seen = 0;
    runAtOnce(
      forEachRowOf(rows, (_, y) => {
        expect([y, state.isOpen]).toEqual([seen, true]);
        seen += 1;
      }),
    );
    expect([seen, state.runs, state.ends]).toEqual([23, 4, 2]);
  });

  it('come as strips of some columns', () => {
    const { rows, state } = inTurns(5);
    for (const columns of [
      { left: 0, width: 4 },
      { left: 4, width: 3 },
    ]) {
      runAtOnce(rows.start());
      const strips = new Strips(rows, 10, columns);
      for (const top of [0, 10, 20]) {
        const { width, height, data } = runAtOnce(strips.next());
        expect([width, height]).toEqual([columns.width, Math.min(10, 23 - top)]);
        expect(data).toEqual(cropped(picture, { ...columns, top, height }).data);
      }
      strips.end();
    }
    expect(state.runs).toBe(6);
  });

  it('hand on what goes wrong', () => {
    const rows = rowsInTurns(picture, 5, () => {
      throw new Error('damaged');
    });
    expect(() => runAtOnce(gathered(rows))).toThrow('damaged');
  });
});

describe('strips', () => {
  it('are some columns of any source', () => {
    const { nextRows: _, ...oneByOne } = rowsOf(picture);
    for (const rows of [rowsOf(picture), oneByOne]) {
      runAtOnce(rows.start());
      const strips = new Strips(rows, 20, { left: 2, width: 3 });
      const [first, last] = [20, 3].map(() => Buffer.from(runAtOnce(strips.next()).data));
      const expected = cropped(picture, { left: 2, top: 0, width: 3, height: 23 }).data;
      expect([...(first ?? []), ...(last ?? [])]).toEqual([...expected]);
    }
  });

  it('are the rows of any source, the last one of what is left', () => {
    const { start, next, end } = rowsOf(picture);
    const { width, height } = picture;
    const strips = new Strips({ width, height, start, next, end }, 8);
    const data = [8, 8, 7].map((rows) => {
      const strip = runAtOnce(strips.next());
      expect(strip.height).toBe(rows);
      return Buffer.from(strip.data);
    });
    expect(Buffer.concat(data).equals(Buffer.from(picture.data))).toBe(true);
  });
});
