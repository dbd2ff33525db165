/** Estimated costs of symbols for the parser, in 64ths of a bit. */
import { allocate } from '../../../../wasm/assembly/memory';
import { extraBits } from '../vp8l/references';
import { logarithm } from './logarithms';
import {
  alphaAt,
  blueAt,
  codeAt,
  codeCount,
  codeSymbols,
  distanceAt,
  distanceSymbols,
  firstEntry,
  firstLength,
  greenAt,
  maxSymbols,
  redAt,
} from './symbols';

const bit: f32 = 64;
/** Maximum bits of a symbol that has not been counted. */
const maxBits: f32 = 16;

/** Costs of symbols, u32 each; those of lengths and distances include their extra bits. */
let costs: usize = 0;
const lengthSymbols: i32 = 24;

/** Allocates 8 KiB; returns false if there is no memory. */
export function allocateCosts(): bool {
  costs = allocate((<usize>maxSymbols) << 2);
  return costs !== 0;
}

/** Computes costs from counts of symbols. */
export function updateCosts(counts: usize): void {
  for (let code = 0; code < codeCount; code += 1) {
    const at = (<usize>codeAt(code)) << 2;
    learnCode(counts + at, codeSymbols(code), costs + at);
  }
  addExtraBits(costs + (greenAt + firstLength) * 4, lengthSymbols);
  addExtraBits(costs + distanceAt * 4, distanceSymbols);
}

function learnCode(counts: usize, symbols: i32, to: usize): void {
  let total: u32 = 0;
  let used = 0;
  const bytes = (<usize>symbols) << 2;
  for (let at: usize = 0; at < bytes; at += 4) {
    const count = load<u32>(counts + at);
    total += count;
    if (count > 0) used += 1;
  }
  const whole = logarithm(max(total, 1));
  const unseen = <u32>(Mathf.min(whole + 1, maxBits) * bit);
  for (let at: usize = 0; at < bytes; at += 4) {
    const count = load<u32>(counts + at);
    let cost = unseen;
    if (count > 0) cost = used === 1 ? 0 : <u32>max((whole - logarithm(count)) * bit, bit);
    store<u32>(to + at, cost);
  }
}

function addExtraBits(at: usize, symbols: i32): void {
  for (let symbol = 0; symbol < symbols; symbol += 1, at += 4) {
    store<u32>(at, load<u32>(at) + <u32>bit * extraBits(symbol));
  }
}

/** The cost of a literal pixel. */
export function literalCost(color: u32): u32 {
  return (
    load<u32>(costs + ((<usize>((color >> 8) & 255)) << 2), greenAt * 4) +
    load<u32>(costs + ((<usize>((color >> 16) & 255)) << 2), redAt * 4) +
    load<u32>(costs + ((<usize>(color & 255)) << 2), blueAt * 4) +
    load<u32>(costs + ((<usize>(color >> 24)) << 2), alphaAt * 4)
  );
}

/** The cost of an entry of the color cache. */
export function entryCost(entry: u32): u32 {
  return load<u32>(costs + ((<usize>entry) << 2), (greenAt + firstEntry) * 4);
}

/** The cost of a length symbol. */
export function lengthCost(symbol: u32): u32 {
  return load<u32>(costs + ((<usize>symbol) << 2), (greenAt + firstLength) * 4);
}

/** The cost of a distance symbol. */
export function distanceCost(symbol: u32): u32 {
  return load<u32>(costs + ((<usize>symbol) << 2), distanceAt * 4);
}
