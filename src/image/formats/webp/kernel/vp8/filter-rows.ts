/**
 * The loop filter over a row of macroblocks (RFC 6386 §15): of each in turn the left edge, the upright edges
 * within, the upper edge, and the level edges within. Upright edges are turned for it.
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
import { gatherColumns, scatterColumns } from './turning';

/** The strength of each macroblock of the row. */
let strengths: usize = 0;
let across: i32 = 0;

/** What an edge of the macroblock allows more than one within it. */
const outerExtra: i32 = 4;

/** Sixteen samples along an edge, in rows: eight columns before the left edge, and sixteen behind it. */
const turned: usize = memory.data(24 * 16, 16);
const turnedStride: usize = 16;
const turnedEdge: usize = turned + 8 * turnedStride;

/** Rows of U and V side by side: four above the upper edge, and eight below it. */
const joined: usize = memory.data(12 * 16, 16);
const joinedEdge: usize = joined + 4 * turnedStride;

/** Allocates the strengths of so many macroblocks; false where there is no room. */
export function allocateFilter(macroblocks: i32): bool {
  across = macroblocks;
  strengths = allocate((<usize>macroblocks) << 2);
  return strengths !== 0;
}

/** Sets the strength of macroblock `x`; see `strengthOf`. */
export function setStrength(x: i32, strength: u32, inner: bool): void {
  const at = strengths + ((<usize>x) << 2);
  store<u32>(at, strength);
  store<u8>(at, inner ? 1 : 0, hasInnerEdges);
}

/** Filters the row. @param isFirst whether there is none above it */
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
    turnLuma(at, hasLeft);
    if (hasLeft) filterSimply(turnedEdge, turnedStride, limit + outerExtra);
    if (inner) filterSimplyWithin(turnedEdge, turnedStride, limit);
    turnLumaBack(at, hasLeft, inner);
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
    turnLuma(at, hasLeft);
    filterEdges(turnedEdge, turnedStride, strength, hasLeft, inner, 16);
    turnLumaBack(at, hasLeft, inner);
  }
  filterEdges(at, lumaStride, strength, hasAbove, inner, 16);
}

function turnLuma(at: usize, hasLeft: bool): void {
  const lower = at + 8 * lumaStride;
  if (hasLeft) gatherColumns(at - 8, lower - 8, lumaStride, turned);
  gatherColumns(at, lower, lumaStride, turnedEdge);
  gatherColumns(at + 8, lower + 8, lumaStride, turnedEdge + 8 * turnedStride);
}

/** Columns beyond the eighth have changed only with the edges within. */
function turnLumaBack(at: usize, hasLeft: bool, inner: bool): void {
  const lower = at + 8 * lumaStride;
  if (hasLeft) scatterColumns(turned, at - 8, lower - 8, lumaStride);
  scatterColumns(turnedEdge, at, lower, lumaStride);
  if (inner) scatterColumns(turnedEdge + 8 * turnedStride, at + 8, lower + 8, lumaStride);
}

function filterChroma(u: usize, v: usize, strength: usize, hasLeft: bool, hasAbove: bool): void {
  const inner = load<u8>(strength, hasInnerEdges) !== 0;
  if (hasLeft || inner) {
    if (hasLeft) gatherColumns(u - 8, v - 8, chromaStride, turned);
    gatherColumns(u, v, chromaStride, turnedEdge);
    filterEdges(turnedEdge, turnedStride, strength, hasLeft, inner, 8);
    if (hasLeft) scatterColumns(turned, u - 8, v - 8, chromaStride);
    scatterColumns(turnedEdge, u, v, chromaStride);
  }
  if (!hasAbove && !inner) return;
  joinRows(u, v);
  filterEdges(joinedEdge, turnedStride, strength, hasAbove, inner, 8);
  separateRows(u, v);
}

/** Filters the first edge of a macroblock, and those within, of samples that go on for `size` rows behind it. */
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
  for (let to = joined; to < joined + 12 * turnedStride; to += turnedStride) {
    store<u64>(to, load<u64>(u - from));
    store<u64>(to, load<u64>(v - from), 8);
    from -= chromaStride;
  }
}

function separateRows(u: usize, v: usize): void {
  let to = 4 * chromaStride;
  for (let from = joined; from < joined + 12 * turnedStride; from += turnedStride) {
    store<u64>(u - to, load<u64>(from));
    store<u64>(v - to, load<u64>(from, 8));
    to -= chromaStride;
  }
}
