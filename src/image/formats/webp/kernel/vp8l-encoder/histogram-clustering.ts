/**
 * Clusters the tiles of a band into groups of codes (RFC 9649 §6.2.2) by similar symbol statistics. Tiles are moved to
 * the cheapest group in a few rounds of Lloyd's algorithm; then groups are joined.
 */
import { joinGroups } from './group-joins';
import { allocateSeeds, rareInTiles, seedGroups } from './group-seeds';
import { greenAt, groupSymbols } from './symbols';
import {
  allocateTileCosts,
  costsOfTile,
  countGroups,
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

/**
 * Finds the groups of a band.
 * @param most maximum number of groups
 * @returns the number of groups
 */
export function findGroups(pixels: i32, tiles: i32, most: i32): i32 {
  let number = max(1, min(most, min(tiles, pixels / pixelsOfGroup)));
  memory.fill(tileGroups, 0, tiles);
  countGroups(pixels, 1);
  number = max(1, min(number, tokensOfFirst() / tokensOfGroup));
  if (number === 1) return 1;
  number = seedGroups(pixels, tiles, number);
  countGroups(pixels, number);
  for (let round = 0; round < rounds; round += 1) {
    setCosts(number);
    sumTileCosts(pixels, tiles);
    noteRare(tiles);
    assignTiles(tiles, number);
    countGroups(pixels, number);
  }
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
