/**
 * Rows of the picture from top to bottom (PNG third edition §7.2, §8, §11.2.1), even if the passes of Adam7 store them
 * in another order: each pass then has a cursor of its own.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { allocateCursor, copyCursor, missing, sound } from '../inflate/cursor';
import { endStream, openStream, readBytes, skipBytes } from '../inflate/zlib-stream';
import { unfilter } from './unfilter';

export let width: u32 = 0;
let height: u32 = 0;
export let colorType: i32 = 0;
export let bitDepth: i32 = 0;
let isInterlaced: bool = false;

/** Samples of the transparent color, in the file's depth. */
export let keyRed: u32 = 0;
export let keyGreen: u32 = 0;
export let keyBlue: u32 = 0;
export let hasKey: bool = false;

/** Sets the picture's layout, as stated in the header and checked by the host. */
export function setPicture(
  pixelsAcross: i32,
  pixelsDown: i32,
  type: i32,
  depth: i32,
  interlaced: bool,
): void {
  width = pixelsAcross;
  height = pixelsDown;
  colorType = type;
  bitDepth = depth;
  isInterlaced = interlaced;
  hasKey = false;
  layOutPasses();
}

/**
 * Sets the transparent color, as given by tRNS for gray (three equal samples) and RGB. Bits above the depth are ignored
 * (PNG third edition §11.3.1.1).
 */
export function setKey(red: i32, green: i32, blue: i32): void {
  const mask: u32 = (1 << bitDepth) - 1;
  keyRed = red & mask;
  keyGreen = green & mask;
  keyBlue = blue & mask;
  hasKey = true;
}

/** Bits per pixel, over all samples. */
function pixelBits(): u32 {
  const samples = colorType === 2 ? 3 : colorType === 4 ? 2 : colorType === 6 ? 4 : 1;
  return samples * bitDepth;
}

/** Bytes from a sample to that of the pixel to its left, for filters: 1 if a pixel takes less than a byte. */
function pixelStep(): usize {
  return max(1, pixelBits() >> 3);
}

/** Bytes of a row, without its filter byte. */
function packedBytes(columns: u32): u64 {
  return (<u64>columns * pixelBits() + 7) >> 3;
}

/** A row as it comes from the stream, after its filter byte. */
let filtered: usize = 0;
/** The picture's row, if it is merged from several passes. */
let merged: usize = 0;
/** The row that was read last. */
let current: usize = 0;
/** Index of the next row. */
let y: u32 = 0;

/** Allocates cursors and rows; false if memory runs out. */
export function allocateRows(): bool {
  if (!allocatePasses()) return false;
  filtered = allocateRow(packedBytes(width));
  if (filtered === 0) return false;
  if (isInterlaced) merged = allocateRow(packedBytes(width));
  return !isInterlaced || merged !== 0;
}

/**
 * Starts with the first row, also for another run through the picture. For an interlaced picture, the data are read up
 * to the last pass, to locate the start of each pass. Returns a status.
 */
export function startReading(): i32 {
  y = 0;
  let status = openStream(cursorOf(0));
  for (let pass = 0; pass < passCount; pass += 1) {
    if (status !== sound) return status;
    const rowBytes = packedBytes(columnsOf(pass));
    memory.fill(rowOf(pass), 0, <usize>rowBytes);
    if (pass === passCount - 1) break;
    const next = cursorOf(pass + 1);
    copyCursor(cursorOf(pass), next);
    const bytes = rowsOf(pass) * (rowBytes + 1);
    if (skipBytes(next, bytes) !== bytes) status = missing;
  }
  return status;
}

/** Reads the next row. Returns a status. */
export function readRow(): i32 {
  const packed = pixelStep() === 1;
  let isFirst = true;
  for (let pass = 0; pass < passCount; pass += 1) {
    if (!isInRow(pass, y)) continue;
    const status = readPassRow(pass);
    if (status !== sound) return status;
    if (columnsOf(pass) === width) {
      current = rowOf(pass);
      break;
    }
    if (isFirst && packed) memory.fill(merged, 0, <usize>packedBytes(width));
    isFirst = false;
    mergeRow(rowOf(pass), columnsOf(pass), merged, leftOf(pass), acrossOf(pass));
    current = merged;
  }
  y += 1;
  return sound;
}

/** @returns the packed row that was read last, without its filter byte, valid until the next one is read */
export function sourceRow(): usize {
  return current;
}

/** Checks that the last row is followed by nothing but the correct checksum. Returns a status. */
export function endReading(): i32 {
  return endStream(cursorOf(passCount - 1));
}

function readPassRow(pass: i32): i32 {
  const length = <usize>packedBytes(columnsOf(pass));
  const cursor = cursorOf(pass);
  // The filter byte precedes the row, which is aligned.
  const status = readBytes(cursor, filtered - 1, length + 1);
  if (status !== sound) return status;
  return unfilter(load<u8>(filtered - 1), filtered, rowOf(pass), length, pixelStep());
}

/** Column, column step, row and row step of each pass of Adam7 (§8.1). */
const grid: usize = memory.data<u8>([
  0, 8, 0, 8, 4, 8, 0, 8, 0, 4, 4, 8, 2, 4, 0, 4, 0, 2, 2, 4, 1, 2, 0, 2, 0, 1, 1, 2,
]);

/**
 * The reduced pictures of an interlaced picture that have pixels, in order, or the picture itself as the only pass: 32
 * bytes each.
 */
