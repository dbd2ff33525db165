/**
 * Clusters the tiles of a band into groups of codes (RFC 9649 §6.2.2) by similar symbol statistics. Tiles are moved to
 * the cheapest group in a few rounds of Lloyd's algorithm; then groups are joined.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import {
  addHistogram,
  codeAt,
  codeCount,
  codeSymbols,
  greenAt,
  groupSymbols,
  histogramBits,
  joinedBits,
} from './histograms';
import {
  allocateTileCosts,
  costsOf,
  costsOfTile,
  countGroups,
  groupAt,
  groups,
  setCosts,
  sumTileCosts,
  tileGroups,
} from './tile-costs';

/** Minimum pixels and tokens of a band per initial group, because writing codes takes bits, too. */
const pixelsOfGroup: i32 = 4096;
const tokensOfGroup: i32 = 1536;
const rounds: i32 = 4;

/** For each group: mask of the codes with rare symbols in its tiles. */
const rareInGroups: usize = memory.data(16);

/** Allocates the memory for clustering a band's tiles; returns false if there is none. */
export function allocateGroups(tiles: i32): bool {
  return allocateTileCosts(tiles) && allocateSeeds(tiles);
}

/** Number of groups so far, and of rounds that remain. */
let number: i32 = 0;
let roundsLeft: i32 = 0;

/**
 * Begins to find the groups of a band.
 * @param most maximum number of groups
 */
export function beginGroups(pixels: i32, tiles: i32, most: i32): void {
  number = max(1, min(most, min(tiles, pixels / pixelsOfGroup)));
  memory.fill(tileGroups, 0, tiles);
  countGroups(pixels, 1);
  number = max(1, min(number, tokensOfFirst() / tokensOfGroup));
  roundsLeft = 0;
  if (number === 1) return;
  number = seedGroups(pixels, tiles, number);
  countGroups(pixels, number);
  roundsLeft = rounds;
}

/** Moves tiles to cheaper groups in one round; returns whether there was one left. */
export function moveTiles(pixels: i32, tiles: i32): bool {
  if (roundsLeft === 0) return false;
  roundsLeft -= 1;
  setCosts(number);
  sumTileCosts(pixels, tiles);
  noteRare(tiles);
  assignTiles(tiles, number);
  countGroups(pixels, number);
  return true;
}

/** Ends the search after the last round; returns the number of groups. */
export function finishGroups(tiles: i32): i32 {
  return joinGroups(number, tiles);
}

/** Number of tokens in the first group: each has one green symbol. */
function tokensOfFirst(): i32 {
  let tokens = 0;
  for (let symbol = <i32>greenAt; symbol < groupSymbols; symbol += 1) {
    tokens += load<i32>(groups + ((<usize>symbol) << 2));
  }
  return tokens;
}

/** Records which codes of each group have rare symbols. */
function noteRare(tiles: i32): void {
  memory.fill(rareInGroups, 0, 16);
  for (let tile = 0; tile < tiles; tile += 1) {
    const at = rareInGroups + load<u8>(tileGroups + tile);
    store<u8>(at, load<u8>(at) | load<u8>(rareInTiles + tile));
  }
}

/** Assigns each tile to the cheapest group among those that have its rare symbols. */
function assignTiles(tiles: i32, number: i32): void {
  for (let tile = 0; tile < tiles; tile += 1) {
    const sums = costsOfTile(tile);
    const rare = load<u8>(rareInTiles + tile);
    let best = 0;
    let least = u32.MAX_VALUE;
    for (let group = 0; group < number; group += 1) {
      const cost = load<u32>(sums + (group << 2));
      if (cost >= least || (rare & ~load<u8>(rareInGroups + group)) !== 0) continue;
      least = cost;
      best = group;
    }
    // A tile without tokens, inside a reference, gets the group of the previous one.
    const before = tile > 0 ? load<u8>(tileGroups + tile - 1) : 0;
    store<u8>(tileGroups + tile, least === 0 ? before : <u8>best);
  }
}

