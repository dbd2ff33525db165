/**
 * The coefficients of a group of 32 × 32 blocks as tokens in contexts (ISO/IEC 18181-1 §I.2.4): the number of nonzero
 * coefficients, in a context of the neighboring blocks, followed by each coefficient up to the last nonzero one, in a
 * context of its position and of the number of remaining ones.
 */
import { blocksAcross, coded } from '../../jpeg/kernel/frame';
import { headBytes } from '../../jpeg/kernel/tokens';
import { nextTokens, setNextTokens } from './block-rows';
import { tokenBuffer, valueBits } from './entropy-code';
import {
  componentsCoded,
  gridAcross,
  gridDown,
  groupSide,
  hasBlock,
  isThere,
  shiftAcross,
  shiftDown,
} from './grid';
import { lowFrequency } from './low-frequencies';

/** Number of contexts for the count of nonzero coefficients, and for coefficients. */
const numberContexts: i32 = 37;
const valueContexts: i32 = 458;

/** First context of a coefficient, by the number of remaining nonzero coefficients. */
const comingContexts: usize = memory.data<u8>([
  0, 0, 31, 62, 62, 93, 93, 93, 93, 123, 123, 123, 123, 152, 152, 152, 152, 152, 152, 152, 152, 180,
  180, 180, 180, 180, 180, 180, 180, 180, 180, 180, 180, 206, 206, 206, 206, 206, 206, 206, 206,
  206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206,
  206, 206, 206, 206,
]);

/** Offset of the context, by the position of the coefficient. */
const placeContexts: usize = memory.data<u8>([
  0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15, 16, 16, 17, 17, 18, 18, 19, 19, 20,
  20, 21, 21, 22, 22, 23, 23, 23, 23, 24, 24, 24, 24, 25, 25, 25, 25, 26, 26, 26, 26, 27, 27, 27,
  27, 28, 28, 28, 28, 29, 29, 29, 29, 30, 30, 30, 30,
]);

/** Per component: coded position of each coefficient in zigzag order, u8 each. */
const places: usize = memory.data(3 * 64);
/** Thresholds of quantized luma DC between context sets, i32 each, ascending. */
const thresholds: usize = memory.data(4 * 8);
let thresholdCount: i32 = 0;
/** Context set of a block, by component and brightness, u8 each. */
const blockContexts: usize = memory.data(3 * 8);
let blockContextCount: i32 = 0;

/** Per component: number of nonzero coefficients at each position in zigzag order, u32 each. */
const occurrences: usize = memory.data(3 * 64 * 4);

/**
 * Pointer to the counts of `countPlaces` for a component: u32 for each position in zigzag order.
 */
export function placeCounts(c: i32): usize {
  return occurrences + ((<usize>c) << 8);
}

/** Counts the nonzero coefficients of the loaded row of groups. */
export function countPlaces(groupY: i32): void {
  for (let c = 0; c < componentsCoded; c += 1) {
    if (!isThere(c)) continue;
    const rows = groupSide >> shiftDown(c);
    const counts = placeCounts(c);
    const blocks = blocksAcross(coded, c);
    for (let row = 0; row < rows && hasBlock(c, 0, groupY * rows + row); row += 1) {
      let at = nextTokens(c, row);
      for (let x = 0; x < blocks; x += 1) {
        const end = endOfBlock(at);
        let k = 0;
        for (at += headBytes; at < end; at += 2) {
          const token = <u32>load<u16>(at);
          k += (token >> 12) + 1;
          if ((token & 0xfff) === 0) continue;
          const count = counts + ((<usize>k) << 2);
          store<u32>(count, load<u32>(count) + 1);
        }
      }
    }
  }
}

/** Returns the end of the tokens of a block. */
function endOfBlock(tokens: usize): usize {
  return tokens + headBytes + ((<usize>load<u8>(tokens, 2)) << 1);
}

/** Pointer where the host writes the coefficient order of a component: the coded position for each zigzag position. */
export function coefficientPlaces(c: i32): usize {
  return places + ((<usize>c) << 6);
}

/** Pointer where the host writes the brightness thresholds, at most 7. */
export function brightnessThresholds(): usize {
  return thresholds;
}

/** Pointer where the host writes the context set for each of up to 8 brightness ranges of a component. */
export function blockContextMap(c: i32): usize {
  return blockContexts + ((<usize>c) << 3);
}

/** Sets the number of thresholds and of context sets. */
export function setBlockContexts(thresholdsUsed: i32, contexts: i32): void {
  thresholdCount = thresholdsUsed;
  blockContextCount = contexts;
}

