/** Rows of pixels in the layout that a picture is written in (PNG third edition §7.2, §11.2.1). */
import { allocate } from '../../../shared/assembly/memory';
import { packBits } from './bit-packing';
import { indexColors } from './color-list';
import {
  beginPacking,
  packGrey,
  packGreyAlpha,
  packKeyedGrey,
  packKeyedRgb,
  packRgb,
} from './packing';

let type: i32 = 6;
let depth: i32 = 8;
/** Red, green and blue that stand for full transparency, −1 for none. */
let keyColor: i32 = -1;
/** What each index of a row of indices is written as. */
const order: usize = memory.data(256);
/** A byte for each pixel of a row. */
let indices: usize = 0;

/** @param width pixels of a row; false where there is no room */
export function beginRowPacker(width: i32): bool {
  indices = allocate(width);
  beginPacking(indices);
  return indices !== 0;
}

/** @param key as three bytes, red lowest; −1: none */
export function setRowLayout(colorType: i32, bitDepth: i32, key: i32): void {
  type = colorType;
  depth = bitDepth;
  keyColor = key;
}

/** Writes a row of RGBA in the layout; it has no colours but those that the layout holds. */
export function packRow(rgba: usize, width: i32, to: usize): void {
  if (type === 3) {
    indexColors(rgba, width, indices);
    packBits(indices, width, depth, to);
  } else if (type === 0) {
    if (keyColor >= 0) packKeyedGrey(rgba, width, keyColor & 0xff, to);
    else packGrey(rgba, width, depth, to);
  } else if (type === 4) {
    packGreyAlpha(rgba, width, to);
  } else if (type === 2) {
    if (keyColor >= 0) packKeyedRgb(rgba, width, keyColor, to);
    else packRgb(rgba, width, to);
  } else {
    memory.copy(to, rgba, (<usize>width) << 2);
  }
}

/** 256 bytes to be filled in: what each index is written as by `packIndices`. */
export function indexOrderAt(): usize {
  return order;
}

/** Writes a row of indices, one byte each, through the order and in the layout's depth. */
export function packIndices(from: usize, width: i32, to: usize): void {
  for (let x: usize = 0; x < <usize>width; x += 1) {
    store<u8>(indices + x, load<u8>(order + load<u8>(from + x)));
  }
  packBits(indices, width, depth, to);
}
