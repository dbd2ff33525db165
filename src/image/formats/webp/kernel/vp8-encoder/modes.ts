/** Costs of prediction modes in 256ths of a bit, from the fixed probabilities (RFC 6386 §11). */
import { allocate } from '../../../../wasm/assembly/memory';
import { blockModeNodes, blockModeProbabilities } from '../vp8/modes';
import { blockModeCount } from '../vp8/prediction';
import { bitCost } from './bit-costs';
import {
  blockPaths,
  byBlockProbability,
  chromaEntries,
  entryBytes,
  pathBytes,
  pathEnd,
  wholeEntries,
} from './mode-trees';

/** Bytes of a context. */
const contextBytes: usize = blockModeCount * 2;
const contextCount: usize = blockModeCount * blockModeCount;

/** Costs of block modes by context and mode, u16. */
let blockModeCosts: usize = 0;
/** Cost of selecting prediction by block, in addition to the costs of the blocks' modes. */
export let byBlockRate: i32 = 0;

/** Allocates the table; returns false if there is no memory. */
export function allocateModeCosts(): bool {
  blockModeCosts = allocate(contextBytes * contextCount);
  return blockModeCosts !== 0;
}

/** Computes the costs. */
export function prepareModeCosts(): void {
  byBlockRate = bitCost(0, byBlockProbability);
  for (let context: usize = 0; context < contextCount; context += 1) {
    const nodes = blockModeProbabilities + blockModeNodes * context;
    for (let mode = 0; mode < blockModeCount; mode += 1) {
      store<u16>(blockModeCostsIn(context) + (mode << 1), <u16>pathCost(mode, nodes));
    }
  }
}

function pathCost(mode: i32, nodes: usize): u32 {
  let cost: u32 = 0;
  for (let at = blockPaths + pathBytes * mode; load<u8>(at) !== <u8>pathEnd; at += 1) {
    const step: u32 = load<u8>(at);
    cost += bitCost(step & 1, load<u8>(nodes + (step >> 1)));
  }
  return cost;
}

/** Pointer to the costs of all block modes in a context of mode-contexts.ts, u16 each. */
export function blockModeCostsIn(context: usize): usize {
  return blockModeCosts + contextBytes * context;
}

/** Cost of a block mode in a context of mode-contexts.ts. */
export function blockModeCost(context: usize, mode: u32): u32 {
  return load<u16>(blockModeCostsIn(context) + (mode << 1));
}

/** Cost of a luma mode, including that of selecting prediction as a whole. */
export function wholeModeRate(mode: i32): i32 {
  return entriesCost(wholeEntries + entryBytes * mode);
}

/** Cost of a chroma mode. */
export function chromaModeRate(mode: i32): i32 {
  return entriesCost(chromaEntries + entryBytes * mode);
}

function entriesCost(entries: usize): i32 {
  let cost: u32 = 0;
  for (let at = entries; load<u16>(at) !== 0; at += 2) {
    const entry: u32 = load<u16>(at);
    cost += bitCost(entry >> 8, entry & 0xff);
  }
  return cost;
}
