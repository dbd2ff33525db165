/**
 * The reduced pictures of an interlaced one, or the picture itself as its only pass (PNG third
 * edition §8).
 */

import { allocate } from '../../../shared/assembly/memory';
import { allocateCursor } from '../inflate/cursor';
import { height, isInterlaced, packedBytes, width } from './picture';

/** Column, columns' step, row and rows' step of each pass of Adam7. */
const grid: usize = memory.data<u8>([
  0, 8, 0, 8, 4, 8, 0, 8, 0, 4, 4, 8, 2, 4, 0, 4, 0, 2, 2, 4, 1, 2, 0, 2, 0, 1, 1, 2,
]);

/** Those that have pixels, in their order, 32 bytes each. */
const passes: usize = memory.data(7 * 32, 4);
const passBytes: usize = 32;
export let passCount: i32 = 0;

/**
 * Zeros in front of a row, so that its pixels are aligned, and bytes behind it that wide stores may
 * reach.
 */
const rowMargin: usize = 16;

/** Allocates a cursor and a row for each pass; false where there is no room. */
export function allocatePasses(): bool {
  passCount = 0;
  const most = isInterlaced ? 7 : 1;
  for (let i = 0; i < most; i += 1) {
    const place = grid + (i << 2);
    const left: u32 = isInterlaced ? load<u8>(place) : 0;
    const across: u32 = isInterlaced ? load<u8>(place, 1) : 1;
    const top: u32 = isInterlaced ? load<u8>(place, 2) : 0;
    const down: u32 = isInterlaced ? load<u8>(place, 3) : 1;
    if (left >= width || top >= height) continue;
    const columns = (width - left + across - 1) / across;
    const cursor = allocateCursor();
    const row = allocateRow(packedBytes(columns));
    if (cursor === 0 || row === 0) return false;
    const pass = passes + passBytes * passCount;
    store<usize>(pass, cursor, 0);
    store<usize>(pass, row, 4);
    store<u32>(pass, columns, 8);
    store<u32>(pass, (height - top + down - 1) / down, 12);
    store<u32>(pass, left, 16);
    store<u32>(pass, across, 20);
    store<u32>(pass, top, 24);
    store<u32>(pass, down, 28);
    passCount += 1;
  }
  return true;
}

/** @returns room for a row that wide loads and stores may pass the end of, or 0 where there is none */
export function allocateRow(bytes: u64): usize {
  if (bytes > 0x7fffffff) return allocate(0xffffffff - 2 * rowMargin);
  const at = allocate(<usize>bytes + 2 * rowMargin);
  return at === 0 ? 0 : at + rowMargin;
}

export function cursorOf(pass: i32): usize {
  return load<usize>(passes + passBytes * pass, 0);
}

/** The row that was read last, without its filter. */
export function rowOf(pass: i32): usize {
  return load<usize>(passes + passBytes * pass, 4);
}

/** Size of the reduced picture in pixels. */
export function columnsOf(pass: i32): u32 {
  return load<u32>(passes + passBytes * pass, 8);
}

export function rowsOf(pass: i32): u32 {
  return load<u32>(passes + passBytes * pass, 12);
}

/** Column of the picture that the pass begins with, and the step to its next one. */
export function leftOf(pass: i32): u32 {
  return load<u32>(passes + passBytes * pass, 16);
}

export function acrossOf(pass: i32): u32 {
  return load<u32>(passes + passBytes * pass, 20);
}

/** Whether the pass has pixels of row `y` of the picture. */
export function isInRow(pass: i32, y: u32): bool {
  const top = load<u32>(passes + passBytes * pass, 24);
  return y >= top && (y - top) % load<u32>(passes + passBytes * pass, 28) === 0;
}