const passes: usize = memory.data(7 * 32, 4);
const passBytes: usize = 32;
let passCount: i32 = 0;

/** Zeros before a row, which also align its pixels, and bytes after it that wide stores may overwrite. */
const rowMargin: usize = 16;

function layOutPasses(): void {
  passCount = 0;
  const most = isInterlaced ? 7 : 1;
  for (let i = 0; i < most; i += 1) {
    const place = grid + (i << 2);
    const left: u32 = isInterlaced ? load<u8>(place) : 0;
    const across: u32 = isInterlaced ? load<u8>(place, 1) : 1;
    const top: u32 = isInterlaced ? load<u8>(place, 2) : 0;
    const down: u32 = isInterlaced ? load<u8>(place, 3) : 1;
    if (left >= width || top >= height) continue;
    const pass = passes + passBytes * passCount;
    store<u32>(pass, (width - left + across - 1) / across, 8);
    store<u32>(pass, (height - top + down - 1) / down, 12);
    store<u32>(pass, left, 16);
    store<u32>(pass, across, 20);
    store<u32>(pass, top, 24);
    store<u32>(pass, down, 28);
    passCount += 1;
  }
}

/** Bytes of all rows with their filter bytes, which the data must inflate to (§7.2, §9). */
export function filteredBytes(): f64 {
  let bytes: u64 = 0;
  for (let pass = 0; pass < passCount; pass += 1) {
    bytes += rowsOf(pass) * (packedBytes(columnsOf(pass)) + 1);
  }
  return <f64>bytes;
}

/** Allocates a cursor and a row for each pass; false if memory runs out. */
function allocatePasses(): bool {
  for (let pass = 0; pass < passCount; pass += 1) {
    const cursor = allocateCursor();
    const row = allocateRow(packedBytes(columnsOf(pass)));
    if (cursor === 0 || row === 0) return false;
    store<usize>(passes + passBytes * pass, cursor, 0);
    store<usize>(passes + passBytes * pass, row, 4);
  }
  return true;
}

/** @returns memory for a row whose end wide loads and stores may exceed, or 0 if memory runs out */
function allocateRow(bytes: u64): usize {
  if (bytes > 0x7fffffff) return allocate(0xffffffff - 2 * rowMargin);
  const at = allocate(<usize>bytes + 2 * rowMargin);
  return at === 0 ? 0 : at + rowMargin;
}

function cursorOf(pass: i32): usize {
  return load<usize>(passes + passBytes * pass, 0);
}

/** The row of a pass that was read last, unfiltered. */
function rowOf(pass: i32): usize {
  return load<usize>(passes + passBytes * pass, 4);
}

/** Size of the reduced picture in pixels. */
function columnsOf(pass: i32): u32 {
  return load<u32>(passes + passBytes * pass, 8);
}

function rowsOf(pass: i32): u32 {
  return load<u32>(passes + passBytes * pass, 12);
}

/** First column of the pass in the picture, and its column step. */
function leftOf(pass: i32): u32 {
  return load<u32>(passes + passBytes * pass, 16);
}

function acrossOf(pass: i32): u32 {
  return load<u32>(passes + passBytes * pass, 20);
}

/** Whether the pass has pixels of row `y` of the picture. */
function isInRow(pass: i32, y: u32): bool {
  const top = load<u32>(passes + passBytes * pass, 24);
  return y >= top && (y - top) % load<u32>(passes + passBytes * pass, 28) === 0;
}

/**
 * Copies the pixels of a pass's row to their positions in the picture's row (§8.1).
 *
 * @param from a packed row of `columns` pixels
 * @param to the picture's packed row; if pixels take less than a byte, these pixels must be 0
 * @param left column of the first pixel
 * @param across step to the next one
 */
function mergeRow(from: usize, columns: u32, to: usize, left: u32, across: u32): void {
  const bits = pixelBits();
  if (bits < 8) {
    mergePacked(from, columns, to, left, across, bits);
    return;
  }
  const size: usize = bits >> 3;
  let target = to + left * size;
  const step = across * size;
  for (let x: u32 = 0; x < columns; x += 1, from += size, target += step) {
    switch (<i32>size) {
      case 1:
        store<u8>(target, load<u8>(from));
        break;
      case 2:
        store<u16>(target, load<u16>(from));
        break;
      case 3:
        store<u16>(target, load<u16>(from));
        store<u8>(target, load<u8>(from, 2), 2);
        break;
      case 4:
        store<u32>(target, load<u32>(from));
        break;
      case 6:
        store<u32>(target, load<u32>(from));
        store<u16>(target, load<u16>(from, 4), 4);
        break;
      default:
        store<u64>(target, load<u64>(from));
    }
  }
}

/** Merges pixels of 1, 2 or 4 bits, from the highest bit of a byte down. */
function mergePacked(
  from: usize,
  columns: u32,
  to: usize,
  left: u32,
  across: u32,
  bits: u32,
): void {
  const mask = (1 << bits) - 1;
  for (let x: u32 = 0; x < columns; x += 1) {
    const at = x * bits;
    const value = (<u32>load<u8>(from + (at >> 3)) >> (8 - bits - (at & 7))) & mask;
    const place = (left + x * across) * bits;
    const target = to + (place >> 3);
    store<u8>(target, load<u8>(target) | <u8>(value << (8 - bits - (place & 7))));
  }
}
