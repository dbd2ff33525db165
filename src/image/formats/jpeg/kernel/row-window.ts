/**
 * A window of the samples of the source's components: one MCU row and, for interpolation, the last row of samples above
 * it. The code that fills the window determines the type of samples, u8 or f32.
 */
import { allocate } from '../../../wasm/assembly/memory';
import {
  blocksDown,
  frameHeight,
  frameWidth,
  horizontal,
  maxHorizontal,
  maxVertical,
  mcusDown,
  paddedAcross,
  source,
  vertical,
} from './frame';

const recordBytes: usize = 32;
const records: usize = memory.data(128);

/** Bytes before and after a row, for vectors that extend beyond its ends. */
const margin: i32 = 32;

/** The MCU row in the window. */
let mcuRow: i32 = 0;

/**
 * Allocates the window of a component.
 * @param size samples across a transformed block: 8, 4, 2 or 1
 * @param sampleBytes bytes per sample
 * @returns false if memory runs out
 */
export function beginWindow(c: i32, size: i32, sampleBytes: i32): bool {
  rewindWindow();
  const at = record(c);
  const across = 8 * maxHorizontal(source);
  const down = 8 * maxVertical(source);
  const stride = ((paddedAcross(source, c) * size * sampleBytes + 7) & ~7) + 2 * margin;
  const count = vertical(source, c) * size;
  store<i32>(at, size);
  store<i32>(at, (frameWidth(source) * horizontal(source, c) * size + across - 1) / across, 4);
  store<i32>(at, (frameHeight(source) * vertical(source, c) * size + down - 1) / down, 8);
  store<i32>(at, stride, 12);
  store<i32>(at, count, 16);
  const rows = allocate(<usize>stride * (count + 1));
  store<usize>(at, rows + margin, 20);
  return rows !== 0;
}

/** Resets the window to the first MCU row. */
export function rewindWindow(): void {
  mcuRow = 0;
}

function record(c: i32): usize {
  return records + recordBytes * c;
}

/** Samples across a transformed block. */
export function blockSize(c: i32): i32 {
  return load<i32>(record(c));
}

/** Samples in a row that belong to the picture. */
export function sampleWidth(c: i32): i32 {
  return load<i32>(record(c), 4);
}

/** Bytes from one row of samples to the next. */
export function windowStride(c: i32): i32 {
  return load<i32>(record(c), 12);
}

/** Pointer to row `y` of samples, counted from the top of the picture and clamped to the picture and the window. */
export function sampleRow(c: i32, y: i32): usize {
  const at = record(c);
  const inside = max(0, min(load<i32>(at, 8) - 1, y));
  const row = max(0, min(load<i32>(at, 16), inside - mcuRow * load<i32>(at, 16) + 1));
  return load<usize>(at, 20) + <usize>load<i32>(at, 12) * row;
}

/**
 * Moves a component's window down to MCU row `m`; its last row of samples becomes the row above.
 * @returns the number of rows of blocks to transform
 */
export function moveWindow(c: i32, m: i32): i32 {
  mcuRow = max(0, min(mcusDown(source) - 1, m));
  const at = record(c);
  const stride = load<i32>(at, 12);
  const first = load<usize>(at, 20) - margin;
  memory.copy(first, first + <usize>stride * load<i32>(at, 16), stride);
  return min(vertical(source, c), blocksDown(source, c) - mcuRow * vertical(source, c));
}

/** Pointer to the first sample of row `y` of the window's blocks. */
export function windowRow(c: i32, y: i32): usize {
  const at = record(c);
  return load<usize>(at, 20) + <usize>load<i32>(at, 12) * (y * load<i32>(at) + 1);
}
