/**
 * The list of a picture's colors, up to the size of a palette: RGBA values in order of first appearance, indexed by an
 * open-addressing hash table.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/** Maximum entries of PLTE (PNG third edition §11.2.2). */
const maxColors: i32 = 256;

/** Slots of the hash table: four per color, so that probes stay short. */
const slots: u32 = 1024;

/** For each slot, an index into the list plus 1; 0 if it is free. */
let places: usize = 0;
/** Colors as u32 in memory order RGBA. */
let colors: usize = 0;
/** The index that each color is written as, a byte each. */
let indices: usize = 0;
let count: i32 = 0;
let isFull: bool = false;

/** Allocates an empty table; false if memory runs out. */
export function beginColors(): bool {
  places = allocate(slots << 1);
  colors = allocate(maxColors << 2);
  indices = allocate(maxColors);
  count = 0;
  isFull = false;
  return places !== 0 && colors !== 0 && indices !== 0;
}

/** Number of colors so far; −1 once there are more than 256. */
export function colorCount(): i32 {
  return isFull ? -1 : count;
}

/** The colors, four bytes each. */
export function colorsAt(): usize {
  return colors;
}

/** The index that each color is written as, a byte each, to be filled in. */
export function colorIndicesAt(): usize {
  return indices;
}

/** Adds the colors of a row of RGBA. */
export function takeColors(rgba: usize, width: i32): void {
  if (isFull) return;
  const end = rgba + ((<usize>width) << 2);
  for (let at = rgba; at < end; ) {
    const color = load<u32>(at);
    do at += 4;
    while (at < end && load<u32>(at) === color);
    if (find(color) < 0) {
      isFull = true;
      return;
    }
  }
}

/** Writes the index of each pixel of a row of RGBA, a byte each. All its colors must have been added. */
export function indexColors(rgba: usize, width: i32, to: usize): void {
  let before = ~load<u32>(rgba);
  let index: u8 = 0;
  for (let x: usize = 0; x < <usize>width; x += 1) {
    const color = load<u32>(rgba + (x << 2));
    if (color !== before) {
      before = color;
      const place = find(color);
      index = place < 0 ? 0 : load<u8>(indices + place);
    }
    store<u8>(to + x, index);
  }
}

/** Index of a color in the list, to which it is added if it is new; −1 if the list is full. */
function find(color: u32): i32 {
  // Fibonacci hashing (Knuth, volume 3, §6.4).
  let slot = (color * 0x9e3779b1) >> 22;
  while (true) {
    const entry = places + (slot << 1);
    const place = <i32>load<u16>(entry) - 1;
    if (place < 0) {
      if (count === maxColors) return -1;
      store<u32>(colors + ((<usize>count) << 2), color);
      count += 1;
      store<u16>(entry, <u16>count);
      return count - 1;
    }
    if (load<u32>(colors + ((<usize>place) << 2)) === color) return place;
    slot = (slot + 1) & (slots - 1);
  }
}