// Initial groups of tiles: separated by which codes have only one symbol, which takes no bits, then by their costs with
// a common code.

/** Number of features of a tile: its costs in each of the five codes, if they were common to all tiles. */
const features: i32 = codeCount;
/**
 * Index of the counts that follow the features: for red, blue and alpha, the number of symbols that differ from the
 * most frequent one. A code without such symbols takes no bits.
 */
const firstRare: i32 = 5;
const rareCodes: i32 = 3;

/** Allocates a byte for each tile of a band; returns false if there is no memory. */
function allocateSeeds(tiles: i32): bool {
  rareInTiles = allocate(tiles);
  return rareInTiles !== 0;
}

/**
 * Assigns each tile of a band, all of which are in the first group, to an initial group.
 * @param wanted desired number of groups
 * @returns the number of groups
 */
function seedGroups(pixels: i32, tiles: i32, wanted: i32): i32 {
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
let rareInTiles: usize = 0;
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

// Joins groups of codes if one code, including its description, takes fewer bits than two.

/** Bits of each group, f32. */
const groupBits: usize = memory.data(4 * 16, 16);
/** Gain of joining each pair of groups, f32; the group that each one has been merged into. */
const gains: usize = memory.data(4 * 16 * 16, 16);
const names: usize = memory.data(16);

/** Joins groups as long as that saves bits; returns the number of remaining groups. */
function joinGroups(number: i32, tiles: i32): i32 {
  for (let group = 0; group < number; group += 1) {
    store<u8>(names + group, <u8>group);
    setBits(group, histogramBits(groupAt(group)));
  }
  for (let a = 0; a < number; a += 1) {
    for (let b = a + 1; b < number; b += 1) weighPair(a, b);
  }
  for (;;) {
    let first = -1;
    let second = 0;
    let gain: f32 = 0;
    for (let a = 0; a < number; a += 1) {
      for (let b = a + 1; b < number; b += 1) {
        if (!isLeft(a) || !isLeft(b) || load<f32>(gainAt(a, b)) <= gain) continue;
        gain = load<f32>(gainAt(a, b));
        first = a;
        second = b;
      }
    }
    if (first < 0) break;
    addHistogram(groupAt(first), groupAt(second));
    setBits(first, histogramBits(groupAt(first)));
    for (let group = 0; group < number; group += 1) {
      if (load<u8>(names + group) === <u8>second) store<u8>(names + group, <u8>first);
    }
    for (let other = 0; other < number; other += 1) {
      if (other !== first && isLeft(other)) weighPair(min(first, other), max(first, other));
    }
  }
  return renumber(number, tiles);
}

function gainAt(a: i32, b: i32): usize {
  return gains + (((a << 4) + b) << 2);
}

/** Whether a group has not been merged into another one. */
function isLeft(group: i32): bool {
  return load<u8>(names + group) === <u8>group;
}

function setBits(group: i32, bits: f32): void {
  store<f32>(groupBits + (group << 2), bits);
}

function weighPair(a: i32, b: i32): void {
  const apart = load<f32>(groupBits + (a << 2)) + load<f32>(groupBits + (b << 2));
  store<f32>(gainAt(a, b), apart - joinedBits(groupAt(a), groupAt(b)));
}

/** Renumbers the remaining groups without gaps, and moves their histograms. */
function renumber(number: i32, tiles: i32): i32 {
  let left = 0;
  for (let group = 0; group < number; group += 1) {
    if (!isLeft(group)) continue;
    for (let other = group; other < number; other += 1) {
      // The highest bit marks final numbers.
      if (load<u8>(names + other) === <u8>group) store<u8>(names + other, <u8>(left | 128));
    }
    if (left < group) memory.copy(groupAt(left), groupAt(group), (<usize>groupSymbols) << 2);
    left += 1;
  }
  for (let tile = 0; tile < tiles; tile += 1) {
    const at = tileGroups + tile;
    store<u8>(at, load<u8>(names + load<u8>(at)) & 127);
  }
  return left;
}
