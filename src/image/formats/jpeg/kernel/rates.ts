/**
 * Rates of symbols: an adaptive model of the entropy coder. The codes of the result depend on its statistics and are
 * thus unknown while its values are being chosen; the values chosen so far predict them. The rate of a symbol is −log2
 * of its relative frequency, in fractional bits, plus the number of bits that follow the code.
 */

/** Number of rate classes. Components of a class share their statistics: the first component, and all others. */
const classes: i32 = 2;
const classBytes: usize = 4096;
const states: usize = memory.data(8192);

/** Offsets in the state of a class: histograms of u32, then rates of f32. */
const acHistogramAt: usize = 0;
const dcHistogramAt: usize = 1024;
const dcRatesAt: usize = 1088;
const endRateAt: usize = 1152;
const acRatesAt: usize = 1280;

/** The largest category of an AC coefficient and of a DC difference (ITU-T T.81 §F.1.2). */
const maxAcCategory: i32 = 10;
const maxDcCategory: i32 = 11;

/** Number of symbols in the initial statistics, few enough for actual symbols to outweigh them soon. */
const initialSymbols: f32 = 1024;
/** Maximum length of a code in bits (T.81 §C.2). */
const maxCodeBits: f32 = 16;

/** The rate class of a component. */
export function rateClass(c: i32): i32 {
  return c === 0 ? 0 : 1;
}

/** Counts of AC symbols as u32, by run × 16 + category; symbol 0 is the end of a block, 0xf0 is sixteen zeros. */
export function acHistogram(classIndex: i32): usize {
  return states + classBytes * classIndex + acHistogramAt;
}

/** Counts of DC differences as u32, by category. */
export function dcHistogram(classIndex: i32): usize {
  return states + classBytes * classIndex + dcHistogramAt;
}

/** Rates of values of category 1 to 10 after 0 to 62 zeros, in bits as f32, at index category × 64 + run. */
export function acRates(classIndex: i32): usize {
  return states + classBytes * classIndex + acRatesAt;
}

/** Rates of DC differences by category, 0 to 11, in bits as f32. */
export function dcRates(classIndex: i32): usize {
  return states + classBytes * classIndex + dcRatesAt;
}

/** Rate of an end of block, in bits. */
export function endRate(classIndex: i32): f32 {
  return load<f32>(states + classBytes * classIndex + endRateAt);
}

/** Initializes the statistics with those typical of photographs at medium quality. */
export function beginRates(): void {
  memory.fill(states, 0, classBytes * classes);
  for (let classIndex = 0; classIndex < classes; classIndex += 1) {
    initializeAc(acHistogram(classIndex));
    initializeDc(dcHistogram(classIndex));
    updateRates(classIndex);
  }
}

/** Initial frequencies are about halved by every two zeros of a run, and fall faster with the category. */
function initializeAc(counts: usize): void {
  for (let run = 0; run < 16; run += 1) {
    for (let category = 1; category <= maxAcCategory; category += 1) {
      const bits: f32 = <f32>1.7 + <f32>0.45 * <f32>run + <f32>1.5 * <f32>(category - 1);
      store<u32>(counts + ((run * 16 + category) << 2), initialCount(bits));
    }
  }
  store<u32>(counts, initialCount(2.4));
  store<u32>(counts, initialCount(8), 0xf0 << 2);
}

function initializeDc(counts: usize): void {
  for (let category = 0; category <= maxDcCategory; category += 1) {
    store<u32>(
      counts + (category << 2),
      initialCount(<f32>2 + Mathf.abs(<f32>(category - 3)) * <f32>0.7),
    );
  }
}

function initialCount(bits: f32): u32 {
  return max<u32>(1, <u32>(initialSymbols * Mathf.pow(2, -bits)));
}

/** Updates the rates of a class from its counts so far. */
export function updateRates(classIndex: i32): void {
  updateAcRates(classIndex);
  const counts = dcHistogram(classIndex);
  const total = log2OfSum(counts, 16);
  for (let category = 0; category <= maxDcCategory; category += 1) {
    store<f32>(
      dcRates(classIndex) + (category << 2),
      rateOf(counts, category, total) + <f32>category,
    );
  }
}

function updateAcRates(classIndex: i32): void {
  const counts = acHistogram(classIndex);
  const total = log2OfSum(counts, 256);
  store<f32>(states + classBytes * classIndex, rateOf(counts, 0, total), endRateAt);
  const sixteenZerosRate = rateOf(counts, 0xf0, total);
  for (let category = 1; category <= maxAcCategory; category += 1) {
    const rates = acRates(classIndex) + (category << 8);
    for (let run = 0; run < 16; run += 1) {
      let rate = rateOf(counts, run * 16 + category, total) + <f32>category;
      for (let longRun = run; longRun < 63; longRun += 16) {
        store<f32>(rates + (longRun << 2), rate);
        rate += sixteenZerosRate;
      }
    }
  }
}

function log2OfSum(counts: usize, symbols: i32): f32 {
  let sum: f32 = 0;
  for (let i = 0; i < symbols; i += 1) sum += <f32>load<u32>(counts + (i << 2));
  return Mathf.log2(sum);
}

function rateOf(counts: usize, symbol: i32, total: f32): f32 {
  const count = <f32>load<u32>(counts + (symbol << 2));
  return count < 1 ? maxCodeBits : Mathf.min(maxCodeBits, total - Mathf.log2(count));
}
