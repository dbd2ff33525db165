/**
 * Quantization of coefficients, and its error. Each segment has a quantizer for each kind of block: steps for DC and AC
 * coefficients (RFC 6386 §9.6, §14.1), and values derived from them.
 */
import { acStep, chromaDcStep, dcStep, secondOrderAcStep, segmentCount } from '../vp8/segments';
import { quantizerDeltas } from './first-partition';
import { contextOf, endRate, goOnRate, levelRate, levelTable } from './level-costs';
import { maxLevel } from './token-probabilities';

/* Fields of a quantizer: vectors for the lower and the upper eight coefficients in zigzag order. */
const stepsAt: usize = 0;
const inversesAt: usize = 32;
/** Values added before rounding down, for the first four coefficients and for all others. */
const roundingsAt: usize = 64;
/** Mean step, f64. */
const meanStepAt: usize = 96;
const quantizerBytes: usize = 112;

/* Offsets of the quantizers of a segment. */
export const lumaQuantizer: usize = 0;
export const secondOrderQuantizer: usize = quantizerBytes;
export const chromaQuantizer: usize = 2 * quantizerBytes;
const segmentBytes: usize = 3 * quantizerBytes;

const quantizers: usize = memory.data(segmentCount * 336, 16);

/** Fractional bits of inverse steps. */
const inverseBits: i32 = 17;

/* Values added to a quotient before rounding down, in 256ths: less than half, because zeros cost less. */
const lumaRoundings: i32 = (96 << 16) | 110;
const secondOrderRoundings: i32 = (96 << 16) | 108;
const chromaRoundings: i32 = (110 << 16) | 115;

/** Sets the quantizers of a segment from its index, 0 to 127, and the frame's deltas. */
export function setSegmentQuantizer(segment: i32, index: i32): void {
  const at = quantizersOf(segment);
  setQuantizer(at + lumaQuantizer, dcStep(index + deltaOf(0)), acStep(index), lumaRoundings);
  setQuantizer(
    at + secondOrderQuantizer,
    2 * dcStep(index + deltaOf(1)),
    secondOrderAcStep(index + deltaOf(2)),
    secondOrderRoundings,
  );
  setQuantizer(
    at + chromaQuantizer,
    chromaDcStep(index + deltaOf(3)),
    acStep(index + deltaOf(4)),
    chromaRoundings,
  );
}

/** The frame's delta of the index for a kind of coefficients, see `quantizerDeltas`. */
function deltaOf(kind: usize): i32 {
  return load<i8>(quantizerDeltas + kind);
}

/** The quantizers of a segment. */
export function quantizersOf(segment: i32): usize {
  return quantizers + segmentBytes * segment;
}

function setQuantizer(at: usize, first: i32, others: i32, roundings: i32): void {
  const steps = i16x8.splat(<i16>others);
  v128.store(at, i16x8.replace_lane(steps, 0, <i16>first), stepsAt);
  v128.store(at, steps, stepsAt + 16);
  const inverse = (1 << inverseBits) / others;
  const inverses = i16x8.splat(<i16>inverse);
  const firstInverse = (1 << inverseBits) / first;
  v128.store(at, i16x8.replace_lane(inverses, 0, <i16>firstInverse), inversesAt);
  v128.store(at, inverses, inversesAt + 16);
  const rounding = i32x4.splat((roundings & 0xff) << (inverseBits - 8));
  const firstRounding = (roundings >> 16) << (inverseBits - 8);
  v128.store(at, i32x4.replace_lane(rounding, 0, firstRounding), roundingsAt);
  v128.store(at, rounding, roundingsAt + 16);
  store<f64>(at, <f64>(first + 15 * others) / 16, meanStepAt);
}

/** The step at a zigzag position. */
export function stepAt(quantizer: usize, position: usize): i32 {
  return load<u16>(quantizer + (position << 1), stepsAt);
}

