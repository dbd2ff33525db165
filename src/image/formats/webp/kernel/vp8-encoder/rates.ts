/** Costs of encoding levels in 256ths of a bit, from the tables of `level-costs.ts`. */
import {
  endCosts,
  fixedCosts,
  goOnCosts,
  levelContextBytes,
  levelCosts,
  levelPositionBytes,
  levelTypeBytes,
  positionContexts,
  typeContexts,
} from './level-costs';
import { lastLevel } from './token-probabilities';

/** Maximum context. */
const lastContext: i32 = 2;

/** Pointer to the costs of levels at a position and with a context. */
export function levelTable(type: i32, position: i32, context: i32): usize {
  return (
    levelCosts + levelTypeBytes * type + levelPositionBytes * position + levelContextBytes * context
  );
}

/**
 * The cost of a level that is not negative, from the table for its position and context. From `lastLevel` on, levels
 * differ only in `fixedCosts`.
 */
export function levelRate(table: usize, level: i32): i32 {
  const tabled: i32 = load<u16>(table + (min(level, lastLevel) << 1));
  return tabled + <i32>load<u16>(fixedCosts + (level << 1));
}

/** The context of the next level after this one. */
export function contextOf(level: i32): i32 {
  return min(level, lastContext);
}

/** The cost of ending a block at a position. */
export function endRate(type: i32, position: i32, context: i32): i32 {
  return load<u16>(endCosts + (conditionAt(type, position, context) << 1));
}

/** The cost of not ending a block at a position. */
export function goOnRate(type: i32, position: i32, context: i32): i32 {
  return load<u16>(goOnCosts + (conditionAt(type, position, context) << 1));
}

function conditionAt(type: i32, position: i32, context: i32): usize {
  return typeContexts * type + positionContexts * position + context;
}

/**
 * The cost of a block.
 *
 * @param length number of levels up to the last nonzero one
 * @param first first coded position
 * @param context number of blocks above and to the left with levels
 */
export function blockRate(levels: usize, length: i32, type: i32, first: i32, context: i32): i32 {
  if (length <= first) return endRate(type, first, context);
  let rate = context === 0 ? goOnRate(type, first, 0) : 0;
  let position = levelCosts + levelTypeBytes * type + levelPositionBytes * first;
  let table = position + levelContextBytes * context;
  let last = 0;
  for (let n = first; n < length; n += 1) {
    const level = abs<i32>(load<i16>(levels + (n << 1)));
    rate += levelRate(table, level);
    last = contextOf(level);
    position += levelPositionBytes;
    table = position + levelContextBytes * last;
  }
  return rate + endRate(type, length, last);
}
