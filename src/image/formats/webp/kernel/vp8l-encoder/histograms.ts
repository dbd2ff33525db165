/**
 * Counts of the symbols in a group of codes, and estimates of the bits for coding them, including the description of
 * the codes.
 */
import { logarithm } from './logarithms';
import { codeAt, codeCount, codeSymbols, groupSymbols, maxSymbols } from './symbols';

/** Bytes of a histogram: u32 for each symbol. */
export const histogramBytes: usize = (<usize>maxSymbols) << 2;

/** Adds the second histogram to the first. */
export function addHistogram(counts: usize, others: usize): void {
  const end = counts + ((<usize>groupSymbols) << 2);
  for (; counts < end; counts += 16, others += 16) {
    v128.store(counts, i32x4.add(v128.load(counts), v128.load(others)));
  }
}

/** Estimated bits of all symbols and of their codes, without extra bits. */
export function histogramBits(counts: usize): f32 {
  let bits: f32 = 0;
  for (let code = 0; code < codeCount; code += 1) {
    bits += codeBits(counts + ((<usize>codeAt(code)) << 2), codeSymbols(code), 0);
  }
  return bits;
}

/** Estimated bits of the sum of two histograms. */
export function joinedBits(counts: usize, others: usize): f32 {
  let bits: f32 = 0;
  for (let code = 0; code < codeCount; code += 1) {
    const at = (<usize>codeAt(code)) << 2;
    bits += codeBits(counts + at, codeSymbols(code), others - counts);
  }
  return bits;
}

/** Bits for code lengths: for each that differs from the previous one, for each gap, and for the code length code. */
const lengthBits: f32 = 3.2;
const gapBits: f32 = 4;
const headBits: f32 = 40;
const simpleBits: f32 = 11;

/**
 * Estimated bits of the symbols of a code.
 * @param others offset to a second array of counts to add; 0 if there is none
 */
function codeBits(counts: usize, symbols: i32, others: usize): f32 {
  let total: u32 = 0;
  let bits: f32 = 0;
  let stated: f32 = headBits;
  let used = 0;
  let most: u32 = 0;
  let isGap = true;
  const end = counts + ((<usize>symbols) << 2);
  while (counts < end) {
    if (isGap && areNone(counts) && (others === 0 || areNone(counts + others))) {
      // All alphabets have a multiple of four symbols.
      counts += 16;
      continue;
    }
    let count = load<u32>(counts);
    if (others !== 0) count += load<u32>(counts + others);
    counts += 4;
    if (count === 0) {
      if (!isGap) stated += gapBits;
      isGap = true;
      continue;
    }
    isGap = false;
    used += 1;
    total += count;
    most = max(most, count);
    stated += lengthBits;
    bits -= <f32>count * logarithm(count);
  }
  if (used < 2) return simpleBits;
  if (used === 2) return <f32>total + 2 * simpleBits;
  // The minimum is one bit for the most frequent symbol, and two for all others.
  const least = <f32>((total << 1) - most);
  return stated + Mathf.max(bits + <f32>total * logarithm(total), least);
}

/** Whether four symbols do not occur; may read beyond the alphabet at its end. */
function areNone(counts: usize): bool {
  return !v128.any_true(v128.load(counts));
}
