/**
 * What coding levels costs, in 256ths of a bit, by the tables that `level-costs.ts` keeps.
 */
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
import { lastLevel } from './token-counts';

/** The largest context. */
const lastContext: i32 = 2;

/** The costs of levels at a position, behind a level of that context. */
export function levelTable(type: i32, position: i32, context: i32): usize {
  return (
    levelCosts + levelTypeBytes * type + levelPositionBytes * position + levelContextBytes * context
  );
}

/**
 * The cost of a level that is not negative, of a table of its position and context. From `lastLevel` on levels differ
 * in `fixedCosts` alone.
 */
export function levelRate(table: usize, level: i32): i32 {
  const tabled: i32 = load<u16>(table + (min(level, lastLevel) << 1));
  return tabled + <i32>load<u16>(fixedCosts + (level << 1));
}

/** The context that a level makes for the next one. */
export function contextOf(level: i32): i32 {
  return min(level, lastContext);
}

/** The cost of ending a block at a position. */
export function endRate(type: i32, position: i32, context: i32): i32 {
  return load<u16>(endCosts + (conditionAt(type, position, context) << 1));
}

/** The cost of not ending it there. */
export function goOnRate(type: i32, position: i32, context: i32): i32 {
  return load<u16>(goOnCosts + (conditionAt(type, position, context) << 1));
}

function conditionAt(type: i32, position: i32, context: i32): usize {
  return typeContexts * type + positionContexts * position + context;
}

/**
 * The cost of a block.
 *
 * @param length of its levels up to the last one that is not zero
 * @param first position that is coded
 * @param context of how many of the blocks above and to the left have levels
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
