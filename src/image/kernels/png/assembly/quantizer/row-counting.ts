/** The first pass: what colours a picture has, and how much each of them is seen. */
import { allocate } from '../../../shared/assembly/memory';
import { countColor } from './color-table';

/** Room around a row for neighbours of its ends, in bytes. */
const margin: usize = 16;
/** Rows of RGBA with margins: this one and the one above. */
let row: usize = 0;
let above: usize = 0;
/** Greatest difference of a pixel to its neighbours in any sample, u8 each. */
let contrasts: usize = 0;
let width: i32 = 0;
let rows: i32 = 0;
/** What a pixel weighs by that difference, 256 × f32: noise and edges mask errors. */
const weights: usize = memory.data(1024);

/** @returns false where there is no room */
export function beginRowCounting(pixels: i32): bool {
  width = pixels;
  rows = 0;
  const bytes = ((<usize>pixels) << 2) + 2 * margin + 16;
  row = allocate(bytes);
  above = allocate(bytes);
  contrasts = allocate(<usize>pixels + 4);
  for (let i = 0; i < 256; i += 1) {
    store<f32>(weights + ((<usize>i) << 2), 1 / Mathf.sqrt(1 + <f32>i / 24));
  }
  return row !== 0 && above !== 0 && contrasts !== 0;
}

/** @param rgba a row of pixels, 4 bytes each, not premultiplied */
export function countRow(rgba: usize): void {
  const previous = above;
  above = row;
  row = previous;
  takeRow(rgba);
  measureContrasts();
  let color = load<u32>(row + margin);
  let pixels: u32 = 0;
  let weight: f32 = 0;
  for (let x = 0; x < width; x += 1) {
    const next = load<u32>(row + margin + ((<usize>x) << 2));
    if (next !== color) {
      countColor(color, pixels, weight);
      color = next;
      pixels = 0;
      weight = 0;
    }
    pixels += 1;
    weight += load<f32>(weights + ((<usize>load<u8>(contrasts + <usize>x)) << 2));
  }
  countColor(color, pixels, weight);
  rows += 1;
}

/** Rows of the picture so far. */
export function rowsCounted(): i32 {
  return rows;
}

/** Copies a row with its ends repeated; all that is transparent becomes one colour. */
function takeRow(rgba: usize): void {
  const to = row + margin;
  for (let x = 0; x < width; x += 1) {
    const color = load<u32>(rgba + ((<usize>x) << 2));
    store<u32>(to + ((<usize>x) << 2), color >> 24 === 0 ? 0 : color);
  }
  store<u32>(to - 4, load<u32>(to));
  store<u32>(to + ((<usize>width) << 2), load<u32>(to + ((<usize>(width - 1)) << 2)));
  if (rows === 0) memory.copy(above, row, ((<usize>width) << 2) + 2 * margin);
}

function measureContrasts(): void {
  const low = i32x4.splat(255);
  for (let x: usize = 0; x < (<usize>width) << 2; x += 16) {
    const here = v128.load(row + margin + x);
    const across = i8x16.max_u(
      differences(here, v128.load(row + margin + x - 4)),
      differences(here, v128.load(row + margin + x + 4)),
    );
    const most = i8x16.max_u(across, differences(here, v128.load(above + margin + x)));
    const pairs = i8x16.max_u(most, i32x4.shr_u(most, 16));
    const greatest = v128.and(i8x16.max_u(pairs, i32x4.shr_u(pairs, 8)), low);
    const halves = i16x8.narrow_i32x4_u(greatest, greatest);
    v128.store32_lane(contrasts + (x >> 2), i8x16.narrow_i16x8_u(halves, halves), 0);
  }
}

function differences(a: v128, b: v128): v128 {
  return v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a));
}
