/** What the modes of prediction cost, in 256ths of a bit. Their probabilities are the format's (RFC 6386 §11). */
import { allocate } from '../../../../wasm/assembly/memory';
import { blockModeProbabilities } from '../vp8/mode-probabilities';
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

const blockModeCount: i32 = 10;
/** Bytes from one context to the next, of the costs and of the probabilities. */
const contextBytes: usize = 20;
const probabilityBytes: usize = 9;
const contextCount: usize = 100;

/** Costs of the modes of blocks, u16 by the mode above, the mode to the left and the mode itself. */
export let blockModeCosts: usize = 0;
/** Cost of a macroblock's being predicted block by block, which comes to those of its blocks' modes. */
export let byBlockRate: i32 = 0;

/** Allocates the table; false where there is no room. */
export function allocateModeCosts(): bool {
  blockModeCosts = allocate(contextBytes * contextCount);
  return blockModeCosts !== 0;
}

/** Works the costs out. */
export function prepareModeCosts(): void {
  byBlockRate = bitCost(0, byBlockProbability);
  for (let context: usize = 0; context < contextCount; context += 1) {
    const nodes = blockModeProbabilities + probabilityBytes * context;
    for (let mode = 0; mode < blockModeCount; mode += 1) {
      const to = blockModeCosts + contextBytes * context + (mode << 1);
      store<u16>(to, <u16>pathCost(mode, nodes));
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

/** Cost of a block's mode in the context of mode-contexts.ts. */
export function blockModeCost(context: usize, mode: u32): u32 {
  return load<u16>(blockModeCosts + contextBytes * context + (mode << 1));
}

/** Cost of luma's mode, with that of being predicted as a whole. */
export function wholeModeRate(mode: i32): i32 {
  return entriesCost(wholeEntries + entryBytes * mode);
}

/** Cost of chroma's mode. */
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
