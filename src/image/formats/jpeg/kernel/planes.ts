/**
 * Storage of all coefficients of a progressive picture, whose scans refine them (ITU-T T.81 annex G).
 *
 * Each component has planes of the DC of its blocks as i16, of the low bytes of all coefficients, and of pointers to
 * high bytes, which are allocated only for the few blocks in which a coefficient does not fit in a byte: 70 bytes per
 * block instead of 128.
 */
import { allocate, allocateLarge } from '../../../wasm/assembly/memory';
import {
  blockRow,
  blocksAcross,
  blocksOf,
  coded,
  componentCount,
  frameBlocks,
  source,
} from './frame';

/** For each component: pointers to its three planes, 16 bytes. */
const planes: usize = memory.data(64);
/** Number of high bytes of a block. */
const highBytes: usize = 64;

/** Allocates the planes of the source's components; false if memory runs out. */
export function allocatePlanes(): bool {
  for (let c = 0; c < componentCount(source); c += 1) {
    // 64 bytes per block come to 2^32 for the largest picture
    const blocks = <u64>blocksOf(source, c);
    const at = planes + (c << 4);
    store<usize>(at, allocateLarge(blocks << 1), 0);
    store<usize>(at, allocateLarge(blocks << 6), 4);
    store<usize>(at, allocateLarge(blocks << 2), 8);
    if (load<usize>(at, 0) === 0 || load<usize>(at, 4) === 0 || load<usize>(at, 8) === 0) {
      return false;
    }
  }
  return true;
}

/** Total size of the high bytes in bytes if every block has them, an integer. */
export function maxHighBytes(): f64 {
  return <f64>frameBlocks(source) * <f64>highBytes;
}

/** Plane of the DC coefficients of a component, i16, in rows of `blocksAcross`. */
export function dcPlane(c: i32): usize {
  return load<usize>(planes + (c << 4), 0);
}

/** Plane of the low bytes of a component's blocks, 64 per block in zigzag order. */
export function lowPlane(c: i32): usize {
  return load<usize>(planes + (c << 4), 4);
}

/** Plane of pointers from each block of a component to its 64 high bytes; 0 for none. */
export function highPlane(c: i32): usize {
  return load<usize>(planes + (c << 4), 8);
}

/**
 * AC coefficient `k` of a block.
 * @param low pointer to the block's low bytes
 * @param high pointer to the block's entry in the plane of high bytes
 */
export function coefficient(low: usize, high: usize, k: i32): i32 {
  const highs = load<usize>(high);
  if (highs === 0) return load<i8>(low + k);
  return ((<i32>load<i8>(highs + k)) << 8) | <i32>load<u8>(low + k);
}

/** Mask of the nonzero AC coefficients of a block: bit `k` for coefficient `k`; bit 0 has no meaning. */
export function nonzero(low: usize, high: usize): u64 {
  const highs = load<usize>(high);
  let zeros: u64 = 0;
  for (let k = 0; k < 64; k += 16) {
    const lows = v128.load(low + k);
    const bytes = highs === 0 ? lows : v128.or(lows, v128.load(highs + k));
    zeros |= (<u64>i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0)))) << k;
  }
  return ~zeros;
}

/** Sets AC coefficient `k` of a block; false if memory for high bytes runs out. */
export function setCoefficient(low: usize, high: usize, k: i32, value: i32): bool {
  let highs = load<usize>(high);
  if (highs === 0) {
    if (value === <i32>(<i8>value)) {
      store<i8>(low + k, <i8>value);
      return true;
    }
    highs = allocate(highBytes);
    if (highs === 0) return false;
    store<usize>(high, highs);
    for (let i = 0; i < 64; i += 16) {
      v128.store(highs + i, i8x16.shr_s(v128.load(low + i), 7));
    }
  }
  store<u8>(low + k, <u8>value);
  store<i8>(highs + k, <i8>(value >> 8));
  return true;
}

/** Copies row `y` of a component's blocks, in the geometry of `frame`, to `to` as 64 × i16 each. */
function expand(frame: i32, c: i32, y: i32, to: usize): void {
  const across = blocksAcross(frame, c);
  const first = y * across;
  let dc = dcPlane(c) + (first << 1);
  let low = lowPlane(c) + (first << 6);
  let high = highPlane(c) + (first << 2);
  for (let x = 0; x < across; x += 1) {
    const highs = load<usize>(high);
    for (let k = 0; k < 64; k += 16) {
      const lows = v128.load(low + k);
      const tops = highs === 0 ? i8x16.shr_s(lows, 7) : v128.load(highs + k);
      v128.store(
        to + (k << 1),
        i8x16.shuffle(lows, tops, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
      );
      v128.store(
        to + (k << 1) + 16,
        i8x16.shuffle(lows, tops, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31),
      );
    }
    store<i16>(to, load<i16>(dc));
    dc += 2;
    low += 64;
    high += 4;
    to += 128;
  }
}

/** Copies row `y` of a component's blocks, in the geometry of the coded frame, to `to` as 64 × i16 each. */
export function expandRow(c: i32, y: i32, to: usize): void {
  expand(coded, c, y, to);
}

/** Copies row `y` of a component's blocks to row `rowInMcu` of the source frame's MCU row. */
export function loadRow(c: i32, y: i32, rowInMcu: i32): void {
  expand(source, c, y, blockRow(source, c, rowInMcu));
}

/**
 * Stores row `y` of a component's blocks, in the geometry of the coded frame. It replaces source blocks that have
 * already been used: the coded frame never has more blocks than the source, so unused ones are not overwritten.
 * @returns false if memory for high bytes runs out
 */
export function storeRow(c: i32, y: i32, blocks: usize): bool {
  const across = blocksAcross(coded, c);
  const first = y * across;
  let dc = dcPlane(c) + (first << 1);
  let low = lowPlane(c) + (first << 6);
  let high = highPlane(c) + (first << 2);
  for (let x = 0; x < across; x += 1) {
    store<i16>(dc, load<i16>(blocks));
    for (let k = 1; k < 64; k += 1) {
      if (!setCoefficient(low, high, k, load<i16>(blocks + (k << 1)))) return false;
    }
    dc += 2;
    low += 64;
    high += 4;
    blocks += 128;
  }
  return true;
}
