/** A frame that is coded: what shall be seen, what is seen below it, and colors to choose from. */
import { allocate } from '../../../../wasm/assembly/memory';

/** Pixels of the frame. */
let pixels: usize = 0;
/** Addresses of the target color and the color below of the first pixel; one word of RGBA per pixel. */
let targets: usize = 0;
let bases: usize = 0;
/** Words from the end of a row to the next one, in planes that are parts of canvases. */
let gap: usize = 0;
/** 2 to the power of 40 by the pixels of a row, rounded up: which row a pixel lies in is a product and no division. */
let reciprocal: u64 = 0;
const reciprocalBits: u64 = 40;
/** Index written for each pixel. */
let indices: usize = 0;
/** Words of RGBA for 256 indices. */
let table: usize = 0;
let colorCount: i32 = 0;
/** The index that lets through what is below; -1: none does. */
let transparent: i32 = -1;

/**
 * Allocates planes for so many pixels; false if there is no room.
 * @param inPlace what shall be seen and what is below lie elsewhere, see `placePlanes`
 */
export function allocatePlanes(count: usize, inPlace: bool): bool {
  pixels = count;
  gap = 0;
  indices = allocate(count);
  table = allocate(4 * 256);
  if (inPlace) return indices !== 0 && table !== 0;
  targets = allocate(4 * count);
  bases = allocate(4 * count);
  return targets !== 0 && bases !== 0 && indices !== 0 && table !== 0;
}

/**
 * Takes planes where they lie, as parts of canvases in the same memory.
 * @param target where the first pixel is of what shall be seen, and of what is below
 * @param width of the frame, in pixels
 * @param stride pixels from a row to the next one
 */
export function placePlanes(target: usize, base: usize, width: usize, stride: usize): void {
  targets = target;
  bases = base;
  gap = stride - width;
  reciprocal = (((<u64>1) << reciprocalBits) + width - 1) / width;
}

/** Where a pixel's word is, in bytes from that of the first. */
function placeOf(position: usize): usize {
  if (gap === 0) return position << 2;
  const row = <usize>((<u64>position * reciprocal) >> reciprocalBits);
  return (position + row * gap) << 2;
}

export function targetAt(position: usize): u32 {
  return load<u32>(targets + placeOf(position));
}

export function baseAt(position: usize): u32 {
  return load<u32>(bases + placeOf(position));
}

/** Where the words of a row are that shall be seen, of a plane as wide as the frame. */
export function targetRow(y: i32, width: i32): usize {
  return targets + <usize>y * (<usize>width + gap) * 4;
}

export function pixelCount(): usize {
  return pixels;
}

export function targetsAt(): usize {
  return targets;
}

export function basesAt(): usize {
  return bases;
}

export function indicesAt(): usize {
  return indices;
}

/** Where the words of up to 256 colors are to be filled in. */
export function tableAt(): usize {
  return table;
}

/**
 * @param count colors of the table
 * @param index that lets through what is below, which may be one of them, which is then not used; -1: none does
 */
export function setTable(count: i32, index: i32): void {
  colorCount = count;
  transparent = index;
}

export function tableLength(): i32 {
  return colorCount;
}

export function transparentIndex(): i32 {
  return transparent;
}

export function colorAt(index: i32): u32 {
  return load<u32>(table + (index << 2));
}

/** Writes what the indices show into the plane of what shall be seen. */
export function applyIndices(): void {
  for (let i: usize = 0; i < pixels; i += 1) {
    const index = <i32>load<u8>(indices + i);
    store<u32>(targets + placeOf(i), index === transparent ? baseAt(i) : colorAt(index));
  }
}
