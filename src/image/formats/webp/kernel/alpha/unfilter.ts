/**
 * Inverse filters of an alpha plane (RFC 9649 §2.7.1.2): add the prediction to each sample, modulo 256. Up to 15 bytes
 * after a row and the row above may be read and written.
 */

/* Filter types in the chunk. */
const horizontal: i32 = 1;
const vertical: i32 = 2;
const gradient: i32 = 3;

/** Undoes the filter of the first row: with any filter, the prediction is the sample to the left. */
export function unfilterFirst(filter: i32, row: usize, width: usize): void {
  if (filter !== 0) sumRow(row, width, 0);
}

/**
 * Undoes the filter of a row.
 *
 * @param row the coded samples, which are replaced by the result
 * @param above the unfiltered row above
 */
export function unfilter(filter: i32, row: usize, above: usize, width: usize): void {
  if (filter === horizontal) sumRow(row, width, load<u8>(above));
  else if (filter === vertical) addAbove(row, above, width);
  else if (filter === gradient) addGradient(row, above, width);
}

/** Replaces samples by prefix sums, starting with `before`. */
function sumRow(row: usize, width: usize, before: u32): void {
  const none = i8x16.splat(0);
  let left = i8x16.splat(<i8>before);
  const end = row + width;
  for (; row < end; row += 16) {
    let sums = v128.load(row);
    sums = i8x16.add(
      sums,
      i8x16.shuffle(none, sums, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30),
    );
    sums = i8x16.add(
      sums,
      i8x16.shuffle(none, sums, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29),
    );
    sums = i8x16.add(sums, i32x4.shuffle(none, sums, 0, 4, 5, 6));
    sums = i8x16.add(sums, i32x4.shuffle(none, sums, 0, 0, 4, 5));
    sums = i8x16.add(sums, left);
    v128.store(row, sums);
    left = i8x16.splat(i8x16.extract_lane_s(sums, 15));
  }
}

function addAbove(row: usize, above: usize, width: usize): void {
  const end = row + width;
  for (; row < end; row += 16, above += 16) {
    v128.store(row, i8x16.add(v128.load(row), v128.load(above)));
  }
}

/** Adds left + above − above left, clamped; for the first sample, the one above. */
function addGradient(row: usize, above: usize, width: usize): void {
  const end = row + width;
  let corner: i32 = load<u8>(above);
  let left = corner;
  for (; row < end; row += 1, above += 1) {
    const top: i32 = load<u8>(above);
    const predicted = max(0, min(255, left + top - corner));
    left = (<i32>load<u8>(row) + predicted) & 0xff;
    store<u8>(row, <u8>left);
    corner = top;
  }
}
