/**
 * Quantized coefficients of one row of MCUs in a frame: for each component
 * `vertical` rows of `paddedAcross` blocks, a block being 64 × i16 in zigzag order.
 */

import { allocate } from '../../shared/assembly/memory';
import { coded, componentCount, paddedAcross, source, vertical } from './frame';

const pointers: usize = memory.data(32);

/** Allocates the rows of a frame; false where there is no room. */
export function allocateRows(frame: i32): bool {
  for (let c = 0; c < componentCount(frame); c += 1) {
    const at = allocate(rowBytes(frame, c) * vertical(frame, c));
    if (at === 0) return false;
    store<usize>(pointer(frame, c), at);
  }
  return true;
}

/** What is read is written as it is. */
export function shareRows(): void {
  for (let c = 0; c < componentCount(source); c += 1) {
    store<usize>(pointer(coded, c), load<usize>(pointer(source, c)));
  }
}

/** Bytes of one row of a component's blocks, those that pad it included. */
export function rowBytes(frame: i32, c: i32): usize {
  return paddedAcross(frame, c) << 7;
}

/** Row `y` of blocks of component `c`, counted within the row of MCUs. */
export function blockRow(frame: i32, c: i32, y: i32): usize {
  return load<usize>(pointer(frame, c)) + rowBytes(frame, c) * y;
}

function pointer(frame: i32, c: i32): usize {
  return pointers + ((frame * 4 + c) << 2);
}
