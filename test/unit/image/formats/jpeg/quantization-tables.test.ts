import { describe, expect, it } from 'vitest';
import { targetTables } from '../../../../../src/image/formats/jpeg/quantization-tables.ts';

const finest = new Uint16Array(64).fill(1);

describe('targetTables', () => {
  it('has the figures of luma, scaled, in zigzag order', () => {
    const [luma] = targetTables(2, [finest], 4);
    // 1.2397 × 0.75 × 2; then 1.7227 × 2, 1.7227 × 2, 2.9212 × 2 with a little more for their position
    expect([...(luma ?? []).slice(0, 4)]).toEqual([2, 3, 4, 6]);
    expect(luma?.[63]).toBe(Math.round(4.3779 * 1.6 * 2));
  });

  it('gives both chroma components the same table, at 0.29 of the figures', () => {
    const [, cb, cr] = targetTables(10, [finest, finest, finest], 4);
    expect(cb).toEqual(cr);
    expect(cb?.[0]).toBe(Math.round(2.8236 * 0.29 * 0.75 * 10));
    expect(cb?.[63]).toBe(255);
  });

  it('quantizes all components as luma where none is chroma', () => {
    const [first, ...others] = targetTables(5, [finest, finest, finest, finest], null);
    for (const other of others) expect(other).toEqual(first);
  });

  it('is never finer than the source, step by step', () => {
    const source = Uint16Array.from({ length: 64 }, (_, k) => (k % 2 === 0 ? 300 : 1));
    const [free] = targetTables(6, [finest], 4);
    const [bound] = targetTables(6, [source], 4);
    for (let k = 0; k < 64; k += 1) expect(bound?.[k]).toBe(k % 2 === 0 ? 300 : free?.[k]);
  });

  it('stays between 1 and 255 at any scale', () => {
    for (const scale of [0.01, 0.3, 1, 9, 80, 5000]) {
      for (const table of targetTables(scale, [finest, finest, finest], 4)) {
        expect(Math.min(...table)).toBeGreaterThanOrEqual(1);
        expect(Math.max(...table)).toBeLessThanOrEqual(255);
      }
    }
  });

  it('never has a smaller step at a larger scale', () => {
    let before = targetTables(0.5, [finest, finest, finest], 4);
    for (let scale = 0.6; scale < 40; scale += 0.1) {
      const tables = targetTables(scale, [finest, finest, finest], 4);
      for (const [c, table] of tables.entries()) {
        expect(table.every((step, k) => step >= (before[c]?.[k] ?? 0))).toBe(true);
      }
      before = tables;
    }
  });

  it('lets the steps of low frequencies grow slower than the others', () => {
    const [fine] = targetTables(2.6, [finest], 4);
    const [coarse] = targetTables(20, [finest], 4);
    const growth = (k: number) => (coarse?.[k] ?? 0) / (fine?.[k] ?? 1);
    expect(growth(1)).toBeLessThan(growth(20) * 0.8);
  });
});
