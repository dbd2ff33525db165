/** The five filters of PNG, applied (PNG third edition §9.2), 16 bytes at a time. */

export const none: i32 = 0;
export const sub: i32 = 1;
export const up: i32 = 2;
export const average: i32 = 3;
export const paeth: i32 = 4;
export const filterNumber: i32 = 5;

/** Bytes beyond those asked for that may be read and written. */
export const filterSlack: usize = 16;

/**
 * Filters bytes of a row. Before a row lie `step` zeros, or more.
 * @param row the first byte to filter
 * @param previous the byte above it
 * @param step bytes of a whole pixel
 */
export function filterBytes(
  filter: i32,
  row: usize,
  previous: usize,
  length: usize,
  step: usize,
  to: usize,
): void {
  if (filter === none) {
    memory.copy(to, row, length);
  } else if (filter === sub) {
    for (let x: usize = 0; x < length; x += 16) {
      v128.store(to + x, i8x16.sub(v128.load(row + x), v128.load(row + x - step)));
    }
  } else if (filter === up) {
    for (let x: usize = 0; x < length; x += 16) {
      v128.store(to + x, i8x16.sub(v128.load(row + x), v128.load(previous + x)));
    }
  } else if (filter === average) {
    for (let x: usize = 0; x < length; x += 16) {
      const left = v128.load(row + x - step);
      const above = v128.load(previous + x);
      // rounded down, where the instruction rounds up
      const odd = v128.and(v128.xor(left, above), i8x16.splat(1));
      const mean = i8x16.sub(i8x16.avgr_u(left, above), odd);
      v128.store(to + x, i8x16.sub(v128.load(row + x), mean));
    }
  } else {
    for (let x: usize = 0; x < length; x += 16) {
      const left = v128.load(row + x - step);
      const above = v128.load(previous + x);
      const corner = v128.load(previous + x - step);
      v128.store(to + x, i8x16.sub(v128.load(row + x), nearest(left, above, corner)));
    }
  }
}

/** Paeth's predictor: what of the three is nearest to left + above − corner. */
function nearest(left: v128, above: v128, corner: v128): v128 {
  const fromLeft = apart(above, corner);
  const fromAbove = apart(left, corner);
  const sameSide = i8x16.eq(i8x16.ge_u(above, corner), i8x16.ge_u(left, corner));
  const fromCorner = v128.bitselect(
    i8x16.add_sat_u(fromLeft, fromAbove),
    apart(fromLeft, fromAbove),
    sameSide,
  );
  const isLeft = v128.and(i8x16.le_u(fromLeft, fromAbove), i8x16.le_u(fromLeft, fromCorner));
  const isAbove = i8x16.le_u(fromAbove, fromCorner);
  return v128.bitselect(left, v128.bitselect(above, corner, isAbove), isLeft);
}

function apart(a: v128, b: v128): v128 {
  return v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a));
}