/** The inverse of the step at a zigzag position, times 2¹⁷. */
function inverseAt(quantizer: usize, position: usize): i32 {
  return load<u16>(quantizer + (position << 1), inversesAt);
}

/**
 * Quantizes a block, rounding each level independently.
 *
 * @param coefficients 16 coefficients in zigzag order, i16 each
 * @param to destination for 16 levels, i16 each
 */
export function quantize(coefficients: usize, quantizer: usize, to: usize): void {
  const others = v128.load(quantizer, roundingsAt + 16);
  v128.store(
    to,
    levelsOf(
      v128.load(coefficients),
      v128.load(quantizer, inversesAt),
      v128.load(quantizer, roundingsAt),
      others,
    ),
  );
  v128.store(
    to,
    levelsOf(v128.load(coefficients, 16), v128.load(quantizer, inversesAt + 16), others, others),
    16,
  );
}

function levelsOf(coefficients: v128, inverses: v128, lowRounding: v128, rounding: v128): v128 {
  const sizes = i16x8.abs(coefficients);
  const low = i32x4.add(i32x4.extmul_low_i16x8_u(sizes, inverses), lowRounding);
  const high = i32x4.add(i32x4.extmul_high_i16x8_u(sizes, inverses), rounding);
  const levels = i16x8.min_s(
    i16x8.narrow_i32x4_s(i32x4.shr_u(low, inverseBits), i32x4.shr_u(high, inverseBits)),
    i16x8.splat(<i16>maxLevel),
  );
  const signs = i16x8.shr_s(coefficients, 15);
  return i16x8.sub(v128.xor(levels, signs), signs);
}

/** The independently rounded level of a DC coefficient. */
export function nearestDcLevel(coefficient: i32, quantizer: usize): i32 {
  const scaled =
    <u32>abs(coefficient) * inverseAt(quantizer, 0) + load<u32>(quantizer, roundingsAt);
  const level = <i32>(scaled >> inverseBits);
  return coefficient < 0 ? -level : level;
}

/** Sum of squared quantization errors. */
export function quantizationError(coefficients: usize, levels: usize, quantizer: usize): i32 {
  const low = i16x8.sub(v128.load(coefficients), dequantizedLow(levels, quantizer));
  const high = i16x8.sub(v128.load(coefficients, 16), dequantizedHigh(levels, quantizer));
  const sums = i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high));
  const pairs = i32x4.add(sums, i32x4.shuffle(sums, sums, 2, 3, 0, 1));
  return i32x4.extract_lane(pairs, 0) + i32x4.extract_lane(pairs, 1);
}

/** The lower eight dequantized coefficients in zigzag order. */
export function dequantizedLow(levels: usize, quantizer: usize): v128 {
  return i16x8.mul(v128.load(levels), v128.load(quantizer, stepsAt));
}

/** The upper eight dequantized coefficients in zigzag order. */
export function dequantizedHigh(levels: usize, quantizer: usize): v128 {
  return i16x8.mul(v128.load(levels, 16), v128.load(quantizer, stepsAt + 16));
}

/** The upper two of four rows of coefficients in zigzag. */
export function upperRows(low: v128, high: v128): v128 {
  return i16x8.shuffle(low, high, 0, 1, 5, 6, 2, 4, 7, 12);
}

/** The lower two rows of coefficients in zigzag order. */
export function lowerRows(low: v128, high: v128): v128 {
  return i16x8.shuffle(low, high, 3, 8, 11, 13, 9, 10, 14, 15);
}

/** Number of levels, out of sixteen, up to the last nonzero one. */
export function codedLength(levels: usize): i32 {
  const bytes = i8x16.narrow_i16x8_s(v128.load(levels), v128.load(levels, 16));
  return 32 - clz<i32>(i8x16.bitmask(i8x16.ne(bytes, i8x16.splat(0))));
}

// Trellis quantization: each coefficient may be rounded down or to the nearest level, and the block may end early.
// Dynamic programming finds the choice with the lowest sum of rate and weighted error (as in Ramchandran and Vetterli,
// "Rate-distortion optimal fast thresholding with complete JPEG/MPEG decoder compatibility", 1994).

