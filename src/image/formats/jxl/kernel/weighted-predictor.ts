/**
 * The self-correcting predictor (ISO/IEC 18181-1 §H.5): four predictions, weighted by their errors at neighboring
 * values. The parameters are those with the fewest bytes for low frequencies of photos.
 */

/** Predictions have this many fractional bits. */
const extraBits: i32 = 3;
const rounding: i32 = (1 << (extraBits - 1)) - 1;

/**
 * Parameters in 32nds: the share of neighboring errors in the second and third predictions, and in the fourth one that
 * of the upper left error and of the gradients above and to the left. The other two parameters of the fourth prediction
 * are 0.
 */
export const shareInTop: i32 = 3;
export const shareInLeft: i32 = 2;
export const shareOfCorner: i32 = 1;
export const shareOfVertical: i32 = 14;
export const shareOfHorizontal: i32 = 11;
/** Weights of the predictions. */
export const firstWeight: i32 = 10;
export const secondWeight: i32 = 10;
export const thirdWeight: i32 = 14;
export const fourthWeight: i32 = 12;

const columns: i32 = 256;
const stride: usize = (256 + 2) << 2;
/** For two rows each: values, prediction errors, and errors of the four predictors. */
const values: usize = memory.data(3 * 258 * 4);
const errors: usize = memory.data(2 * 258 * 4);
const partErrors: usize = memory.data(8 * 258 * 4);

let width: i32 = 0;
/** For the current value: the four predictions, the weighted one in eighths, and the largest neighboring error. */
const parts: usize = memory.data(16);
let prediction: i32 = 0;
let largestError: i32 = 0;

/** Begins a channel with this number of columns, at most 256. */
export function beginPrediction(channelWidth: i32): void {
  width = min(columns, channelWidth);
  memory.fill(errors, 0, 2 * stride);
  memory.fill(partErrors, 0, 8 * stride);
}

function valueRow(y: i32): usize {
  return values + stride * (y % 3);
}

/** Errors of the current row if `above` is 0, of the row above if it is 1. */
function errorRow(y: i32, above: i32): usize {
  return errors + stride * ((y & 1) ^ above ^ 1);
}

function partErrorRow(i: i32, y: i32, above: i32): usize {
  return partErrors + stride * ((i << 1) + ((y & 1) ^ above ^ 1));
}

/** Predicts a value; `takeValue` must have been called for all previous ones. */
export function predict(x: i32, y: i32): i32 {
  const row = valueRow(y) + ((<usize>x) << 2);
  const above = valueRow(y + 2) + ((<usize>x) << 2);
  const w = x > 0 ? load<i32>(row - 4) : y > 0 ? load<i32>(above) : 0;
  const n = y > 0 ? load<i32>(above) : w;
  const nw = x > 0 && y > 0 ? load<i32>(above - 4) : w;
  const ne = x + 1 < width && y > 0 ? load<i32>(above + 4) : n;
  const nn = y > 1 ? load<i32>(valueRow(y + 1) + ((<usize>x) << 2)) : n;
  return predictFrom(
    x,
    y,
    n << extraBits,
    w << extraBits,
    ne << extraBits,
    nw << extraBits,
    nn << extraBits,
  );
}

function predictFrom(x: i32, y: i32, n: i32, w: i32, ne: i32, nw: i32, nn: i32): i32 {
  const at = (<usize>x) << 2;
  const atRight = x < width - 1 ? at + 4 : at;
  const atLeft = x > 0 ? at - 4 : at;
  const errorsAbove = errorRow(y, 1);
  const errorW = x > 0 ? load<i32>(errorRow(y, 0) + at - 4) : 0;
  const errorN = load<i32>(errorsAbove + at);
  const errorNw = load<i32>(errorsAbove + atLeft);
  const errorNe = load<i32>(errorsAbove + atRight);
  const errorWn = errorN + errorW;
  largestError = larger(larger(larger(errorW, errorN), errorNw), errorNe);

  store<i32>(parts, w + ne - n, 0);
  store<i32>(parts, n - (((errorWn + errorNe) * shareInTop) >> 5), 4);
  store<i32>(parts, w - (((errorWn + errorNw) * shareInLeft) >> 5), 8);
  const corner =
    errorNw * shareOfCorner + (nn - n) * shareOfVertical + (nw - w) * shareOfHorizontal;
  store<i32>(parts, n - (corner >> 5), 12);

  prediction = average(
    weigh(0, firstWeight, y, at, atLeft, atRight) +
      weigh(1, secondWeight, y, at, atLeft, atRight) +
      weigh(2, thirdWeight, y, at, atLeft, atRight) +
      weigh(3, fourthWeight, y, at, atLeft, atRight),
  );
  // If neighboring errors have the same sign, the prediction may exceed the range of its neighbors.
  if (((errorN ^ errorW) | (errorN ^ errorNw)) <= 0) {
    const most = max(w, max(ne, n));
    const least = min(w, min(ne, n));
    prediction = max(least, min(most, prediction));
  }
  return (prediction + rounding) >> extraBits;
}

function larger(one: i32, other: i32): i32 {
  return abs(other) > abs(one) ? other : one;
}

const weights: usize = memory.data(16);

/** The weight of a prediction, from its errors at neighboring values. */
function weigh(i: i32, most: u32, y: i32, at: usize, atLeft: usize, atRight: usize): u32 {
  const row = partErrorRow(i, y, 1);
  const error = load<u32>(row + at) + load<u32>(row + atRight) + load<u32>(row + atLeft);
  const weight = weightOf(error, most);
  store<u32>(weights + ((<usize>i) << 2), weight);
  return weight;
}

/** Approximately 4 + most · 2^24 ÷ (error + 1). */
function weightOf(error: u32, most: u32): u32 {
  const shift = max(0, 31 - clz(error + 1) - 5);
  return 4 + ((most * reciprocal(error >> shift)) >> shift);
}

/** 2^24 ÷ (value + 1) for a value below 64. */
function reciprocal(value: u32): u32 {
  return (1 << 24) / (value + 1);
}

/** The weighted mean of the predictions, after scaling the sum of the weights below 32. */
function average(total: u32): i32 {
  const shift = 31 - clz(total) - 4;
  let sum: u32 = 0;
  let result: i64 = 0;
  for (let i: usize = 0; i < 16; i += 4) {
    const weight = load<u32>(weights + i) >> shift;
    sum += weight;
    result += <i64>load<i32>(parts + i) * <i64>weight;
  }
  result += (sum >> 1) - 1;
  return <i32>((result * <i64>reciprocal(sum - 1)) >> 24);
}

/** The largest neighboring error of the last predicted value, in eighths. */
export function predictedError(): i32 {
  return largestError;
}

/** Stores the actual value after its prediction. */
export function takeValue(x: i32, y: i32, value: i32): void {
  const at = (<usize>x) << 2;
  store<i32>(valueRow(y) + at, value);
  const exact = value << extraBits;
  store<i32>(errorRow(y, 0) + at, prediction - exact);
  for (let i = 0; i < 4; i += 1) {
    const off = (abs(load<i32>(parts + ((<usize>i) << 2)) - exact) + rounding) >> extraBits;
    store<i32>(partErrorRow(i, y, 0) + at, off);
    // The error also counts for the right neighbor in the next row.
    const beside = partErrorRow(i, y, 1) + at + 4;
    store<i32>(beside, load<i32>(beside) + off);
  }
}
