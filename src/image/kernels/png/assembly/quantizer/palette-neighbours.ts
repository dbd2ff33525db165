/**
 * A quicker search among the palette, for pixels whose entry is likely to be that of
 * a neighbour or one close to it: entries around a guess by their distance to it, the
 * nearest first. One that is twice as far from the guess as the pixel is cannot be
 * nearer to the pixel, so the search ends there, and what it finds is the nearest of all.
 */
import { colorAt } from './color-table';
import { fourDistances, leastWhere } from './four-points';
import { nearestInPalette, paletteCount, palettePoint } from './palette';
import { squaredDistance } from './vectors';

/** Neighbours of each entry that are kept, in blocks of four. */
const kept: i32 = 32;
/** Of a block: coordinates by axis, 4 × f32x4; indices i32x4; a quarter of the first's squared distance, f32. */
const blockBytes: usize = 96;
const listBytes: usize = 8 * blockBytes;
/** One point, to take its coordinates apart. */
const scratch: usize = memory.data(16, 16);
/** Neighbours while they are sorted: squared distance f32 and index i32. */
const sorted: usize = memory.data(33 * 8, 4);

/** Where the lists lie: in the memory of the picture's colours, which are not needed any more. */
function listOf(entry: i32): usize {
  return colorAt(0) + <usize>entry * listBytes;
}

/** To be called when the palette is final; the table of colours is gone afterwards. */
export function preparePaletteNeighbours(): void {
  for (let i = 0; i < paletteCount(); i += 1) writeList(i, sortNeighbours(i));
}

/** @returns number of neighbours in `sorted` */
function sortNeighbours(entry: i32): i32 {
  let count = 0;
  for (let j = 0; j < paletteCount(); j += 1) {
    if (j === entry) continue;
    const distance = squaredDistance(palettePoint(entry), palettePoint(j));
    if (count === kept && distance >= load<f32>(sorted + ((<usize>kept - 1) << 3))) continue;
    let at = sorted + ((<usize>count) << 3);
    while (at > sorted && load<f32>(at - 8) > distance) {
      store<u64>(at, load<u64>(at - 8));
      at -= 8;
    }
    store<f32>(at, distance);
    store<i32>(at, j, 4);
    count = min(count + 1, kept);
  }
  return count;
}

function writeList(entry: i32, count: i32): void {
  for (let i = 0; i < kept; i += 1) {
    const block = listOf(entry) + (<usize>i >> 2) * blockBytes;
    const lane = (<usize>i & 3) << 2;
    const neighbour = sorted + ((<usize>i) << 3);
    const index = i < count ? load<i32>(neighbour, 4) : entry;
    v128.store(scratch, palettePoint(index));
    for (let axis: usize = 0; axis < 4; axis += 1) {
      store<f32>(block + (axis << 4) + lane, load<f32>(scratch + (axis << 2)));
    }
    store<i32>(block + 64 + lane, index);
    if (lane === 0) {
      store<f32>(block, i < count ? 0.25 * load<f32>(neighbour) : f32.MAX_VALUE, 80);
    }
  }
}

/** The nearest entry. @param guess an entry that is likely to be near */
export function nearestBeside(point: v128, guess: i32): i32 {
  const distance = squaredDistance(point, palettePoint(guess));
  let block = listOf(guess);
  if (distance <= load<f32>(block, 80)) return guess;
  const p0 = v128.shuffle<f32>(point, point, 0, 0, 0, 0);
  const p1 = v128.shuffle<f32>(point, point, 1, 1, 1, 1);
  const p2 = v128.shuffle<f32>(point, point, 2, 2, 2, 2);
  const p3 = v128.shuffle<f32>(point, point, 3, 3, 3, 3);
  let least = f32x4.splat(distance);
  let where = i32x4.splat(guess);
  const end = block + listBytes;
  while (load<f32>(block, 80) < distance) {
    const sum = fourDistances(p0, p1, p2, p3, block);
    where = v128.bitselect(v128.load(block, 64), where, f32x4.lt(sum, least));
    least = f32x4.pmin(least, sum);
    block += blockBytes;
    if (block === end) return nearestInPalette(point, guess);
  }
  return leastWhere(least, where);
}
