/**
 * The grid of blocks in a frame, which is that of the component with the highest resolution; subsampled components have
 * every second block horizontally, vertically or both. The grid consists of whole MCUs. Blocks that a component lacks
 * there repeat the DC of its last row and column, without AC.
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

/** Number of components of a frame, luma first; chroma of a gray picture is zero. */
export const componentsCoded: i32 = 3;
/** Side of a group (256 pixels) and of a low-frequency group (2048 pixels), in blocks. */
export const groupSide: i32 = 32;
export const lowGroupSide: i32 = 256;

/** Number of blocks in a row of the grid. */
export function gridAcross(): i32 {
  return mcusAcross(coded) * maxHorizontal(coded);
}

/** Number of rows of blocks in the grid. */
export function gridDown(): i32 {
  return mcusDown(coded) * maxVertical(coded);
}

/** Number of groups in a row. */
export function groupsAcross(): i32 {
  return (gridAcross() + groupSide - 1) / groupSide;
}

/** Number of rows of groups. */
export function groupsDown(): i32 {
  return (gridDown() + groupSide - 1) / groupSide;
}

/** Whether the picture has this component, unlike chroma of a gray picture. */
export function isThere(c: i32): bool {
  return c < componentCount(coded);
}

/** log2 of the horizontal subsampling of a component: 0 or 1. */
export function shiftAcross(c: i32): i32 {
  return isThere(c) ? <i32>(horizontal(coded, c) < maxHorizontal(coded)) : 0;
}

/** log2 of the vertical subsampling of a component: 0 or 1. */
export function shiftDown(c: i32): i32 {
  return isThere(c) ? <i32>(vertical(coded, c) < maxVertical(coded)) : 0;
}

/** Whether a component has this block; the grid may extend beyond it. */
export function hasBlock(c: i32, x: i32, y: i32): bool {
  return x < blocksAcross(coded, c) && y < blocksDown(coded, c);
}
