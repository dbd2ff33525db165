/**
 * Estimated costs of levels in 256ths of a bit, for choosing levels. The final probabilities depend on all levels, so
 * they are unknown while these are chosen; they are predicted from the levels so far, combined with typical
 * probabilities.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { bandCount, bands, contextCount, nodeCount, typeCount } from '../vp8/token-probabilities';
import { bitCost, probabilityOf } from './bool-encoder';
import {
  countBranches,
  extraCount,
  extraProbabilities,
  firstExtra,
  largeCategory,
  largeExtra,
  lastLevel,
  maxLevel,
  onesAt,
  secondExtraHigh,
  secondExtraLow,
  tokens,
  zerosAt,
} from './token-probabilities';

/** Layout of `levelCosts`: by type, position and context, u16 for each level up to `lastLevel`. @internal */
export const levelContextBytes: usize = 2 * (lastLevel + 1);
/** @internal */
export const levelPositionBytes: usize = 3 * levelContextBytes;
/** @internal */
export const levelTypeBytes: usize = 17 * levelPositionBytes;

/** Layout of `endCosts` and `goOnCosts`: by type, position and context, u16 each. @internal */
export const positionContexts: usize = 3;
/** @internal */
export const typeContexts: usize = 17 * positionContexts;

/**
 * Costs of levels without `fixedCosts`; the last entry applies to all larger levels. With nonzero contexts, they
 * include the cost of not ending the block. With context 0, that is either implied, after a zero, or must be added from
 * `goOnCosts`, at the beginning of a block. Costs at position 16 are 0.
 * @internal
 */
export let levelCosts: usize = 0;
/** Costs of ending a block. @internal */
export let endCosts: usize = 0;
/** Costs of not ending a block. @internal */
export let goOnCosts: usize = 0;
/** Costs of sign and extra bits, by magnitude up to `maxLevel`, u16. @internal */
export let fixedCosts: usize = 0;

const magnitudes: u32 = maxLevel + 1;
/** Cost of a sign, ignoring that a positive one is slightly cheaper. */
const signCost: u32 = 256;
/** Weight of a node's typical probability, as a number of counted bits. */
const startWeight: u32 = 32;

/** Typical probabilities, in the order of the format. */
let typical: usize = 0;
/** For the current context: the probabilities of its nodes, and the costs of its tokens, u16. */
const nodes: usize = memory.data(11);
const tokenCosts: usize = memory.data(24, 2);

/** Allocates the tables; returns false if there is no memory. */
export function allocateLevelCosts(): bool {
  levelCosts = allocate(4 * levelTypeBytes);
  endCosts = allocate(8 * typeContexts);
  goOnCosts = allocate(8 * typeContexts);
  fixedCosts = allocate(magnitudes << 1);
  return levelCosts !== 0 && endCosts !== 0 && goOnCosts !== 0 && fixedCosts !== 0;
}

/**
 * Starts with typical probabilities only.
 * @param probabilities 4 × 8 × 3 × 11 bytes in the order of `defaultProbabilities`, which must remain valid
 */
export function beginLevelCosts(probabilities: usize): void {
  typical = probabilities;
  for (let magnitude: u32 = 1; magnitude < magnitudes; magnitude += 1) {
    store<u16>(fixedCosts + (magnitude << 1), <u16>fixedCost(magnitude));
  }
  refreshCosts();
}

/** Recomputes the costs from the counts so far. */
export function refreshCosts(): void {
  let at = typical;
  for (let type = 0; type < typeCount; type += 1) {
    for (let band = 0; band < bandCount; band += 1) {
      for (let context = 0; context < contextCount; context += 1, at += nodeCount) {
        countBranches(type, band, context);
        for (let node = 0; node < nodeCount; node += 1) {
          store<u8>(nodes + node, <u8>predicted(node, load<u8>(at + node)));
        }
        costTokens(context);
        spread(type, band, context);
      }
    }
  }
}

