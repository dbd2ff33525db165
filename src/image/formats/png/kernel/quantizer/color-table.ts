/** The first pass: counts the colors of a picture, weighted by visibility. */
import { allocate } from '../../../../wasm/assembly/memory';
import { pointOf } from './color-space';

/** Padding before and after a row, for neighbors of its ends, in bytes. */
const margin: usize = 16;
/** Rows of RGBA with margins: the current one and the one above. */
let row: usize = 0;
let above: usize = 0;
/** Largest difference of a pixel to its neighbors in any sample, u8 each. */
let contrasts: usize = 0;
let width: i32 = 0;
let rows: i32 = 0;
/** Weight of a pixel by that difference, 256 × f32: noise and edges mask errors. */
const weights: usize = memory.data(1024);

/** @returns false if memory runs out */
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

/** Copies a row with its ends repeated; all fully transparent pixels get the same color. */
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

// The colors of a picture with their weights, in bounded memory: if there are too many, similar ones are merged by
// dropping one more bit of each sample.

/** Maximum number of colors. */
const maxColors: i32 = 32768;
/** Bytes per color: see the accessors below. */
export const colorBytes: usize = 32;
const slots: u32 = 65536;

/** Colors in order of appearance, and a hash table by their keys: index + 1 as u16. */
let colors: usize = 0;
let index: usize = 0;
let count: i32 = 0;
let droppedBits: u32 = 0;

/** @returns false if memory runs out */
export function beginColorTable(): bool {
  colors = allocate(<usize>maxColors * colorBytes);
  index = allocate(slots << 1);
  count = 0;
  droppedBits = 0;
  return colors !== 0 && index !== 0;
}

export function colorCount(): i32 {
  return count;
}

// The table can be continued in another run if the host keeps it meanwhile.

/** Number of colors, 32 bytes each. */
export function countedColors(): i32 {
  return count;
}

export function countedColorsAt(): usize {
  return colors;
}

/** Dropped bits of each sample. */
export function droppedColorBits(): u32 {
  return droppedBits;
}

/** Continues with colors counted before, which the host has written to `countedColorsAt`. */
export function resumeColors(counted: i32, dropped: u32): void {
  droppedBits = dropped;
  count = counted;
  for (let i = 0; i < count; i += 1) {
    const slot = slotOf(load<u32>(colorAt(i)));
    store<u16>(index + ((<usize>slot) << 1), <u16>(i + 1));
  }
}

export function colorAt(i: i32): usize {
  return colors + <usize>i * colorBytes;
}

/** The color of the majority of the pixels, if there is one. */
export function shownColor(color: usize): u32 {
  return load<u32>(color, 4);
}

/** Pixels of that color beyond half, or all of them if no colors were merged. */
export function shownPixels(color: usize): u32 {
  return load<u32>(color, 8);
}

export function weightOf(color: usize): f32 {
  return load<f32>(color, 12);
}

/** The mean of the merged colors. */
export function meanOf(color: usize): v128 {
  return v128.load(color, 16);
}

export function swapColors(a: usize, b: usize): void {
  const low = v128.load(a);
  const high = v128.load(a, 16);
  v128.store(a, v128.load(b));
  v128.store(a, v128.load(b, 16), 16);
  v128.store(b, low);
  v128.store(b, high, 16);
}

/** Counts `pixels` of one color with a total weight of `weight`. */
function countColor(rgba: u32, pixels: u32, weight: f32): void {
  let slot = slotOf(keyOf(rgba));
  let entry = <i32>load<u16>(index + ((<usize>slot) << 1));
  if (entry === 0) {
    while (count === maxColors) coarsen();
    slot = slotOf(keyOf(rgba));
    entry = <i32>load<u16>(index + ((<usize>slot) << 1));
  }
  if (entry === 0) {
    const color = colorAt(count);
    count += 1;
    store<u16>(index + ((<usize>slot) << 1), <u16>count);
    store<u32>(color, keyOf(rgba));
    store<u32>(color, rgba, 4);
    store<u32>(color, pixels, 8);
    store<f32>(color, weight, 12);
    v128.store(color, pointOf(rgba), 16);
    return;
  }
  const color = colorAt(entry - 1);
  merge(color, rgba, pixels, weight, droppedBits === 0 ? meanOf(color) : pointOf(rgba));
}

function merge(color: usize, rgba: u32, pixels: u32, weight: f32, mean: v128): void {
  const total = weightOf(color) + weight;
  store<f32>(color, total, 12);
  if (droppedBits !== 0) {
    const step = f32x4.mul(f32x4.sub(mean, meanOf(color)), f32x4.splat(weight / total));
    v128.store(color, f32x4.add(meanOf(color), step), 16);
  }
  // The majority vote of Boyer and Moore, "MJRTY: a fast majority vote algorithm", 1981.
  const votes = shownPixels(color);
  if (rgba === shownColor(color)) store<u32>(color, votes + pixels, 8);
  else if (votes >= pixels) store<u32>(color, votes - pixels, 8);
  else {
    store<u32>(color, rgba, 4);
    store<u32>(color, pixels - votes, 8);
  }
}

/** Opaque and transparent colors are kept apart from the rest. */
function keyOf(rgba: u32): u32 {
  if (rgba >> 24 === 0) return 0;
  const mask = ((0xff << droppedBits) & 0xff) * 0x01010101;
  if (rgba >> 24 === 255) return (rgba & mask) | 0xff000000;
  // With bits of alpha dropped, a translucent color could look transparent.
  return (rgba & mask) | <u32>(droppedBits > 0);
}

/** The slot that has this key, or the free one where it belongs. */
function slotOf(key: u32): u32 {
  let slot = (key * 0x9e3779b1) >> 16;
  while (true) {
    const entry = <i32>load<u16>(index + ((<usize>slot) << 1));
    if (entry === 0 || load<u32>(colorAt(entry - 1)) === key) return slot;
    slot = (slot + 1) & (slots - 1);
  }
}

/** Drops one more bit of each sample. */
function coarsen(): void {
  droppedBits += 1;
  memory.fill(index, 0, slots << 1);
  const before = count;
  count = 0;
  for (let i = 0; i < before; i += 1) {
    const from = colorAt(i);
    const key = keyOf(load<u32>(from));
    const slot = slotOf(key);
    const entry = <i32>load<u16>(index + ((<usize>slot) << 1));
    if (entry === 0) {
      const to = colorAt(count);
      count += 1;
      store<u16>(index + ((<usize>slot) << 1), <u16>count);
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
      store<u32>(to, key);
    } else {
      merge(colorAt(entry - 1), shownColor(from), shownPixels(from), weightOf(from), meanOf(from));
    }
  }
}
