/**
 * Costs of each tile's tokens with the codes of each group: counts of symbols in groups, costs of symbols, and their
 * sums over tiles, for sixteen groups at a time.
 */
import { logarithm } from '../../../../wasm/assembly/logarithms';
import { allocate } from '../../../../wasm/assembly/memory';
import {
  alphaAt,
  blueAt,
  codeAt,
  codeCount,
  codeSymbols,
  distanceAt,
  entryOf,
  firstEntry,
  firstLength,
  greenAt,
  groupSymbols,
  histogramBytes,
  maxSymbols,
  prefixSymbol,
  redAt,
} from './histograms';
import { bandAt, lengthBits, maxLength } from './match-finder';
import { cachedBit, choices } from './parser';
import { countTokens } from './tokens';

/** Maximum number of groups in a band, so that the costs of a symbol fit into two vectors. */
export const maxGroups: i32 = 16;

/** Count of each symbol in the tiles of each group. */
export let groups: usize = 0;
/** Cost of each symbol in each group, u16 in 64ths of a bit. */
let symbolCosts: usize = 0;
/** Cost of each tile in each group, u32. */
let tileCosts: usize = 0;
const tileBytes: usize = 4 * maxGroups;
/** Group of each tile, u8. */
export let tileGroups: usize = 0;

let width: i32 = 0;
let sideBits: i32 = 0;
let across: i32 = 0;

/**
 * Allocates 65 bytes for each tile of a band, and a histogram and costs for each group.
 * @returns false if there is no memory
 */
export function allocateTileCosts(tiles: i32): bool {
  groups = allocate(histogramBytes * maxGroups);
  symbolCosts = allocate(<usize>maxSymbols * 2 * maxGroups);
  tileCosts = allocate(tileBytes * tiles);
  tileGroups = allocate(tiles);
  return groups !== 0 && symbolCosts !== 0 && tileCosts !== 0 && tileGroups !== 0;
}

/** Pointer to the histogram of a group. */
export function groupAt(group: i32): usize {
  return groups + histogramBytes * group;
}

/** Pointer to the costs of a tile in each group, u32. */
export function costsOfTile(tile: i32): usize {
  return tileCosts + tileBytes * tile;
}

/** Sets the width of coded rows, and the tile side, 2^`tileBits`. */
export function setGroupTiles(columns: i32, tileBits: i32): void {
  width = columns;
  sideBits = tileBits;
  across = (columns + (1 << tileBits) - 1) >> tileBits;
}

/** Number of tiles in this many rows of the picture. */
export function tilesOf(rows: i32): i32 {
  return across * ((rows + (1 << sideBits) - 1) >> sideBits);
}

/** Counts the symbols of each group. */
export function countGroups(pixels: i32, number: i32): void {
  memory.fill(groups, 0, histogramBytes * number);
  for (let i = 0; i < pixels; ) {
    const tile = tileAt(i);
    const counts = groupAt(load<u8>(tileGroups + tile));
    i = countTokens(i, tileStop, counts);
  }
}

/** End, in the same row, of the last tile returned by `tileAt`. */
export let tileStop: i32 = 0;

/** The tile of pixel `i` of the band. */
export function tileAt(i: i32): i32 {
  const y = i / width;
  const x = i - y * width;
  const column = x >> sideBits;
  tileStop = i - x + min(width, (column + 1) << sideBits);
  return (y >> sideBits) * across + column;
}

