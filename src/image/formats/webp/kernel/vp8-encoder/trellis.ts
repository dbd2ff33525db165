/**
 * Trellis quantization: each coefficient may be rounded down or to the nearest level, and the block may end early.
 * Dynamic programming finds the choice with the lowest sum of rate and weighted error (as in Ramchandran and Vetterli,
 * "Rate-distortion optimal fast thresholding with complete JPEG/MPEG decoder compatibility", 1994).
 */
import { maxLevel } from './extra-bits';
import { inverseAt, inverseBits, stepAt } from './quantization';
import { contextOf, endRate, goOnRate, levelRate, levelTable } from './rates';

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
