/**
 * Computes the error sums of SSIMULACRA2 (Jon Sneyers, `ssimulacra2.cc`) from pairs of rows of two pictures, at six
 * scales, each half as large as the previous one. The host computes the score from the sums.
 */
import { mapRows, sumsOfChannel } from './error-maps';
import { linearize, linearizeOn } from './linear-light';
import {
  allocateRows,
  continueRow,
  measuredSide,
  mirrored,
  rowOfCoded,
  rowOfReference,
} from './mirrored-rows';
import { convertToXyb } from './opsin';
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types
import { beginScale, halveRow, isLookedAt, ringRow, rowsToMap, Scale } from './scale';

const maxScales: i32 = 6;
/** Minimum side in pixels; there is no scale below. */
const minSide: i32 = 8;

/** Backgrounds of transparent pixels as code values: 0.1 and 0.9 of the range. */
const darkBackground: f32 = 25.5;
const brightBackground: f32 = 229.5;

/** Scales on the dark background or without alpha, followed by those on the bright background. */
const scales: usize = memory.data(2 * 6 * offsetof<Scale>(), 16);
/** Sums of the three channels for each scale. */
const sumsOfScale: usize = 3 * sumsOfChannel * sizeof<f64>();
const sums: usize = memory.data(2 * 6 * 3 * 6 * 8, 16);

let scaleCount: i32 = 0;
let backgrounds: i32 = 0;
/** Height in pixels, as given and as measured. */
let givenHeight: i32 = 0;
let measuredHeight: i32 = 0;
/** Number of rows received. */
let rows: i32 = 0;

/**
 * Starts comparing two pictures with sides of at least 8 pixels. Errors count inside the core, whose edges are
 * multiples of 32 unless they are at the end of the picture. A side that the core takes up in full is continued by
 * mirroring if it is too short for six scales.
 * @param hasAlpha whether both are compared on two backgrounds
 * @returns whether there is enough memory
 */
export function allocateComparison(
  width: i32,
  height: i32,
  left: i32,
  top: i32,
  right: i32,
  bottom: i32,
  hasAlpha: bool,
): bool {
  backgrounds = hasAlpha ? 2 : 1;
  const isWholeAcross = left === 0 && right === width;
  const isWholeDown = top === 0 && bottom === height;
  const measuredWidth = isWholeAcross ? measuredSide(width) : width;
  givenHeight = height;
  measuredHeight = isWholeDown ? measuredSide(height) : height;
  rows = 0;
  if (!allocateRows(width, height, measuredWidth, measuredHeight)) return false;
  width = measuredWidth;
  height = measuredHeight;
  if (isWholeAcross) right = width;
  if (isWholeDown) bottom = height;
  memory.fill(sums, 0, 2 * maxScales * sumsOfScale);
  let isLast = false;
  for (scaleCount = 0; scaleCount < maxScales && !isLast; scaleCount += 1) {
    for (let background = 0; background < backgrounds; background += 1) {
      const scale = scaleOf(background, scaleCount);
      scale.sums = sumsAtScale(background, scaleCount);
      if (!beginScale(scale, width, height, left, top, right, bottom)) return false;
    }
    isLast = min(width, height) < minSide;
    width = (width + 1) >> 1;
    height = (height + 1) >> 1;
    left >>= 1;
    top >>= 1;
    right = (right + 1) >> 1;
    bottom = (bottom + 1) >> 1;
  }
  return true;
}

function scaleOf(background: i32, index: i32): Scale {
  return changetype<Scale>(scales + <usize>(background * maxScales + index) * offsetof<Scale>());
}

/** Destination for the next row of the reference, RGBA. */
export function referenceRow(): usize {
  return rowOfReference(rows);
}

/** Destination for the next row of the coded picture, RGBA. */
export function codedRow(): usize {
  return rowOfCoded(rows);
}

/** Adds the two rows that have been written; at most as many as the height of the pictures. */
export function compareRows(): void {
  continueRow(referenceRow());
  continueRow(codedRow());
  compareRow(rows);
  rows += 1;
  if (rows !== givenHeight) return;
  for (let y = rows; y < measuredHeight; y += 1) compareRow(mirrored(y, givenHeight));
}

function compareRow(row: i32): void {
  for (let background = 0; background < backgrounds; background += 1) {
    const scale = scaleOf(background, 0);
    const width = scale.width;
    const linear = scale.linear;
    const linearStride = scale.linearStride;
    const linearOfCoded = linear + 3 * linearStride;
    if (backgrounds === 1) {
      linearize(rowOfReference(row), width, linear, linearStride);
      linearize(rowOfCoded(row), width, linearOfCoded, linearStride);
    } else {
      const grey = background === 0 ? darkBackground : brightBackground;
      linearizeOn(grey, rowOfReference(row), width, linear, linearStride);
      linearizeOn(grey, rowOfCoded(row), width, linearOfCoded, linearStride);
    }
    takeLinearRow(background, 0);
  }
}

/** Adds the linear row of a scale, and passes it on to all following scales. */
function takeLinearRow(background: i32, index: i32): void {
  const scale = scaleOf(background, index);
  const row = scale.rows;
  if (isLookedAt(scale, row)) keepInXyb(scale, row);
  scale.rows += 1;
  for (let count = rowsToMap(scale); count > 0; count = rowsToMap(scale)) mapRows(scale, count);
  if (index + 1 === scaleCount) return;
  if (halveRow(scale, scaleOf(background, index + 1))) takeLinearRow(background, index + 1);
}

function keepInXyb(scale: Scale, row: i32): void {
  const columns = scale.endColumn - scale.firstColumn;
  const stride = scale.linearStride;
  const reference = scale.linear + ((<usize>scale.firstColumn) << 2);
  const xyb = ringRow(scale, row);
  convertToXyb(reference, stride, xyb, 2 * scale.ringStride, columns);
  convertToXyb(
    reference + 3 * stride,
    stride,
    xyb + scale.ringStride,
    2 * scale.ringStride,
    columns,
  );
}

/**
 * Pointer to the sums of a scale, f64 each: for X, Y and B, those of 1 − SSIM, artifacts and lost detail, each followed
 * by the sum of its fourth powers.
 * @param background 0; with alpha, 0 for the dark and 1 for the bright one
 */
export function sumsAtScale(background: i32, index: i32): usize {
  return sums + <usize>(background * maxScales + index) * sumsOfScale;
}

/** Number of pixels whose errors are summed at a scale; 0 if it does not exist. */
export function pixelsAtScale(index: i32): i32 {
  if (index >= scaleCount) return 0;
  const scale = scaleOf(0, index);
  return (scale.right - scale.left) * (scale.bottom - scale.top);
}