const half: i32 = 1 << (inverseBits - 1);

/** Score worse than that of any path. */
const dead: f64 = 1e30;

/** Per position: the previous node of the best path to each of its two nodes, one bit each. */
const origins: usize = memory.data(16);

/**
 * Quantizes a block.
 * @param coefficients 16 coefficients in zigzag order, i16 each
 * @param weights 16 f32: cost of a squared error in 256ths of a bit
 * @param type block type of vp8/coefficients.ts
 * @param first first coded position
 * @param context number of blocks above and to the left with levels
 * @param levels destination for 16 levels, i16 each
 */
export function trellisQuantize(
  coefficients: usize,
  quantizer: usize,
  weights: usize,
  type: i32,
  first: i32,
  context: i32,
  levels: usize,
): void {
  v128.store(levels, i16x8.splat(0));
  v128.store(levels, i16x8.splat(0), 16);
  const count = lengthAbove(coefficients, stepAt(quantizer, 1) >> 1);
  if (count <= first) return;

  // Two nodes: rounded down, and one level higher if that is not farther away.
  let downScore: f64 = context === 0 ? <f64>goOnRate(type, first, 0) : 0;
  let upScore: f64 = dead;
  let downTable = levelTable(type, first, context);
  let upTable = downTable;
  let best: f64 = endRate(type, first, context);
  let bestPosition = -1;
  let bestNode = 0;

  for (let n = first; n < count; n += 1) {
    const size = abs<i32>(load<i16>(coefficients + (n << 1)));
    const scaled = size * inverseAt(quantizer, n);
    const step = stepAt(quantizer, n);
    const weight: f64 = load<f32>(weights + (n << 2));
    const level = min(maxLevel, scaled >>> inverseBits);
    const isNearUp = (scaled + half) >>> inverseBits > level && level < maxLevel;

    const straight = downScore + <f64>levelRate(downTable, level);
    const crossed = upScore + <f64>levelRate(upTable, level);
    let origin: u8 = crossed < straight ? 1 : 0;
    const downTotal = min(straight, crossed) + weight * gain(size, level * step);
    const downContext = contextOf(level);

    let upTotal = dead;
    const upContext = contextOf(level + 1);
    if (isNearUp) {
      const fromDown = downScore + <f64>levelRate(downTable, level + 1);
      const fromUp = upScore + <f64>levelRate(upTable, level + 1);
      if (fromUp < fromDown) origin |= 2;
      upTotal = min(fromDown, fromUp) + weight * gain(size, (level + 1) * step);
      const ended = upTotal + <f64>endRate(type, n + 1, upContext);
      if (ended < best) {
        best = ended;
        bestPosition = n;
        bestNode = 1;
      }
    }
    if (level > 0) {
      const ended = downTotal + <f64>endRate(type, n + 1, downContext);
      if (ended < best) {
        best = ended;
        bestPosition = n;
        bestNode = 0;
      }
    }
    store<u8>(origins + n, origin);
    downScore = downTotal;
    upScore = upTotal;
    downTable = levelTable(type, n + 1, downContext);
    upTable = levelTable(type, n + 1, upContext);
  }
  unwind(coefficients, quantizer, first, bestPosition, bestNode, levels);
}

/** Change of a coefficient's squared error, compared with 0, if it is reconstructed as `value`. */
function gain(size: i32, value: i32): f64 {
  return <f64>(value * (value - 2 * size));
}

/** Number of coefficients up to the last one that exceeds the threshold. */
function lengthAbove(coefficients: usize, threshold: i32): i32 {
  const limit = i16x8.splat(<i16>threshold);
  const low = i16x8.gt_s(i16x8.abs(v128.load(coefficients)), limit);
  const high = i16x8.gt_s(i16x8.abs(v128.load(coefficients, 16)), limit);
  return 32 - clz<i32>(i8x16.bitmask(i8x16.narrow_i16x8_s(low, high)));
}

