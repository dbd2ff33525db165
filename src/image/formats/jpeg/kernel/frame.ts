/**
 * Size, components and derived geometry (ITU-T T.81 §A.1, §A.2) of two frames: the one that is read and the one that is
 * written, which differ if chroma is halved in between. Also the rows of coefficients of both frames.
 */
import { allocate } from '../../../wasm/assembly/memory';

/** Index of the frame of the file. */
export const source: i32 = 0;
/** Index of the frame of the result. */
export const coded: i32 = 1;

const frameBytes: usize = 256;
const frames: usize = memory.data(512);
/** Offset of the components' records in a frame, and bytes per record. */
const firstRecord: usize = 64;
const recordBytes: usize = 32;

/** Sets the size in pixels and the number of components, 1 to 4; `setSampling` has to follow for each component. */
export function setFrame(frame: i32, width: i32, height: i32, count: i32): void {
  const at = frames + frameBytes * frame;
  store<i32>(at, width, 0);
  store<i32>(at, height, 4);
  store<i32>(at, count, 8);
}

/** Sets the sampling factors of component `c`, 1 to 4; both 1 for a single component, where they have no effect. */
export function setSampling(frame: i32, c: i32, horizontal: i32, vertical: i32): void {
  store<i32>(record(frame, c), horizontal, 0);
  store<i32>(record(frame, c), vertical, 4);
}

/** Derives the geometry of all components from the size and the sampling factors. */
export function beginFrame(frame: i32): void {
  let across = 1;
  let down = 1;
  for (let c = 0; c < componentCount(frame); c += 1) {
    across = max(across, horizontal(frame, c));
    down = max(down, vertical(frame, c));
  }
  const width = frameWidth(frame);
  const height = frameHeight(frame);
  const at = frames + frameBytes * frame;
  store<i32>(at, across, 12);
  store<i32>(at, down, 16);
  store<i32>(at, ceilDivided(width, 8 * across), 20);
  store<i32>(at, ceilDivided(height, 8 * down), 24);
  for (let c = 0; c < componentCount(frame); c += 1) {
    const columns = ceilDivided(width * horizontal(frame, c), across);
    const rows = ceilDivided(height * vertical(frame, c), down);
    store<i32>(record(frame, c), columns, 8);
    store<i32>(record(frame, c), ceilDivided(columns, 8), 16);
    store<i32>(record(frame, c), ceilDivided(rows, 8), 20);
  }
}

function ceilDivided(value: i32, by: i32): i32 {
  return (value + by - 1) / by;
}

function record(frame: i32, c: i32): usize {
  return frames + frameBytes * frame + firstRecord + recordBytes * c;
}

/** Width in pixels. */
export function frameWidth(frame: i32): i32 {
  return load<i32>(frames + frameBytes * frame, 0);
}

/** Height in pixels. */
export function frameHeight(frame: i32): i32 {
  return load<i32>(frames + frameBytes * frame, 4);
}

export function componentCount(frame: i32): i32 {
  return load<i32>(frames + frameBytes * frame, 8);
}

/** The largest horizontal sampling factor. */
export function maxHorizontal(frame: i32): i32 {
  return load<i32>(frames + frameBytes * frame, 12);
}

/** The largest vertical sampling factor. */
export function maxVertical(frame: i32): i32 {
  return load<i32>(frames + frameBytes * frame, 16);
}

/** Number of MCUs per row of an interleaved scan. */
export function mcusAcross(frame: i32): i32 {
  return load<i32>(frames + frameBytes * frame, 20);
}

/** Number of MCU rows of an interleaved scan. */
export function mcusDown(frame: i32): i32 {
  return load<i32>(frames + frameBytes * frame, 24);
}

export function horizontal(frame: i32, c: i32): i32 {
  return load<i32>(record(frame, c), 0);
}

export function vertical(frame: i32, c: i32): i32 {
  return load<i32>(record(frame, c), 4);
}

/** Samples per row of a component, without padding. */
export function samplesAcross(frame: i32, c: i32): i32 {
  return load<i32>(record(frame, c), 8);
}

/** Blocks per row of a component, without the padding of interleaved scans. */
export function blocksAcross(frame: i32, c: i32): i32 {
  return load<i32>(record(frame, c), 16);
}

export function blocksDown(frame: i32, c: i32): i32 {
  return load<i32>(record(frame, c), 20);
}

/** Number of blocks of a component, without padding. */
export function blocksOf(frame: i32, c: i32): i32 {
  return blocksAcross(frame, c) * blocksDown(frame, c);
}

/** Number of blocks of all components, without padding. */
export function frameBlocks(frame: i32): i32 {
  let blocks = 0;
  for (let c = 0; c < componentCount(frame); c += 1) blocks += blocksOf(frame, c);
  return blocks;
}

/** Blocks per row of the component with the longest rows, without padding. */
export function longestRow(frame: i32): i32 {
  let across = 0;
  for (let c = 0; c < componentCount(frame); c += 1) across = max(across, blocksAcross(frame, c));
  return across;
}

/** Blocks per row of a component with the padding of interleaved scans. */
export function paddedAcross(frame: i32, c: i32): i32 {
  return mcusAcross(frame) * horizontal(frame, c);
}

/** Row-major position of each coefficient in zigzag order (ITU-T T.81 figure A.6). */
export const zigzag: usize = memory.data<u8>([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
  13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52,
  45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
]);

const quantizationTables: usize = memory.data(1024);

/** Quantization steps of a component, 64 × u16 in zigzag order; written by the host, each at least 1. */
export function quantizationTable(frame: i32, c: i32): usize {
  return quantizationTables + ((frame * 4 + c) << 7);
}

/*
 * Quantized coefficients of one MCU row of a frame: for each component, `vertical` rows of `paddedAcross` blocks of
 * 64 × i16 in zigzag order.
 */

const pointers: usize = memory.data(32);

/** Allocates the rows of a frame; false if memory runs out. */
export function allocateRows(frame: i32): bool {
  for (let c = 0; c < componentCount(frame); c += 1) {
    const at = allocate(rowBytes(frame, c) * vertical(frame, c));
    if (at === 0) return false;
    store<usize>(pointer(frame, c), at);
  }
  return true;
}

/** Makes the coded frame use the source's rows, so that coefficients are written unchanged. */
export function shareRows(): void {
  for (let c = 0; c < componentCount(source); c += 1) {
    store<usize>(pointer(coded, c), load<usize>(pointer(source, c)));
  }
}

/** Bytes per row of a component's blocks, including padding. */
export function rowBytes(frame: i32, c: i32): usize {
  return paddedAcross(frame, c) << 7;
}

/** Pointer to row `y` of blocks of component `c`, counted within the MCU row. */
export function blockRow(frame: i32, c: i32, y: i32): usize {
  return load<usize>(pointer(frame, c)) + rowBytes(frame, c) * y;
}

function pointer(frame: i32, c: i32): usize {
  return pointers + ((frame * 4 + c) << 2);
}
