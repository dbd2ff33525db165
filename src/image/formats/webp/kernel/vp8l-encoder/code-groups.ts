/**
 * Groups of codes for the tiles of a band (RFC 9649 §6.2.2), each for tiles whose symbols occur about as often. Tiles
 * move to the group whose codes suit them best, some rounds long (Lloyd's algorithm); then groups join.
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

/** Pixels and tokens of a band for each of its groups in the beginning: stating codes takes bits, too. */
const pixelsOfGroup: i32 = 4096;
const tokensOfGroup: i32 = 1536;
const rounds: i32 = 4;

/** For each group which codes have rare symbols in its tiles. */
const rareInGroups: usize = memory.data(16);

/** Allocates what groups of a band's tiles take; false if there is no room. */
export function allocateGroups(tiles: i32): bool {
  return allocateTileCosts(tiles) && allocateSeeds(tiles);
}

/**
 * Finds groups for a band.
 * @param most groups that it may have
 * @returns how many there are
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

/** Tokens of the first group: each has one symbol of green. */
function tokensOfFirst(): i32 {
  let tokens = 0;
  for (let symbol = <i32>greenAt; symbol < groupSymbols; symbol += 1) {
    tokens += load<i32>(groups + ((<usize>symbol) << 2));
  }
  return tokens;
}

/** Notes which codes of each group have rare symbols. */
function noteRare(tiles: i32): void {
  memory.fill(rareInGroups, 0, 16);
  for (let tile = 0; tile < tiles; tile += 1) {
    const at = rareInGroups + load<u8>(tileGroups + tile);
    store<u8>(at, load<u8>(at) | load<u8>(rareInTiles + tile));
  }
}

/** Gives each tile to the group where it takes least, of those that have the rare symbols that it has. */
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
    // a tile without a token, in the middle of a reference, follows the one before
    const before = tile > 0 ? load<u8>(tileGroups + tile - 1) : 0;
    store<u8>(tileGroups + tile, least === 0 ? before : <u8>best);
  }
}
