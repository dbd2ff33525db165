/** Entropy of token counts, from a table of logarithms. */
import { allocate } from '../../../wasm/assembly/memory';
import { tokenCount } from './entropy-code';

const tableBits: i32 = 13;
const tableSize: i32 = 1 << tableBits;
/** log2 of 0 to 8192, f64 each. */
let logarithms: usize = 0;

/** Allocates the table; returns false if there is no memory. */
export function allocateEntropy(): bool {
  logarithms = allocate((<usize>(tableSize + 1)) << 3);
  return logarithms !== 0;
}

/** Fills the table. */
export function beginEntropy(): void {
  for (let i = 1; i <= tableSize; i += 1) {
    store<f64>(logarithms + ((<usize>i) << 3), Math.log2(<f64>i));
  }
}

/** log2 of a count above 0, with an error below 1e-8. */
export function log2Of(count: u32): f64 {
  if (count <= <u32>tableSize) return load<f64>(logarithms + ((<usize>count) << 3));
  const shift = 32 - clz(count) - tableBits;
  const high = count >> shift;
  const at = logarithms + ((<usize>high) << 3);
  const below = load<f64>(at);
  const rest = <f64>(count - (high << shift)) / <f64>(1 << shift);
  return <f64>shift + below + rest * (load<f64>(at + 8) - below);
}

/** n · log2 n. */
export function weighted(count: u32): f64 {
  return count === 0 ? 0 : <f64>count * log2Of(count);
}

/** Minimum bits of tokens with these counts, u32 each. */
export function entropyOf(counts: usize): f64 {
  let total: u32 = 0;
  let sum: f64 = 0;
  for (let token = 0; token < tokenCount; token += 1) {
    const count = load<u32>(counts + ((<usize>token) << 2));
    total += count;
    sum += weighted(count);
  }
  return weighted(total) - sum;
}
