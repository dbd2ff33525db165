/**
 * Quantization of coefficients, and its error. Each segment has a quantizer for each kind of block: steps for DC and AC
 * coefficients (RFC 6386 §9.6, §14.1), and values derived from them.
 */
import { acStep, chromaDcStep, dcStep, secondOrderAcStep, segmentCount } from '../vp8/segments';
import { maxLevel } from './extra-bits';
import { quantizerDeltas } from './frame-settings';

/* Fields of a quantizer: vectors for the lower and the upper eight coefficients in zigzag order. */
const stepsAt: usize = 0;
const inversesAt: usize = 32;
/** Values added before rounding down, for the first four coefficients and for all others. */
const roundingsAt: usize = 64;
/** Mean step, f64. */
export const meanStepAt: usize = 96;
const quantizerBytes: usize = 112;

/* Offsets of the quantizers of a segment. */
export const lumaQuantizer: usize = 0;
export const secondOrderQuantizer: usize = quantizerBytes;
export const chromaQuantizer: usize = 2 * quantizerBytes;
const segmentBytes: usize = 3 * quantizerBytes;

const quantizers: usize = memory.data(segmentCount * 336, 16);

/** Fractional bits of inverse steps. */
export const inverseBits: i32 = 17;

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
export function inverseAt(quantizer: usize, position: usize): i32 {
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
