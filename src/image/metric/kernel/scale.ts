/**
 * A scale of both pictures: linear rows come from the top, those that maps look at are kept in XYB, and pairs of
 * them become rows of the next scale.
 */
import { allocate } from '../../wasm/assembly/memory';
import { blurRadius } from './blur';

/** Rows of maps that are made at once, where so many are left. */
export const batchRows: i32 = 8;
/** Rows of XYB that are kept, a power of two: what a batch looks at. */
export const ringRows: i32 = 16;
/** Red, green and blue, or X, Y and B, of two pictures. */
export const planes: i32 = 6;
/** Columns that wide loads and stores may reach beyond a row. */
const reach: i32 = 8;

@unmanaged
export class Scale {
  /** In pixels. */
  width: i32;
  height: i32;
  /** What maps are made of, in pixels of this scale. */
  left: i32;
  top: i32;
  right: i32;
  bottom: i32;
  /** Columns kept in XYB: those of the maps, and what their windows reach over. */
  firstColumn: i32;
  endColumn: i32;
  /** Linear rows that have come. */
  rows: i32;
  /** Rows of the picture above the first whose maps have not been made. */
  mapped: i32;
  /** The linear row that has come last: red, green and blue of the reference, then of the coded picture. */
  linear: usize;
  /** Bytes from plane to plane of it. */
  linearStride: usize;
  /** Rows in XYB, each by planes: X of the reference, of the coded picture, then Y and B likewise. */
  ring: usize;
  /** Bytes from plane to plane of them. */
  ringStride: usize;
  /** Where the errors are summed up, see `error-maps.ts`. */
  sums: usize;
}

/** Sets a scale up of which nothing has come; false if there is no room. */
export function beginScale(
  scale: Scale,
  width: i32,
  height: i32,
  left: i32,
  top: i32,
  right: i32,
  bottom: i32,
): bool {
  scale.width = width;
  scale.height = height;
  scale.left = left;
  scale.top = top;
  scale.right = right;
  scale.bottom = bottom;
  scale.firstColumn = max(0, left - blurRadius);
  scale.endColumn = min(width, right + blurRadius);
  scale.rows = 0;
  scale.mapped = top;
  scale.linearStride = planeBytes(width);
  scale.linear = allocate(scale.linearStride * planes);
  scale.ringStride = planeBytes(scale.endColumn - scale.firstColumn);
  scale.ring = allocate(scale.ringStride * planes * ringRows);
  return scale.linear !== 0 && scale.ring !== 0;
}

function planeBytes(columns: i32): usize {
  return (<usize>(columns + reach + 3) & ~3) << 2;
}

/** Whether maps look at this row. */
export function isLookedAt(scale: Scale, row: i32): bool {
  return row >= scale.top - blurRadius && row < scale.bottom + blurRadius;
}

/** The planes in XYB of a row. */
export function ringRow(scale: Scale, row: i32): usize {
  return scale.ring + <usize>(row & (ringRows - 1)) * planes * scale.ringStride;
}

/** Rows of maps that can be made now, at most a batch; 0: not yet, or no more. */
export function rowsToMap(scale: Scale): i32 {
  const wanted = min(batchRows, scale.bottom - scale.mapped);
  const lastLookedAt = min(scale.mapped + wanted + blurRadius, scale.height);
  return scale.rows >= lastLookedAt ? wanted : 0;
}

/**
 * Takes the row that has come last into the next scale: means of 2 × 2 linear samples, of which the last are
 * repeated where a side is odd.
 * @returns whether a row of the next scale is complete
 */
export function halveRow(from: Scale, to: Scale): bool {
  const isSecond = (from.rows & 1) === 0;
  const isAlone = !isSecond && from.rows === from.height;
  const share = f32x4.splat(isAlone ? 0.5 : 0.25);
  for (let plane = 0; plane < planes; plane += 1) {
    const source = from.linear + <usize>plane * from.linearStride;
    const target = to.linear + <usize>plane * to.linearStride;
    const end = source + ((<usize>from.width) << 2);
    if (from.width & 1) store<f32>(end, load<f32>(end - 4));
    if (isSecond) addPairs(source, target, to.width, share);
    else storePairs(source, target, to.width, share);
  }
  return isSecond || isAlone;
}

function storePairs(source: usize, target: usize, width: i32, share: v128): void {
  for (let x = 0; x < width; x += 4) {
    v128.store(target, f32x4.mul(pairSums(source), share));
    source += 32;
    target += 16;
  }
}

function addPairs(source: usize, target: usize, width: i32, share: v128): void {
  for (let x = 0; x < width; x += 4) {
    v128.store(target, f32x4.add(v128.load(target), f32x4.mul(pairSums(source), share)));
    source += 32;
    target += 16;
  }
}

/** Sums of four pairs of neighbors. */
function pairSums(at: usize): v128 {
  const low = v128.load(at);
  const high = v128.load(at, 16);
  const first = v128.shuffle<f32>(low, high, 0, 2, 4, 6);
  return f32x4.add(first, v128.shuffle<f32>(low, high, 1, 3, 5, 7));
}
