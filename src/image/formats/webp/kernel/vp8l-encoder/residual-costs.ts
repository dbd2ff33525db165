/**
 * Estimated bits of residuals by magnitude, for each of the four samples of a pixel, from the frequencies of magnitudes
 * so far. Magnitudes below 16 are counted separately, larger ones in groups of 16.
 */
import { logarithm } from './logarithms';

const samples: i32 = 4;
const classes: i32 = 25;
/** Costs in quarters of a bit for each sample: of magnitudes below 16, then of groups of 16. */
const costs: usize = memory.data(32 * 4, 16);
/** Counts, u32, and initial counts, which are those of photos. */
const counts: usize = memory.data(4 * 32 * 4, 16);
const firstCounts: usize = memory.data<u32>([
  400, 560, 400, 300, 230, 180, 150, 120, 100, 85, 72, 62, 54, 48, 43, 38, 0, 320, 120, 60, 34, 22,
  14, 10, 8, 0, 0, 0, 0, 0, 0, 0,
]);

/** Starts a picture. */
export function beginResidualCosts(): void {
  for (let sample = 0; sample < samples; sample += 1) {
    memory.copy(counts + (sample << 7), firstCounts, 4 * 32);
  }
  updateResidualCosts();
}

/** The costs of magnitudes below 16 for a sample, blue first. */
export function smallCosts(sample: i32): v128 {
  return v128.load(costs + (sample << 5));
}

/** The costs of groups of 16 magnitudes for a sample, blue first. */
export function largeCosts(sample: i32): v128 {
  return v128.load(costs + (sample << 5), 16);
}

/** The costs of sixteen samples, from both halves of the costs. */
export function residualCosts(residuals: v128, small: v128, large: v128): v128 {
  const sizes = i8x16.min_u(residuals, i8x16.neg(residuals));
  const sixteens = i8x16.shr_u(sizes, 4);
  return v128.or(i8x16.swizzle(small, sizes), i8x16.swizzle(large, sixteens));
}

/** Counts residuals for later costs. */
export function countResiduals(residuals: usize, pixels: i32): void {
  const end = residuals + ((<usize>pixels) << 2);
  for (; residuals < end; residuals += 4) {
    countSize(counts, load<i8>(residuals));
    countSize(counts + 128, load<i8>(residuals, 1));
    countSize(counts + 256, load<i8>(residuals, 2));
    countSize(counts + 384, load<i8>(residuals, 3));
  }
}

function countSize(sizes: usize, residual: i32): void {
  const size = abs(residual);
  const at = sizes + ((size < 16 ? size : 16 + (size >> 4)) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/** Computes costs from the counts, and halves the counts. */
export function updateResidualCosts(): void {
  for (let sample = 0; sample < samples; sample += 1) {
    learnSample(counts + (sample << 7), costs + (sample << 5));
  }
}

function learnSample(sizes: usize, to: usize): void {
  let total: u32 = 0;
  for (let i = 0; i < classes; i += 1) total += load<u32>(sizes + (i << 2)) + 1;
  const whole = logarithm(total);
  for (let i = 0; i < classes; i += 1) {
    const at = sizes + (i << 2);
    const count = load<u32>(at) + 1;
    // A magnitude has two residuals, and a group of 16 has 32.
    const sign: f32 = i === 0 ? 0 : i < 16 ? 1 : 5;
    const bits = Mathf.min(whole - logarithm(count) + sign, maxBits);
    store<u8>(to + i, i === 16 ? 0 : <u8>(<f32>4 * bits + <f32>0.5));
    store<u32>(at, count >> 1);
  }
}

/** Maximum bits of a residual. */
const maxBits: f32 = 15;