/** Computes the costs of each tile in each group. */
export function sumTileCosts(pixels: i32, tiles: i32): void {
  memory.fill(tileCosts, 0, tileBytes * tiles);
  for (let i = 0; i < pixels; ) {
    const sums = costsOfTile(tileAt(i));
    let low = i16x8.splat(0);
    let high = low;
    for (let waiting = 0; i < tileStop; ) {
      const token = load<u32>(choices + ((<usize>i) << 2));
      const match = token & ~cachedBit;
      if (match !== 0) {
        const length = match & maxLength;
        const first = costsOf(greenAt + firstLength + prefixSymbol(length));
        const second = costsOf(distanceAt + prefixSymbol(match >> lengthBits));
        low = i16x8.add(low, i16x8.add(v128.load(first), v128.load(second)));
        high = i16x8.add(high, i16x8.add(v128.load(first, 16), v128.load(second, 16)));
        i += <i32>length;
      } else {
        const color = load<u32>(bandAt + ((<usize>i) << 2));
        if (token !== 0) {
          const entry = costsOf(greenAt + firstEntry + entryOf(color));
          low = i16x8.add(low, v128.load(entry));
          high = i16x8.add(high, v128.load(entry, 16));
        } else {
          const green = costsOf(greenAt + ((color >> 8) & 255));
          const red = costsOf(redAt + ((color >> 16) & 255));
          const blue = costsOf(blueAt + (color & 255));
          const alpha = costsOf(alphaAt + (color >> 24));
          low = i16x8.add(low, i16x8.add(v128.load(green), v128.load(red)));
          low = i16x8.add(low, i16x8.add(v128.load(blue), v128.load(alpha)));
          high = i16x8.add(high, i16x8.add(v128.load(green, 16), v128.load(red, 16)));
          high = i16x8.add(high, i16x8.add(v128.load(blue, 16), v128.load(alpha, 16)));
        }
        i += 1;
      }
      waiting += 1;
      if (waiting === 15) {
        addCosts(sums, low, high);
        low = i16x8.splat(0);
        high = low;
        waiting = 0;
      }
    }
    addCosts(sums, low, high);
  }
}

/** Pointer to the costs of a symbol in each group. */
export function costsOf(symbol: u32): usize {
  return symbolCosts + ((<usize>symbol) << 5);
}

function addCosts(sums: usize, low: v128, high: v128): void {
  addFour(sums, i32x4.extend_low_i16x8_u(low));
  addFour(sums + 16, i32x4.extend_high_i16x8_u(low));
  addFour(sums + 32, i32x4.extend_low_i16x8_u(high));
  addFour(sums + 48, i32x4.extend_high_i16x8_u(high));
}

function addFour(at: usize, costs: v128): void {
  v128.store(at, i32x4.add(v128.load(at), costs));
}

const bit: f32 = 64;
const oneBit: i32 = 64;
/** Cost of a symbol that does not occur in a group: 16 bits. */
const unseenCost: u16 = 1024;

/** Computes the costs of symbols in the first `number` groups. */
export function setCosts(number: i32): void {
  const unseen = i16x8.splat(unseenCost);
  const end = symbolCosts + ((<usize>groupSymbols) << 5);
  for (let at = symbolCosts; at < end; at += 16) v128.store(at, unseen);
  for (let group = 0; group < number; group += 1) {
    for (let code = 0; code < codeCount; code += 1) setCodeCosts(group, code);
  }
}

/** Computes the costs of a code's symbols that occur in a group. */
function setCodeCosts(group: i32, code: i32): void {
  const counts = groupAt(group);
  const first = codeAt(code);
  const stop = first + codeSymbols(code);
  let total: u32 = 0;
  for (let symbol = first; symbol < stop; symbol += 4) {
    const four = v128.load(counts + ((<usize>symbol) << 2));
    total += i32x4.extract_lane(four, 0) + i32x4.extract_lane(four, 1);
    total += i32x4.extract_lane(four, 2) + i32x4.extract_lane(four, 3);
  }
  const whole = logarithm(total);
  for (let symbol = first; symbol < stop; symbol += 1) {
    const count = load<u32>(counts + ((<usize>symbol) << 2));
    if (count === 0) continue;
    // In a code with more than one symbol, each takes at least one bit.
    const bits = min(<i32>((whole - logarithm(count)) * bit), unseenCost - 1);
    store<u16>(costsOf(symbol) + (group << 1), <u16>(count === total ? 0 : max(oneBit, bits)));
  }
}
