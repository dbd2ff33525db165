/** The samples of a strip in separate planes of bytes: blue, green, red, alpha. */
import { allocate } from '../../../../wasm/assembly/memory';

export const planeCount: i32 = 4;
export const alphaPlane: i32 = 3;
/** Margin in bytes before and after a row for wide loads and stores. */
const margin: usize = 32;

let planes: usize = 0;
let planeBytes: usize = 0;
export let planeStride: usize = 0;
/** Bits in which any pixel differs from opaque black. */
let variedBits: v128 = i32x4.splat(0);
const opaqueBlack: u32 = 0xff000000;

/** Allocates 4 bytes for each pixel of this number of rows; returns false if there is no memory. */
export function allocatePlanes(width: i32, rows: i32): bool {
  planeStride = (<usize>width + 2 * margin + 15) & ~15;
  planeBytes = planeStride * rows;
  planes = allocate(planeBytes * planeCount);
  return planes !== 0;
}

/** The first sample of a row of a plane. */
export function planeRow(plane: i32, y: i32): usize {
  return planes + planeBytes * plane + planeStride * y + margin;
}

/** Starts new planes. */
export function beginPlanes(): void {
  variedBits = i32x4.splat(0);
}

/** Whether a plane has samples that differ from opaque black. */
export function isVaried(plane: i32): bool {
  return v128.any_true(v128.and(variedBits, i32x4.splat(255 << (plane << 3))));
}

/** Splits a row; up to 15 pixels after its last may be read. */
export function splitRow(row: usize, y: i32, pixels: i32): void {
  const blues = planeRow(0, y);
  const greens = planeRow(1, y);
  const reds = planeRow(2, y);
  const alphas = planeRow(3, y);
  const black = i32x4.splat(opaqueBlack);
  for (let x: usize = 0; x < <usize>pixels; x += 16, row += 64) {
    const a = v128.load(row);
    const b = v128.load(row, 16);
    const c = v128.load(row, 32);
    const d = v128.load(row, 48);
    // Undefined pixels after the last may only cause superfluous work.
    const first = v128.or(v128.xor(a, black), v128.xor(b, black));
    const second = v128.or(v128.xor(c, black), v128.xor(d, black));
    variedBits = v128.or(variedBits, v128.or(first, second));
    const abLower = i8x16.shuffle(a, b, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    const cdLower = i8x16.shuffle(c, d, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    v128.store(blues + x, i64x2.shuffle(abLower, cdLower, 0, 2));
    v128.store(greens + x, i64x2.shuffle(abLower, cdLower, 1, 3));
    const abUpper = i8x16.shuffle(a, b, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
    const cdUpper = i8x16.shuffle(c, d, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
    v128.store(reds + x, i64x2.shuffle(abUpper, cdUpper, 0, 2));
    v128.store(alphas + x, i64x2.shuffle(abUpper, cdUpper, 1, 3));
  }
}
