/**
 * Applies the loop filter to a row of macroblocks (RFC 6386 §15): for each one the left edge, the inner vertical edges,
 * the top edge, and the inner horizontal edges. Vertical edges are transposed.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import {
  edgeLimit,
  filterKind,
  hasInnerEdges,
  innerLimit,
  simpleFilter,
  varianceLimit,
} from './filter-strengths';
import { filterBlockEdge, filterMacroblockEdge, filterSimply } from './loop-filter';
import { chromaStride, chromaU, chromaV, luma, lumaStride } from './sample-rows';
import { gatherColumns, scatterColumns } from './transposition';

/** Filter strength of each macroblock in the row. */
let strengths: usize = 0;
let across: i32 = 0;

/** Difference between the limits of macroblock edges and of inner edges. */
const outerExtra: i32 = 4;

/** Transposed columns of sixteen samples: eight before the left edge, and sixteen after it. */
const transposed: usize = memory.data(24 * 16, 16);
/** Bytes from one row to the next in `transposed` and `joined`. */
const scratchStride: usize = 16;
const transposedEdge: usize = transposed + 8 * scratchStride;

/** Rows with U and V side by side: four above the top edge, and eight below it. */
const joined: usize = memory.data(12 * 16, 16);
const joinedEdge: usize = joined + 4 * scratchStride;

/** Allocates the strengths for this number of macroblocks; returns false if there is no memory. */
export function allocateFilter(macroblocks: i32): bool {
  across = macroblocks;
  strengths = allocate((<usize>macroblocks) << 2);
  return strengths !== 0;
}

/** Sets the strength of macroblock `x`, see `strengthOf`. */
export function setStrength(x: i32, strength: u32, inner: bool): void {
  const at = strengths + ((<usize>x) << 2);
  store<u32>(at, strength);
  store<u8>(at, inner ? 1 : 0, hasInnerEdges);
}

/** Filters the row; `isFirst`: whether it is the top row. */
export function filterRow(isFirst: bool): void {
  for (let x = 0; x < across; x += 1) {
    const strength = strengths + ((<usize>x) << 2);
    if (load<u8>(strength, edgeLimit) === 0) continue;
    const at = luma + ((<usize>x) << 4);
    if (filterKind === simpleFilter) {
      filterMacroblockSimply(at, strength, x > 0, !isFirst);
    } else {
      filterLuma(at, strength, x > 0, !isFirst);
      const offset = (<usize>x) << 3;
      filterChroma(chromaU + offset, chromaV + offset, strength, x > 0, !isFirst);
    }
  }
}

function filterMacroblockSimply(at: usize, strength: usize, hasLeft: bool, hasAbove: bool): void {
  const limit: i32 = load<u8>(strength, edgeLimit);
  const inner = load<u8>(strength, hasInnerEdges) !== 0;
  if (hasLeft || inner) {
    transposeLuma(at, hasLeft);
    if (hasLeft) filterSimply(transposedEdge, scratchStride, limit + outerExtra);
    if (inner) filterSimplyWithin(transposedEdge, scratchStride, limit);
    transposeLumaBack(at, hasLeft, inner);
  }
  if (hasAbove) filterSimply(at, lumaStride, limit + outerExtra);
  if (inner) filterSimplyWithin(at, lumaStride, limit);
}

function filterSimplyWithin(at: usize, stride: usize, limit: i32): void {
  for (let i = 4; i < 16; i += 4) filterSimply(at + stride * i, stride, limit);
}

function filterLuma(at: usize, strength: usize, hasLeft: bool, hasAbove: bool): void {
  const inner = load<u8>(strength, hasInnerEdges) !== 0;
  if (hasLeft || inner) {
    transposeLuma(at, hasLeft);
    filterEdges(transposedEdge, scratchStride, strength, hasLeft, inner, 16);
    transposeLumaBack(at, hasLeft, inner);
  }
  filterEdges(at, lumaStride, strength, hasAbove, inner, 16);
}

function transposeLuma(at: usize, hasLeft: bool): void {
  const lower = at + 8 * lumaStride;
  if (hasLeft) gatherColumns(at - 8, lower - 8, lumaStride, transposed);
  gatherColumns(at, lower, lumaStride, transposedEdge);
  gatherColumns(at + 8, lower + 8, lumaStride, transposedEdge + 8 * scratchStride);
}

/** Transposes columns back; those after the eighth have changed only if inner edges were filtered. */
function transposeLumaBack(at: usize, hasLeft: bool, inner: bool): void {
  const lower = at + 8 * lumaStride;
  if (hasLeft) scatterColumns(transposed, at - 8, lower - 8, lumaStride);
  scatterColumns(transposedEdge, at, lower, lumaStride);
  if (inner) scatterColumns(transposedEdge + 8 * scratchStride, at + 8, lower + 8, lumaStride);
}

function filterChroma(u: usize, v: usize, strength: usize, hasLeft: bool, hasAbove: bool): void {
  const inner = load<u8>(strength, hasInnerEdges) !== 0;
  if (hasLeft || inner) {
    if (hasLeft) gatherColumns(u - 8, v - 8, chromaStride, transposed);
    gatherColumns(u, v, chromaStride, transposedEdge);
    filterEdges(transposedEdge, scratchStride, strength, hasLeft, inner, 8);
    if (hasLeft) scatterColumns(transposed, u - 8, v - 8, chromaStride);
    scatterColumns(transposedEdge, u, v, chromaStride);
  }
  if (!hasAbove && !inner) return;
  joinRows(u, v);
  filterEdges(joinedEdge, scratchStride, strength, hasAbove, inner, 8);
  separateRows(u, v);
}

/** Filters the first edge of a macroblock and the inner ones, for samples with `size` rows after the first edge. */
function filterEdges(
  at: usize,
  stride: usize,
  strength: usize,
  outer: bool,
  inner: bool,
  size: i32,
): void {
  const limit: i32 = load<u8>(strength, edgeLimit);
  const within: i32 = load<u8>(strength, innerLimit);
  const variance: i32 = load<u8>(strength, varianceLimit);
  if (outer) filterMacroblockEdge(at, stride, limit + outerExtra, within, variance);
  if (!inner) return;
  for (let i = 4; i < size; i += 4) {
    filterBlockEdge(at + stride * i, stride, limit, within, variance);
  }
}

function joinRows(u: usize, v: usize): void {
  let from = 4 * chromaStride;
  for (let to = joined; to < joined + 12 * scratchStride; to += scratchStride) {
    store<u64>(to, load<u64>(u - from));
    store<u64>(to, load<u64>(v - from), 8);
    from -= chromaStride;
  }
}

function separateRows(u: usize, v: usize): void {
  let to = 4 * chromaStride;
  for (let from = joined; from < joined + 12 * scratchStride; from += scratchStride) {
    store<u64>(u - to, load<u64>(from));
    store<u64>(v - to, load<u64>(from, 8));
    to -= chromaStride;
  }
}
