/** Binary logarithms of counts, from a table: costs are derived from thousands of them. */

const tableBits: i32 = 12;
const table: usize = memory.data(16384, 16);

/** Fills the table, once per run. */
export function prepareLogarithms(): void {
  if (logarithm(2) === 1) return;
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