/** Number of contexts of coefficient tokens. */
export function coefficientContexts(): i32 {
  return blockContextCount * (numberContexts + valueContexts);
}

/** Number of nonzero coefficients of each block in the group, by component, u8 each. */
const numbers: usize = memory.data(3 * 1024);

/**
 * Puts the tokens of group `groupX` of the loaded row of groups into the token buffer; must be called in order.
 * @returns the number of tokens
 */
export function gatherCoefficients(groupX: i32, groupY: i32): i32 {
  const buffer = tokenBuffer();
  let next = buffer;
  const left = groupX * groupSide;
  const top = groupY * groupSide;
  const columns = min(groupSide, gridAcross() - left);
  const rows = min(groupSide, gridDown() - top);
  for (let y = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1) {
      const brightness = brightnessAt(left + x, top + y);
      for (let c = 0; c < componentsCoded; c += 1) {
        const across = shiftAcross(c);
        const down = shiftDown(c);
        if ((x & across) | (y & down)) continue;
        const column = x >> across;
        const row = y >> down;
        let tokens: usize = 0;
        if (isThere(c) && hasBlock(c, (left >> across) + column, (top >> down) + row)) {
          tokens = nextTokens(c, row);
          setNextTokens(c, row, endOfBlock(tokens));
        }
        const context = load<u8>(blockContextMap(c) + brightness);
        next = putBlock(c, column, row, context, tokens, next);
      }
    }
  }
  return <i32>((next - buffer) >> 2);
}

/** The brightness range of a block: the number of thresholds that its luma exceeds. */
function brightnessAt(x: i32, y: i32): i32 {
  if (thresholdCount === 0) return 0;
  const dc = lowFrequency(0, x >> shiftAcross(0), y >> shiftDown(0));
  let brightness = 0;
  while (brightness < thresholdCount && dc > load<i32>(thresholds + ((<usize>brightness) << 2))) {
    brightness += 1;
  }
  return brightness;
}

/** Coefficients of a block by position, i16 each; a separate mask tells which are set. */
const values: usize = memory.data(128);

/** Writes the tokens of a block at `to`, and returns their end; `tokens` is 0 if the block has none. */
function putBlock(
  c: i32,
  column: i32,
  row: i32,
  blockContext: i32,
  tokens: usize,
  to: usize,
): usize {
  let present: u64 = 0;
  if (tokens !== 0) {
    const order = coefficientPlaces(c);
    const end = endOfBlock(tokens);
    let k = 0;
    for (let at = tokens + headBytes; at < end; at += 2) {
      const token = <i32>load<u16>(at);
      const value = (token << 20) >> 20;
      k += (token >> 12) + 1;
      if (value === 0) continue;
      const place = <usize>load<u8>(order + k);
      present |= (<u64>1) << place;
      store<i16>(values + (place << 1), <i16>value);
    }
  }
  let coming = <i32>popcnt(present);
  const near = numbers + ((<usize>c) << 10) + ((<usize>row) << 5) + column;
  const numberContext = contextOfNumber(predictedNumber(near, column, row));
  store<u8>(near, <u8>coming);
  store<u32>(to, ((<u32>(numberContext * blockContextCount + blockContext)) << valueBits) | coming);
  to += 4;
  const first = numberContexts * blockContextCount + valueContexts * blockContext;
  let before = coming > 4 ? 0 : 1;
  for (let k: usize = 1; coming > 0; k += 1) {
    const context =
      first +
      ((<i32>load<u8>(comingContexts + coming) + <i32>load<u8>(placeContexts + k)) << 1) +
      before;
    before = <i32>((present >> k) & 1);
    let packed: u32 = 0;
    if (before) {
      const value = <i32>load<i16>(values + (k << 1));
      packed = <u32>((value << 1) ^ (value >> 31));
      coming -= 1;
    }
    store<u32>(to, ((<u32>context) << valueBits) | packed);
    to += 4;
  }
  return to;
}

/** The predicted number of nonzero coefficients: mean of the blocks to the left and above within the group. */
function predictedNumber(near: usize, column: i32, row: i32): i32 {
  if (column === 0) return row === 0 ? 32 : load<u8>(near - 32);
  const left = <i32>load<u8>(near - 1);
  return row === 0 ? left : (left + load<u8>(near - 32) + 1) >> 1;
}

function contextOfNumber(predicted: i32): i32 {
  return predicted < 8 ? predicted : 4 + (predicted >> 1);
}