/** Writes the levels of the best path, starting from its end. */
function unwind(
  coefficients: usize,
  quantizer: usize,
  first: i32,
  last: i32,
  node: i32,
  levels: usize,
): void {
  for (let n = last; n >= first; n -= 1) {
    const coefficient: i32 = load<i16>(coefficients + (n << 1));
    const scaled = abs(coefficient) * inverseAt(quantizer, n);
    const level = min(maxLevel, scaled >>> inverseBits) + node;
    store<i16>(levels + (n << 1), <i16>(coefficient < 0 ? -level : level));
    node = (load<u8>(origins + n) >> <u8>node) & 1;
  }
}

// Weights of distortion relative to rate: the cost of a squared error of 1, in the scale of coefficients, in 256ths of
// a bit. They are proportional to the inverse square of the step, like the slope of the rate–distortion curve. The
// constants gave the fewest bytes for photos at equal SSIMULACRA2.

/* Offsets of the weights of a segment, f64 each. */
/** For choosing a mode of a luma block. */
export const blockChoice: usize = 0;
/** For choosing a mode of luma as a whole. */
export const wholeChoice: usize = 8;
/** For choosing between prediction by block and as a whole. */
export const wayChoice: usize = 16;
/** For choosing a chroma mode. */
export const chromaChoice: usize = 24;
/* Offsets of the weights for trellises, 16 f32 in zigzag order. */
export const blockTrellis: usize = 32;
export const wholeTrellis: usize = 96;
export const secondOrderTrellis: usize = 160;
const weightsBytes: usize = 224;
const weights: usize = memory.data(segmentCount * 224, 16);

/* Weights for a mean step of 1. */
const blockWeight: f64 = 2730;
const wholeWeight: f64 = 600;
const wayWeight: f64 = 8192;
const chromaWeight: f64 = 6300;
const blockTrellisWeight: f64 = 2600;
const wholeTrellisWeight: f64 = 4200;
const secondOrderTrellisWeight: f64 = 25000;

/** Factors by frequency for trellises, in zigzag order: errors at low frequencies are more visible. */
const frequencyWeights: usize = memory.data<f32>([
  2.05, 1.825, 1.825, 1.225, 1.6, 1.225, 0.625, 1.075, 1.075, 0.625, 0.55, 0.7, 0.55, 0.4, 0.4,
  0.25,
]);

/** Computes the weights for the quantizers of a segment. */
export function setWeights(segment: i32): void {
  const at = weightsOf(segment);
  const quantizers = quantizersOf(segment);
  const ofLuma = inverseSquare(quantizers + lumaQuantizer);
  const ofWhole = inverseSquare(quantizers + secondOrderQuantizer);
  const ofChroma = inverseSquare(quantizers + chromaQuantizer);
  store<f64>(at, blockWeight * ofLuma, blockChoice);
  store<f64>(at, wholeWeight * ofWhole, wholeChoice);
  store<f64>(at, wayWeight * ofLuma, wayChoice);
  store<f64>(at, chromaWeight * ofChroma, chromaChoice);
  for (let n: usize = 0; n < 64; n += 4) {
    const byFrequency = <f64>load<f32>(frequencyWeights + n);
    store<f32>(at + n, <f32>(blockTrellisWeight * ofLuma * byFrequency), blockTrellis);
    store<f32>(at + n, <f32>(wholeTrellisWeight * ofWhole * byFrequency), wholeTrellis);
    // All of these are low frequencies.
    store<f32>(at + n, <f32>(secondOrderTrellisWeight * ofWhole), secondOrderTrellis);
  }
}

/** The inverse square of a quantizer's mean step. */
function inverseSquare(quantizer: usize): f64 {
  const step = load<f64>(quantizer, meanStepAt);
  return 1 / (step * step);
}

/** The weights of a segment. */
export function weightsOf(segment: i32): usize {
  return weights + weightsBytes * segment;
}