/** Predicts the probability of a node from its counts and its typical probability. */
function predicted(node: i32, likely: u32): u32 {
  const zeros = ((<u64>zerosAt(node)) << 8) + startWeight * likely;
  const ones = ((<u64>onesAt(node)) << 8) + startWeight * (256 - likely);
  return probabilityOf(zeros, ones);
}

/** Sets `tokenCosts`, except for the end of a block. */
function costTokens(context: i32): void {
  const some = (context > 0 ? nodeCost(0, 1) : 0) + nodeCost(1, 1);
  setTokenCost(1, some - nodeCost(1, 1) + nodeCost(1, 0));
  setTokenCost(2, some + nodeCost(2, 0));
  const more = some + nodeCost(2, 1);
  const few = more + nodeCost(3, 0);
  setTokenCost(3, few + nodeCost(4, 0));
  setTokenCost(4, few + nodeCost(4, 1) + nodeCost(5, 0));
  setTokenCost(5, few + nodeCost(4, 1) + nodeCost(5, 1));
  const many = more + nodeCost(3, 1);
  setTokenCost(6, many + nodeCost(6, 0) + nodeCost(7, 0));
  setTokenCost(7, many + nodeCost(6, 0) + nodeCost(7, 1));
  const large = many + nodeCost(6, 1);
  setTokenCost(8, large + nodeCost(8, 0) + nodeCost(9, 0));
  setTokenCost(9, large + nodeCost(8, 0) + nodeCost(9, 1));
  setTokenCost(10, large + nodeCost(8, 1) + nodeCost(10, 0));
  setTokenCost(11, large + nodeCost(8, 1) + nodeCost(10, 1));
}

function nodeCost(node: i32, bit: u32): u32 {
  return bitCost(bit, load<u8>(nodes + node));
}

function setTokenCost(token: i32, cost: u32): void {
  store<u16>(tokenCosts + (token << 1), <u16>cost);
}

/** Stores the costs of a context for all positions of the band. */
function spread(type: i32, band: i32, context: i32): void {
  let first: usize = 0;
  for (let position = 0; position < 16; position += 1) {
    if (load<u8>(bands + position) !== <u8>band) continue;
    const to =
      levelCosts +
      levelTypeBytes * type +
      levelPositionBytes * position +
      levelContextBytes * context;
    if (first === 0) writeLevels(to);
    else memory.copy(to, first, levelContextBytes);
    first = to;
    const end = (typeContexts * type + positionContexts * position + context) << 1;
    store<u16>(endCosts + end, <u16>nodeCost(0, 0));
    store<u16>(goOnCosts + end, <u16>nodeCost(0, 1));
  }
}

function writeLevels(to: usize): void {
  for (let level = 0; level <= lastLevel; level += 1) {
    const token: i32 = load<u8>(tokens + level);
    store<u16>(to + (level << 1), load<u16>(tokenCosts + (token << 1)));
  }
}

/** Cost of a sign and of extra bits (RFC 6386 §13.2). */
function fixedCost(magnitude: u32): u32 {
  if (magnitude < 5) return signCost;
  if (magnitude < 7) return signCost + bitCost(magnitude - 5, firstExtra);
  if (magnitude < 11) {
    const high = bitCost((magnitude - 7) >> 1, secondExtraHigh);
    return signCost + high + bitCost((magnitude - 7) & 1, secondExtraLow);
  }
  return signCost + largeExtraCost(magnitude);
}

function largeExtraCost(magnitude: u32): u32 {
  const category = largeCategory(magnitude);
  const probabilities = extraProbabilities(category);
  let extra = largeExtra(magnitude, category);
  let cost: u32 = 0;
  for (let i = extraCount(category) - 1; i >= 0; i -= 1, extra >>= 1) {
    cost += bitCost(extra & 1, load<u8>(probabilities + i));
  }
  return cost;
}

// Costs of encoding levels in 256ths of a bit, from these tables.

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
