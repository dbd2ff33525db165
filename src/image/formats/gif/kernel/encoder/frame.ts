/** The frame to encode: its target colors, the colors below it, and the color table. */
import { allocate } from '../../../../wasm/assembly/memory';

/** Pixels of the frame. */
let pixels: usize = 0;
/** Addresses of the first pixel in the planes of target colors and of the colors below, RGBA words each. */
let targets: usize = 0;
let bases: usize = 0;
/** Words between the end of a row and the next row, in planes that are parts of canvases. */
let gap: usize = 0;
/** 2^40 divided by the row width, rounded up: the row of a pixel is found by multiplication instead of division. */
let reciprocal: u64 = 0;
const reciprocalBits: u64 = 40;
/** The encoded index of each pixel. */
let indices: usize = 0;
/** RGBA words of 256 indices. */
let table: usize = 0;
let colorCount: i32 = 0;
/** The transparent index, which shows the pixel below; -1: none. */
let transparent: i32 = -1;

/**
 * Allocates planes for `count` pixels; false if memory runs out.
 * @param inPlace target colors and the colors below lie elsewhere, see `placePlanes`
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
 * Uses planes in place, as parts of canvases in the same memory.
 * @param target address of the first target pixel
 * @param base address of the first pixel below
 * @param width of the frame, in pixels
 * @param stride pixels from a row to the next one
 */
export function placePlanes(target: usize, base: usize, width: usize, stride: usize): void {
  targets = target;
  bases = base;
  gap = stride - width;
  reciprocal = (((<u64>1) << reciprocalBits) + width - 1) / width;
}

/** Byte offset of a pixel's word from that of the first pixel. */
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

/** Address of the target colors of a row, in a plane as wide as the frame. */
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

/** Address of the color table, to be filled with up to 256 RGBA words. */
export function tableAt(): usize {
  return table;
}

/**
 * @param count number of colors in the table
 * @param index the transparent index; if it is below `count`, the color at that index is not used; -1: none
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

/** Writes the colors that the indices show into the target plane. */
export function applyIndices(): void {
  for (let i: usize = 0; i < pixels; i += 1) {
    const index = <i32>load<u8>(indices + i);
    store<u32>(targets + placeOf(i), index === transparent ? baseAt(i) : colorAt(index));
  }
}
