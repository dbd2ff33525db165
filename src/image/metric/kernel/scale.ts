/**
 * A scale of both pictures. It receives linear rows from top to bottom, keeps those that maps need in XYB, and reduces
 * pairs of rows to rows of the next scale.
 */
import { allocate } from '../../wasm/assembly/memory';
import { blurRadius } from './blur';

/** Maximum number of rows of maps that are computed at a time. */
const batchRows: i32 = 8;
/** Number of XYB rows that are kept for a batch, a power of two. */
const ringRows: i32 = 16;
/** Number of planes: red, green and blue, or X, Y and B, of two pictures. */
const planes: i32 = 6;
/** Columns after a row for wide loads and stores. */
const reach: i32 = 8;

@unmanaged
export class Scale {
  /** Size in pixels. */
  width: i32;
  height: i32;
  /** Region of the maps, in pixels of this scale. */
  left: i32;
  top: i32;
  right: i32;
  bottom: i32;
  /** Columns kept in XYB: those of the maps, with the radius of the windows. */
  firstColumn: i32;
  endColumn: i32;
  /** Number of linear rows received. */
  rows: i32;
  /** Index of the first row whose maps have not been computed. */
  mapped: i32;
  /** The latest linear row: red, green and blue of the reference, then of the coded picture. */
  linear: usize;
  /** Bytes from one plane to the next in `linear`. */
  linearStride: usize;
  /** Rows in XYB; planes of a row: X of the reference, X of the coded picture, then Y and B likewise. */
  ring: usize;
  /** Bytes from one plane to the next in `ring`. */
  ringStride: usize;
  /** Pointer to the error sums, see `error-maps.ts`. */
  sums: usize;
}

/** Initializes a scale; returns false if there is no memory. */
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

/** Whether maps need this row. */
export function isLookedAt(scale: Scale, row: i32): bool {
  return row >= scale.top - blurRadius && row < scale.bottom + blurRadius;
}

/** Pointer to the XYB planes of a row. */
export function ringRow(scale: Scale, row: i32): usize {
  return scale.ring + <usize>(row & (ringRows - 1)) * planes * scale.ringStride;
}

/** Number of rows of maps that can be computed now, at most a batch; 0 if none yet, or none left. */
export function rowsToMap(scale: Scale): i32 {
  const wanted = min(batchRows, scale.bottom - scale.mapped);
  const lastLookedAt = min(scale.mapped + wanted + blurRadius, scale.height);
  return scale.rows >= lastLookedAt ? wanted : 0;
}

/**
 * Adds the latest row to the next scale: means of 2 × 2 linear samples, with the last ones repeated if a side is odd.
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
