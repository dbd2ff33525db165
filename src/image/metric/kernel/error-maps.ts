/**
 * Computes and sums the three error maps of SSIMULACRA2 for a batch of rows of one scale: structural dissimilarity,
 * artifacts (edges only in the coded picture) and lost detail (edges only in the reference). A batch is processed in
 * pieces that fit into the L1 cache: samples and products are gathered with zeros around the picture, blurred
 * vertically to one row, and that row is blurred horizontally.
 */
import { blurAlong, blurDown, blurRadius, pitch } from './blur';
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types
import { ringRow, Scale } from './scale';

/** Columns of a piece, a multiple of 4: `pitch` without the margins of the window and of wide stores. */
const pieceColumns: i32 = 64;
/** Bytes of a gathered plane. */
const planePitch: usize = 16 * pitch;
/** Planes: samples of the reference and of the coded picture, the sum of their squares, and their product. */
const gathered: usize = memory.data(4 * 16 * 320, 16);
/** A vertically blurred row. */
const halfway: usize = memory.data(320, 16);
/** A blurred row of each plane. */
const means: usize = memory.data(4 * 320, 16);

/** Number of sums per channel, f64 each: for each map, of its values and of their fourth powers. */
export const sumsOfChannel: i32 = 6;

/** Masks for 1 to 3 of four lanes, i32, to be read at offset 3 minus their number. */
const laneMasks: usize = memory.data<i32>([-1, -1, -1, 0, 0, 0], 16);

/**
 * 1, and the constant that keeps the denominator of structural similarity above 0; in memory as in `opsin.ts`.
 */
const figures: usize = memory.data<f32>([1, 0.0009], 16);

/** Adds the errors of this number of rows, starting with the first one that has not been mapped. */
export function mapRows(scale: Scale, count: i32): void {
  for (let left = scale.left; left < scale.right; left += pieceColumns) {
    const columns = min(pieceColumns, scale.right - left);
    for (let channel = 0; channel < 3; channel += 1) {
      gather(scale, channel, left - blurRadius, columns + 2 * blurRadius, count);
      addErrors(columns, count, scale.sums + ((<usize>(channel * sumsOfChannel)) << 3));
    }
  }
  scale.mapped += count;
}

function gather(scale: Scale, channel: i32, left: i32, columns: i32, count: i32): void {
  const rows = count + 2 * blurRadius;
  for (let i = 0; i < rows; i += 1) {
    const y = scale.mapped - blurRadius + i;
    const to = gathered + <usize>i * pitch;
    if (y < 0 || y >= scale.height) {
      clear(to, columns);
    } else {
      const from = ringRow(scale, y) + 2 * <usize>channel * scale.ringStride;
      gatherRow(scale, from, left, columns, to);
    }
  }
}

function clear(to: usize, columns: i32): void {
  const bytes = (<usize>columns) << 2;
  for (let plane: usize = 0; plane < 4; plane += 1) memory.fill(to + plane * planePitch, 0, bytes);
}

/** @param left may be up to `blurRadius` columns outside the picture, as may the last column */
function gatherRow(scale: Scale, from: usize, left: i32, columns: i32, to: usize): void {
  const before = max(0, -left);
  const behind = max(0, left + columns - scale.width);
  if (before > 0) clear(to, before);
  const start = to + ((<usize>before) << 2);
  const end = to + ((<usize>(columns - behind)) << 2);
  const distance = scale.ringStride;
  from += (<usize>(left + before - scale.firstColumn)) << 2;
  for (let at = start; at < end; at += 16) {
    const reference = v128.load(from);
    const coded = v128.load(from + distance);
    const squares = f32x4.add(f32x4.mul(reference, reference), f32x4.mul(coded, coded));
    v128.store(at, reference);
    v128.store(at, coded, planePitch);
    v128.store(at, squares, 2 * planePitch);
    v128.store(at, f32x4.mul(reference, coded), 3 * planePitch);
    from += 16;
  }
  if (behind > 0) clear(end, behind);
}

