/**
 * What levels cost, in 256ths of a bit, for whoever chooses them. The probabilities of the result follow from
 * its own levels and are thus unknown while these are chosen; those chosen so far predict them, with typical
 * ones that count as so many levels of a kind.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { bandCount, bands, contextCount, nodeCount, typeCount } from '../vp8/token-probabilities';
import { bitCost, probabilityOf } from './bit-costs';
import {
  extraCount,
  extraProbabilities,
  firstExtra,
  largeCategory,
  largeExtra,
  maxLevel,
  secondExtraHigh,
  secondExtraLow,
} from './extra-bits';
import { countBranches, lastLevel, onesAt, tokens, zerosAt } from './token-counts';

/** By type, position and context, u16 for levels up to `lastLevel`; see `levelCosts`. */
export const levelContextBytes: usize = 2 * (lastLevel + 1);
export const levelPositionBytes: usize = 3 * levelContextBytes;
export const levelTypeBytes: usize = 17 * levelPositionBytes;

/** By type, position and context, u16: how many of them there are from one to the next. */
export const positionContexts: usize = 3;
export const typeContexts: usize = 17 * positionContexts;

/**
 * Costs of levels, the last of which stands for all beyond, without what `fixedCosts` has. Where the context
 * is not 0, they include that the block goes on; with context 0 that is either known, behind a zero, or is
 * to be added out of `goOnCosts`, at the beginning of a block. Position 16 costs nothing.
 */
export let levelCosts: usize = 0;
/** Costs of the end of a block. */
export let endCosts: usize = 0;
/** Costs of its going on. */
export let goOnCosts: usize = 0;
/** Costs of sign and extra bits by magnitude up to `maxLevel`, u16. */
export let fixedCosts: usize = 0;

const magnitudes: u32 = maxLevel + 1;
/** A sign of either kind; that of a positive level is a little cheaper. */
const signCost: u32 = 256;
/** How many zeros and ones the typical probability of a node counts as. */
const startWeight: u32 = 32;

/** Typical probabilities, in the order of those of the format. */
let typical: usize = 0;
/** For one context: the probabilities of its nodes, and the costs of its tokens as u16. */
const nodes: usize = memory.data(11);
const tokenCosts: usize = memory.data(24, 2);

/** Allocates the tables; false if there is no room. */
export function allocateLevelCosts(): bool {
  levelCosts = allocate(4 * levelTypeBytes);
  endCosts = allocate(8 * typeContexts);
  goOnCosts = allocate(8 * typeContexts);
  fixedCosts = allocate(magnitudes << 1);
  return levelCosts !== 0 && endCosts !== 0 && goOnCosts !== 0 && fixedCosts !== 0;
}

/**
 * Begins with typical probabilities alone.
 * @param probabilities 4 × 8 × 3 × 11 bytes as `defaultProbabilities`, which stay
 */
export function beginLevelCosts(probabilities: usize): void {
  typical = probabilities;
  for (let magnitude: u32 = 1; magnitude < magnitudes; magnitude += 1) {
    store<u16>(fixedCosts + (magnitude << 1), <u16>fixedCost(magnitude));
  }
  refreshCosts();
}

/** Works the costs out anew, from what has been counted so far. */
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

/** The probability of a node, whose typical one is known. */
function predicted(node: i32, likely: u32): u32 {
  const zeros = ((<u64>zerosAt(node)) << 8) + startWeight * likely;
  const ones = ((<u64>onesAt(node)) << 8) + startWeight * (256 - likely);
  return probabilityOf(zeros, ones);
}

/** Sets `tokenCosts`, without the end of a block. */
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

/** Writes the costs of a context to all positions of the band. */
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
