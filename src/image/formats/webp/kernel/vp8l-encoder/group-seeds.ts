/**
 * Initial groups of tiles: separated by which codes have only one symbol, which takes no bits, then by their costs with
 * a common code.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { codeAt, codeCount, codeSymbols } from './symbols';
import { costsOf, costsOfTile, groups, setCosts, sumTileCosts, tileGroups } from './tile-costs';

/** Number of features of a tile: its costs in each of the five codes, if they were common to all tiles. */
const features: i32 = codeCount;
/**
 * Index of the counts that follow the features: for red, blue and alpha, the number of symbols that differ from the
 * most frequent one. A code without such symbols takes no bits.
 */
const firstRare: i32 = 5;
const rareCodes: i32 = 3;

/** Allocates a byte for each tile of a band; returns false if there is no memory. */
export function allocateSeeds(tiles: i32): bool {
  rareInTiles = allocate(tiles);
  return rareInTiles !== 0;
}

/**
 * Assigns each tile of a band, all of which are in the first group, to an initial group.
 * @param wanted desired number of groups
 * @returns the number of groups
 */
export function seedGroups(pixels: i32, tiles: i32, wanted: i32): i32 {
  setFeatureCosts();
  sumTileCosts(pixels, tiles);
  return splitGroups(tiles, groupByRareSymbols(tiles), wanted);
}

/** Sets the symbol costs so that sums over tiles are their features. */
function setFeatureCosts(): void {
  setCosts(1);
  for (let code = 0; code < codeCount; code += 1) {
    const first = codeAt(code);
    const stop = first + codeSymbols(code);
    let mostFrequent = first;
    for (let symbol = first; symbol < stop; symbol += 1) {
      if (countOf(symbol) > countOf(mostFrequent)) mostFrequent = symbol;
    }
    for (let symbol = first; symbol < stop; symbol += 1) {
      const costs = costsOf(symbol);
      const cost = load<u16>(costs);
      v128.store(costs, i16x8.splat(0));
      v128.store(costs, i16x8.splat(0), 16);
      store<u16>(costs + (code << 1), cost);
      const isRare = code > 0 && code <= rareCodes && symbol !== mostFrequent;
      if (isRare) store<u16>(costs + ((firstRare + code - 1) << 1), 1);
    }
  }
}

/** Count of a symbol in all tiles, while they are in one group. */
function countOf(symbol: u32): u32 {
  return load<u32>(groups + ((<usize>symbol) << 2));
}

function featureOf(tile: i32, feature: i32): u32 {
  return load<u32>(costsOfTile(tile) + (feature << 2));
}

/** For each tile: mask of red, blue and alpha with a rare symbol. */
export let rareInTiles: usize = 0;
/** The group for each mask. */
const groupOfRare: usize = memory.data(1 << 3);
const none: u8 = 255;

/** Assigns tiles to groups by their codes with rare symbols; returns the number of groups. */
function groupByRareSymbols(tiles: i32): i32 {
  memory.fill(groupOfRare, none, 1 << rareCodes);
  let number = 0;
  for (let tile = 0; tile < tiles; tile += 1) {
    let rare = 0;
    for (let i = 0; i < rareCodes; i += 1) {
      if (featureOf(tile, firstRare + i) !== 0) rare |= 1 << i;
    }
    store<u8>(rareInTiles + tile, <u8>rare);
    if (load<u8>(groupOfRare + rare) === none) {
      store<u8>(groupOfRare + rare, <u8>number);
      number += 1;
    }
    store<u8>(tileGroups + tile, load<u8>(groupOfRare + rare));
  }
  return number;
}

/**
 * For each group: the feature in which its tiles differ most, the sum of squared deviations from its mean, and that
 * mean.
 */
const widest: usize = memory.data(4 * 16, 16);
const spreads: usize = memory.data(8 * 16, 16);
const means: usize = memory.data(8 * 16, 16);
/** Sum and sum of squares of each feature over a group's tiles. */
const sums: usize = memory.data(16 * 5, 16);

/**
 * Splits groups, those whose tiles differ most first, until the desired number is reached.
 * @returns the number of groups
 */
function splitGroups(tiles: i32, number: i32, wanted: i32): i32 {
  for (let group = 0; group < number; group += 1) measureSpread(group, tiles);
  for (; number < wanted; number += 1) {
    let most = 0;
    for (let group = 1; group < number; group += 1) {
      if (spreadOf(group) > spreadOf(most)) most = group;
    }
    if (spreadOf(most) <= 0) break;
    const feature = load<i32>(widest + (most << 2));
    const mean = load<f64>(means + (most << 3));
    for (let tile = 0; tile < tiles; tile += 1) {
      if (load<u8>(tileGroups + tile) !== <u8>most) continue;
      if (<f64>featureOf(tile, feature) > mean) store<u8>(tileGroups + tile, <u8>number);
    }
    measureSpread(most, tiles);
    measureSpread(number, tiles);
  }
  return number;
}

function spreadOf(group: i32): f64 {
  return load<f64>(spreads + (group << 3));
}

function measureSpread(group: i32, tiles: i32): void {
  memory.fill(sums, 0, 16 * features);
  let number: f64 = 0;
  for (let tile = 0; tile < tiles; tile += 1) {
    if (load<u8>(tileGroups + tile) !== <u8>group) continue;
    number += 1;
    const costs = costsOfTile(tile);
    for (let feature = 0; feature < features; feature += 1) {
      const cost = f64x2.splat(<f64>load<u32>(costs + (feature << 2)));
      const at = sums + (feature << 4);
      v128.store(at, f64x2.add(v128.load(at), f64x2.mul(cost, f64x2.replace_lane(cost, 0, 1))));
    }
  }
  store<f64>(spreads + (group << 3), 0);
  if (number === 0) return;
  for (let feature = 0; feature < features; feature += 1) {
    const sum = load<f64>(sums + (feature << 4));
    const spread = load<f64>(sums + (feature << 4), 8) - (sum * sum) / number;
    if (spread <= spreadOf(group)) continue;
    store<f64>(spreads + (group << 3), spread);
    store<f64>(means + (group << 3), sum / number);
    store<i32>(widest + (group << 2), feature);
  }
}