/** Adds the errors of a gathered piece to the sums of its channel. */
function addErrors(columns: i32, count: i32, sums: usize): void {
  let similarity = f32x4.splat(0);
  let similarity4 = f32x4.splat(0);
  let artifacts = f32x4.splat(0);
  let artifacts4 = f32x4.splat(0);
  let lost = f32x4.splat(0);
  let lost4 = f32x4.splat(0);
  const one = v128.load32_splat(figures);
  const stability = v128.load32_splat(figures, 4);
  const end = (<usize>columns) << 2;
  const full = end & ~15;
  const lastMask = v128.load(laneMasks + 12 - (end & 15));
  for (let i = 0; i < count; i += 1) {
    const row = gathered + <usize>i * pitch;
    blur(row, columns);
    const middle = row + blurRadius * pitch + (blurRadius << 2);
    let mask = i32x4.splat(-1);
    for (let x: usize = 0; x < end; x += 16) {
      if (x === full) mask = lastMask;
      const meanA = v128.load(means + x);
      const meanB = v128.load(means + x, pitch);
      const squares = v128.load(means + x, 2 * pitch);
      const products = v128.load(means + x, 3 * pitch);
      const error = v128.and(dissimilarity(meanA, meanB, squares, products, one, stability), mask);
      similarity = f32x4.add(similarity, error);
      similarity4 = f32x4.add(similarity4, fourthPower(error));

      const edgeA = f32x4.abs(f32x4.sub(v128.load(middle + x), meanA));
      const edgeB = f32x4.abs(f32x4.sub(v128.load(middle + x, planePitch), meanB));
      const ratio = f32x4.div(f32x4.sub(edgeB, edgeA), f32x4.add(edgeA, one));
      const change = v128.and(ratio, mask);
      const more = f32x4.pmax(change, f32x4.splat(0));
      const less = f32x4.sub(more, change);
      artifacts = f32x4.add(artifacts, more);
      artifacts4 = f32x4.add(artifacts4, fourthPower(more));
      lost = f32x4.add(lost, less);
      lost4 = f32x4.add(lost4, fourthPower(less));
    }
  }
  addTo(sums, similarity);
  addTo(sums + 8, similarity4);
  addTo(sums + 16, artifacts);
  addTo(sums + 24, artifacts4);
  addTo(sums + 32, lost);
  addTo(sums + 40, lost4);
}

/** @param row gathered row, four above the one to blur */
function blur(row: usize, columns: i32): void {
  for (let plane: usize = 0; plane < 4; plane += 1) {
    blurDown(row + plane * planePitch, halfway, columns + 2 * blurRadius);
    blurAlong(halfway, means + plane * pitch, columns);
  }
}

/**
 * 1 − SSIM, at least 0, without the denominator of its luminance term, which would give dark samples more weight
 * although the samples are perceptually uniform.
 */
function dissimilarity(
  meanA: v128,
  meanB: v128,
  squares: v128,
  products: v128,
  one: v128,
  stability: v128,
): v128 {
  const difference = f32x4.sub(meanA, meanB);
  const luminance = f32x4.sub(one, f32x4.mul(difference, difference));
  const covariance = f32x4.sub(products, f32x4.mul(meanA, meanB));
  const common = f32x4.add(f32x4.add(covariance, covariance), stability);
  const means = f32x4.add(f32x4.mul(meanA, meanA), f32x4.mul(meanB, meanB));
  const variances = f32x4.add(f32x4.sub(squares, means), stability);
  const similarity = f32x4.div(f32x4.mul(luminance, common), variances);
  return f32x4.pmax(f32x4.sub(one, similarity), f32x4.splat(0));
}

function fourthPower(v: v128): v128 {
  const square = f32x4.mul(v, v);
  return f32x4.mul(square, square);
}

function addTo(at: usize, lanes: v128): void {
  const low = <f64>f32x4.extract_lane(lanes, 0) + <f64>f32x4.extract_lane(lanes, 1);
  const high = <f64>f32x4.extract_lane(lanes, 2) + <f64>f32x4.extract_lane(lanes, 3);
  store<f64>(at, load<f64>(at) + low + high);
}
