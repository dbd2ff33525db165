/**
 * How blocks lie in a frame: on the grid of the finest component, of which the coarser ones have every second block, across,
 * down or both. The grid has whole MCUs; what a component lacks there repeats its last row and column, without detail.
 */
import {
  blocksAcross,
  blocksDown,
  coded,
  componentCount,
  horizontal,
  maxHorizontal,
  maxVertical,
  mcusAcross,
  mcusDown,
  vertical,
} from '../../jpeg/kernel/frame';

/** A frame always has three components, luma first; those that a gray picture lacks are zero. */
export const componentsCoded: i32 = 3;
/** Blocks along the side of a group (256 pixels), and of a group of its low frequencies (2048). */
export const groupSide: i32 = 32;
export const lowGroupSide: i32 = 256;

/** Blocks in a row of the grid. */
export function gridAcross(): i32 {
  return mcusAcross(coded) * maxHorizontal(coded);
}

/** Rows of blocks in the grid. */
export function gridDown(): i32 {
  return mcusDown(coded) * maxVertical(coded);
}

/** Groups in a row of them. */
export function groupsAcross(): i32 {
  return (gridAcross() + groupSide - 1) / groupSide;
}

/** Rows of groups. */
export function groupsDown(): i32 {
  return (gridDown() + groupSide - 1) / groupSide;
}

/** Whether a picture has a component, or it stands for one that it lacks. */
export function isThere(c: i32): bool {
  return c < componentCount(coded);
}

/** How often a component halves the columns of the grid: 0 or 1. */
export function shiftAcross(c: i32): i32 {
  return isThere(c) ? <i32>(horizontal(coded, c) < maxHorizontal(coded)) : 0;
}

/** How often a component halves the rows of the grid: 0 or 1. */
export function shiftDown(c: i32): i32 {
  return isThere(c) ? <i32>(vertical(coded, c) < maxVertical(coded)) : 0;
}

/** Whether a component has a block there; otherwise the grid alone goes on. */
export function hasBlock(c: i32, x: i32, y: i32): bool {
  return x < blocksAcross(coded, c) && y < blocksDown(coded, c);
}
