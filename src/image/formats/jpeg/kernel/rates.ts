/**
 * What symbols cost: an adaptive model of the entropy coder. The codes of the
 * result are built from its own statistics and are thus unknown while its values
 * are being chosen; those chosen so far predict them. Rates are −log2 of a symbol's
 * share, in fractional bits, and include the bits that follow the code.
 */

/** Components that share their statistics: the first, and all others. */
const classes: i32 = 2;
const classBytes: usize = 4096;
const states: usize = memory.data(8192);

/** Offsets in a class: histograms of u32, then rates of f32. */
const acHistogramAt: usize = 0;
const dcHistogramAt: usize = 1024;
const dcRatesAt: usize = 1088;
const endRateAt: usize = 1152;
const acRatesAt: usize = 1280;

/** The largest category of an AC coefficient and of a DC difference (ITU-T T.81 §F.1.2). */
const largestAcSize: i32 = 10;
const largestDcSize: i32 = 11;

/** Symbols of the start: that many of values, of which what follows soon outweighs them. */
const startWeight: f32 = 1024;
/** No code is longer (T.81 §C.2). */
const longestCode: f32 = 16;

/** Which class a component belongs to. */
export function rateClass(c: i32): i32 {
  return c === 0 ? 0 : 1;
}

/** Counts of AC symbols, run × 16 + category, as u32; 0 is the end of a block, 0xf0 sixteen zeros. */
export function acHistogram(kind: i32): usize {
  return states + classBytes * kind + acHistogramAt;
}

/** Counts of the categories of DC differences, as u32. */
export function dcHistogram(kind: i32): usize {
  return states + classBytes * kind + dcHistogramAt;
}

/** Bits of a value of category 1 to 10 after a run of 0 to 62 zeros, as f32 at category × 64 + run. */
export function acRates(kind: i32): usize {
  return states + classBytes * kind + acRatesAt;
}

/** Bits of a DC difference by category, 0 to 11, as f32. */
export function dcRates(kind: i32): usize {
  return states + classBytes * kind + dcRatesAt;
}

/** Bits of an end of block. */
export function endRate(kind: i32): f32 {
  return load<f32>(states + classBytes * kind + endRateAt);
}

/** Begins with typical statistics of photographs at medium quality. */
export function beginRates(): void {
  memory.fill(states, 0, classBytes * classes);
  for (let kind = 0; kind < classes; kind += 1) {
    startAc(acHistogram(kind));
    startDc(dcHistogram(kind));
    updateRates(kind);
  }
}

/** Shares fall by half with each two zeros of a run, and faster with the category. */
function startAc(counts: usize): void {
  for (let run = 0; run < 16; run += 1) {
    for (let size = 1; size <= largestAcSize; size += 1) {
      const bits: f32 = <f32>1.7 + <f32>0.45 * <f32>run + <f32>1.5 * <f32>(size - 1);
      store<u32>(counts + ((run * 16 + size) << 2), weightOf(bits));
    }
  }
  store<u32>(counts, weightOf(2.4));
  store<u32>(counts, weightOf(8), 0xf0 << 2);
}

function startDc(counts: usize): void {
  for (let size = 0; size <= largestDcSize; size += 1) {
    store<u32>(counts + (size << 2), weightOf(<f32>2 + Mathf.abs(<f32>(size - 3)) * <f32>0.7));
  }
}

function weightOf(bits: f32): u32 {
  return max<u32>(1, <u32>(startWeight * Mathf.pow(2, -bits)));
}

/** Derives the rates from what has been counted so far. */
export function updateRates(kind: i32): void {
  updateAcRates(kind);
  const counts = dcHistogram(kind);
  const total = logarithmOfSum(counts, 16);
  for (let size = 0; size <= largestDcSize; size += 1) {
    store<f32>(dcRates(kind) + (size << 2), rateOf(counts, size, total) + <f32>size);
  }
}

function updateAcRates(kind: i32): void {
  const counts = acHistogram(kind);
  const total = logarithmOfSum(counts, 256);
  store<f32>(states + classBytes * kind, rateOf(counts, 0, total), endRateAt);
  const sixteenZeros = rateOf(counts, 0xf0, total);
  for (let size = 1; size <= largestAcSize; size += 1) {
    const rates = acRates(kind) + (size << 8);
    for (let run = 0; run < 16; run += 1) {
      let rate = rateOf(counts, run * 16 + size, total) + <f32>size;
      for (let whole = run; whole < 63; whole += 16) {
        store<f32>(rates + (whole << 2), rate);
        rate += sixteenZeros;
      }
    }
  }
}

function logarithmOfSum(counts: usize, symbols: i32): f32 {
  let sum: f32 = 0;
  for (let i = 0; i < symbols; i += 1) sum += <f32>load<u32>(counts + (i << 2));
  return Mathf.log2(sum);
}

function rateOf(counts: usize, symbol: i32, total: f32): f32 {
  const count = <f32>load<u32>(counts + (symbol << 2));
  return count < 1 ? longestCode : Mathf.min(longestCode, total - Mathf.log2(count));
}
