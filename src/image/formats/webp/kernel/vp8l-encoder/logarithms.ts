/** Binary logarithms of counts from a table. */
import { allocate } from '../../../../wasm/assembly/memory';

const tableBits: i32 = 12;
let table: usize = 0;

/** Allocates 16 KiB; returns false if there is no memory. */
export function allocateLogarithms(): bool {
  table = allocate(4 << tableBits);
  return table !== 0;
}

/** Fills the table. */
export function prepareLogarithms(): void {
  for (let i = 1; i < 1 << tableBits; i += 1) {
    store<f32>(table + ((<usize>i) << 2), <f32>Math.log2(i));
  }
}

/** log2 of `count`, or 0 for 0; with an error below 0.0004 from 4096 on. */
export function logarithm(count: u32): f32 {
  const shift = 32 - tableBits - <i32>clz(count);
  if (shift <= 0) return load<f32>(table + ((<usize>count) << 2));
  return load<f32>(table + ((<usize>(count >> shift)) << 2)) + <f32>shift;
}
