/**
 * Costs of bits in the boolean entropy coder (RFC 6386 §7), in 256ths of a bit.
 *
 * The coder splits a range of 128 to 255 into integers, with the part for 0 rounded up, which deviates much from
 * probabilities near 0 or 1. So costs are averaged over all ranges, whose frequency is about proportional to the
 * inverse of their width.
 */

/** Costs of zeros and of ones by the probability of 0 in 256ths, u16. */
const zeroCosts: usize = memory.data(512, 2);
const oneCosts: usize = memory.data(512, 2);
/** Binary logarithms of 1 to 255, f32. */
const logarithms: usize = memory.data(1024, 4);

/** Computes the costs. */
export function prepareBitCosts(): void {
  for (let i = 1; i < 256; i += 1) store<f32>(logarithms + (i << 2), Mathf.log2(<f32>i));
  for (let probability = 1; probability < 256; probability += 1) prepareCosts(probability);
}

function prepareCosts(probability: i32): void {
  let zeros: f32 = 0;
  let ones: f32 = 0;
  let weights: f32 = 0;
  for (let range = 128; range < 256; range += 1) {
    const split = 1 + (((range - 1) * probability) >> 8);
    const weight = <f32>1 / <f32>range;
    zeros += weight * (logarithm(range) - logarithm(split));
    ones += weight * (logarithm(range) - logarithm(range - split));
    weights += weight;
  }
  store<u16>(zeroCosts + (probability << 1), <u16>Mathf.round((<f32>256 * zeros) / weights));
  store<u16>(oneCosts + (probability << 1), <u16>Mathf.round((<f32>256 * ones) / weights));
}

function logarithm(value: i32): f32 {
  return load<f32>(logarithms + (value << 2));
}

/** Cost of a bit; `probability` is that of 0 in 256ths, 1 to 255. */
export function bitCost(bit: u32, probability: u32): u32 {
  return load<u16>((bit ? oneCosts : zeroCosts) + (probability << 1));
}

/** Cost of these numbers of zeros and ones. */
export function branchCost(zeros: u64, ones: u64, probability: u32): u64 {
  return zeros * <u64>bitCost(0, probability) + ones * <u64>bitCost(1, probability);
}

/** The probability of 0 for these numbers of zeros and ones, in 256ths, 1 to 255; 255 if both are 0. */
export function probabilityOf(zeros: u64, ones: u64): u32 {
  const total = zeros + ones;
  if (total === 0) return 255;
  const share = ((zeros << 8) + (total >> 1)) / total;
  return <u32>max<u64>(1, min<u64>(255, share));
}
