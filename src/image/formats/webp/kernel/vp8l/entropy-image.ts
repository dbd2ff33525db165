/** The entropy image, which maps tiles to prefix code groups (RFC 9649 §6.2.2). */
import { allocate } from '../../../../wasm/assembly/memory';
import { takeBits } from './bit-reader';
import { readGroups } from './code-groups';
import { outOfMemory, sound } from './status';
import { readTiles, redGreen, tilesOver } from './tile-images';
import { allocateTiles } from './transforms';

/** The group of each tile, u16; a null pointer if the picture has one group. Tile sides are 2^`sideBits`. */
export let tileGroups: usize = 0;
export let sideBits: u32 = 0;

/**
 * Reads the entropy image, if there is one, and all groups of codes. Used groups are renumbered in the order of their
 * first use.
 *
 * @returns a status of status.ts
 */
export function readCodes(width: u32, height: u32, cacheColors: i32): i32 {
  tileGroups = 0;
  if (!takeBits(1)) return readGroups(1, 0, 1, cacheColors);
  sideBits = takeBits(3) + 2;
  const columns = tilesOver(width, sideBits);
  const rows = tilesOver(height, sideBits);
  tileGroups = allocateTiles(width, height, sideBits, redGreen);
  if (tileGroups === 0) return outOfMemory;
  const status = readTiles(columns, rows, redGreen, tileGroups);
  if (status !== sound) return status;

  const end = tileGroups + ((<usize>(columns * rows)) << 1);
  let most: u32 = 0;
  for (let at = tileGroups; at < end; at += 2) most = max(most, load<u16>(at));
  const numbers = allocate((<usize>(most + 1)) << 2);
  if (numbers === 0) return outOfMemory;
  let used: u32 = 0;
  for (let at = tileGroups; at < end; at += 2) {
    const number = numbers + ((<usize>load<u16>(at)) << 2);
    if (load<u32>(number) === 0) {
      used += 1;
      store<u32>(number, used);
    }
    store<u16>(at, <u16>(load<u32>(number) - 1));
  }
  return readGroups(most + 1, numbers, used, cacheColors);
}
