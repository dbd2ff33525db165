/** A frame that is coded: what shall be seen, what is seen below it, and colours to choose from. */
import { allocate } from '../../../../wasm/assembly/memory';

/** Pixels of the frame. */
let pixels: usize = 0;
/** Of each pixel, a word of RGBA that shall be seen, and one that is seen below. */
let targets: usize = 0;
let bases: usize = 0;
/** Of each pixel, the index that is written. */
let indices: usize = 0;
/** Words of RGBA for 256 indices. */
let table: usize = 0;
let colorCount: i32 = 0;
/** The index that lets through what is below; -1: none does. */
let transparent: i32 = -1;

/** Allocates planes for so many pixels; false where there is no room. */
export function allocatePlanes(count: usize): bool {
  pixels = count;
  targets = allocate(4 * count);
  bases = allocate(4 * count);
  indices = allocate(count);
  table = allocate(4 * 256);
  return targets !== 0 && bases !== 0 && indices !== 0 && table !== 0;
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

/** Where the words of up to 256 colours are to be filled in. */
export function tableAt(): usize {
  return table;
}

/**
 * @param count colours of the table
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
    const shown = index === transparent ? load<u32>(bases + (i << 2)) : colorAt(index);
    store<u32>(targets + (i << 2), shown);
  }
}
