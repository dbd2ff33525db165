/**
 * Forward DCT of blocks of 8 × 8 samples (ITU-T T.81 §A.3.3), in f32: Arai, Agui
 * and Nakajima, "A fast DCT-SQ scheme for images", 1988, whose outputs are scaled
 * where they are rounded. Columns are transformed four at a time; between the two
 * passes, rows and columns change places.
 */

/** Places of the block in zigzag order (T.81 figure A.6), where rows hold vertical frequencies: bytes of i16. */
const places: usize = memory.data<u8>([
  0, 16, 2, 4, 18, 32, 48, 34, 20, 6, 8, 22, 36, 50, 64, 80, 66, 52, 38, 24, 10, 12, 26, 40, 54, 68,
  82, 96, 112, 98, 84, 70, 56, 42, 28, 14, 30, 44, 58, 72, 86, 100, 114, 116, 102, 88, 74, 60, 46,
  62, 76, 90, 104, 118, 120, 106, 92, 78, 94, 108, 122, 124, 110, 126,
]);

/** What a pass makes its frequencies too large by, inverted: 1, then 1 / (√2 cos(k π / 16)). */
const scales: usize = memory.data<f32>(
  [
    1, 0.7209598220069479, 0.7653668647301795, 0.8504300947672564, 1, 1.2727585805728336,
    1.8477590650225735, 3.6245097854115502,
  ],
  16,
);

/** The block with its rows and columns exchanged, 64 × f32. */
const turned: usize = memory.data(256, 16);
/** Rounded coefficients, 64 × i16, rows of rising horizontal frequency. */
const rounded: usize = memory.data(128, 16);

/**
 * Transforms a block.
 *
 * @param block 64 × f32 in rows, aligned to 16, from −128 to 127; what it holds afterwards means nothing
 * @param to takes 64 × i16 in zigzag order, in units of 1/8
 */
export function forwardDct(block: usize, to: usize): void {
  transformColumns(block);
  transformColumns(block + 16);
  turn(block, turned);
  turn(block + 16, turned + 128);
  turn(block + 128, turned + 16);
  turn(block + 144, turned + 144);
  transformColumns(turned);
  transformColumns(turned + 16);
  const low = v128.load(scales);
  const high = v128.load(scales, 16);
  for (let row: usize = 0; row < 8; row += 1) {
    const at = turned + (row << 5);
    const scale = v128.load32_splat(scales + (row << 2));
    const first = whole(f32x4.mul(v128.load(at), f32x4.mul(low, scale)));
    const second = whole(f32x4.mul(v128.load(at, 16), f32x4.mul(high, scale)));
    v128.store(rounded + (row << 4), i16x8.narrow_i32x4_s(first, second));
  }
  for (let k: usize = 0; k < 64; k += 1) {
    store<i16>(to + (k << 1), load<i16>(rounded + load<u8>(places + k)));
  }
}

function whole(values: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(values));
}

/** Four columns of a block, in place. */
function transformColumns(at: usize): void {
  const s07 = f32x4.add(v128.load(at), v128.load(at, 224));
  const d07 = f32x4.sub(v128.load(at), v128.load(at, 224));
  const s16 = f32x4.add(v128.load(at, 32), v128.load(at, 192));
  const d16 = f32x4.sub(v128.load(at, 32), v128.load(at, 192));
  const s25 = f32x4.add(v128.load(at, 64), v128.load(at, 160));
  const d25 = f32x4.sub(v128.load(at, 64), v128.load(at, 160));
  const s34 = f32x4.add(v128.load(at, 96), v128.load(at, 128));
  const d34 = f32x4.sub(v128.load(at, 96), v128.load(at, 128));

  const outer = f32x4.add(s07, s34);
  const inner = f32x4.add(s16, s25);
  v128.store(at, f32x4.add(outer, inner));
  v128.store(at, f32x4.sub(outer, inner), 128);
  const rest = f32x4.sub(s07, s34);
  const turnedRest = times(f32x4.add(f32x4.sub(s16, s25), rest), Mathf.SQRT1_2);
  v128.store(at, f32x4.add(rest, turnedRest), 64);
  v128.store(at, f32x4.sub(rest, turnedRest), 192);

  const a = f32x4.add(d34, d25);
  const b = times(f32x4.add(d25, d16), Mathf.SQRT1_2);
  const c = f32x4.add(d16, d07);
  const shared = times(f32x4.sub(a, c), 0.3826834323650898);
  const e = f32x4.add(times(a, 0.541196100146197), shared);
  const f = f32x4.add(times(c, 1.3065629648763766), shared);
  const g = f32x4.add(d07, b);
  const h = f32x4.sub(d07, b);
  v128.store(at, f32x4.add(g, f), 32);
  v128.store(at, f32x4.sub(h, e), 96);
  v128.store(at, f32x4.add(h, e), 160);
  v128.store(at, f32x4.sub(g, f), 224);
}

function times(values: v128, factor: f32): v128 {
  return f32x4.mul(values, f32x4.splat(factor));
}

/** Exchanges rows and columns of 4 × 4 values of a block. */
function turn(from: usize, to: usize): void {
  const r0 = v128.load(from);
  const r1 = v128.load(from, 32);
  const r2 = v128.load(from, 64);
  const r3 = v128.load(from, 96);
  const low01 = i32x4.shuffle(r0, r1, 0, 4, 1, 5);
  const high01 = i32x4.shuffle(r0, r1, 2, 6, 3, 7);
  const low23 = i32x4.shuffle(r2, r3, 0, 4, 1, 5);
  const high23 = i32x4.shuffle(r2, r3, 2, 6, 3, 7);
  v128.store(to, i64x2.shuffle(low01, low23, 0, 2));
  v128.store(to, i64x2.shuffle(low01, low23, 1, 3), 32);
  v128.store(to, i64x2.shuffle(high01, high23, 0, 2), 64);
  v128.store(to, i64x2.shuffle(high01, high23, 1, 3), 96);
}
