/** Reads the prediction modes of a row of macroblocks from the first partition (RFC 6386 §10, §11). */
import { allocate } from '../../../../wasm/assembly/memory';
import {
  blockDc,
  blockDownLeft,
  blockDownRight,
  blockHorizontal,
  blockHorizontalDown,
  blockHorizontalUp,
  blockModeCount,
  blockTrueMotion,
  blockVertical,
  blockVerticalLeft,
  blockVerticalRight,
} from './block-prediction';
import { readBit, readFlag, readNumber } from './bool-decoder';
import { blockModeNodes, blockModeProbabilities } from './mode-probabilities';
import { dcMode, horizontalMode, trueMotionMode, verticalMode } from './prediction';
import { readSegment } from './segments';

/* Length of a macroblock's record, and offsets of its fields. */
export const recordBytes: usize = 20;
/** 16 block modes in rows; if the macroblock is predicted as a whole, its mode 16 times. */
export const blockModes: usize = 0;
export const chromaMode: usize = 16;
/** Whether its blocks are predicted separately. */
export const isByBlock: usize = 17;
export const segmentOf: usize = 18;
/** Whether it has no coefficients at all. */
export const isSkipped: usize = 19;

let records: usize = 0;
/** Modes of the four blocks above each macroblock, and of those to the left of the current one. */
let above: usize = 0;
const left: usize = memory.data(4, 4);
let across: i32 = 0;

/** Whether macroblocks have a flag for no coefficients, and the probability that they have some. */
let hasSkips: bool = false;
let skipProbability: u32 = 0;

/** Allocates a row with this number of macroblocks; returns false if there is no memory. */
export function allocateModes(macroblocks: i32): bool {
  across = macroblocks;
  records = allocate(recordBytes * macroblocks);
  above = allocate((<usize>macroblocks) << 2);
  return records !== 0 && above !== 0;
}

/** Reads the end of the frame header, and starts before the first row. */
export function beginModes(): void {
  hasSkips = readFlag();
  if (hasSkips) skipProbability = readNumber(8);
  memory.fill(above, <u8>blockDc, (<usize>across) << 2);
}

/** The record of macroblock `x` in the last row read. */
export function macroblock(x: i32): usize {
  return records + recordBytes * x;
}

/** Reads the modes of a row. */
export function readModes(): void {
  store<u32>(left, 0x01010101 * blockDc);
  for (let x = 0; x < across; x += 1) {
    const record = macroblock(x);
    store<u8>(record, <u8>readSegment(), segmentOf);
    store<u8>(record, hasSkips && readBit(skipProbability) ? 1 : 0, isSkipped);
    const byBlock = !readBit(145);
    store<u8>(record, byBlock ? 1 : 0, isByBlock);
    const top = above + ((<usize>x) << 2);
    if (byBlock) readBlockModes(record, top);
    else setWhole(record, top, wholeMode());
    store<u8>(record, <u8>readChromaMode(), chromaMode);
  }
}

function wholeMode(): i32 {
  if (readBit(156)) return readBit(128) ? trueMotionMode : horizontalMode;
  return readBit(163) ? verticalMode : dcMode;
}

function readChromaMode(): i32 {
  if (!readBit(142)) return dcMode;
  if (!readBit(114)) return verticalMode;
  return readBit(183) ? trueMotionMode : horizontalMode;
}

/** Sets the mode of a macroblock that is predicted as a whole; as context, all of its blocks have that mode (§11.3). */
function setWhole(record: usize, top: usize, mode: i32): void {
  const four: u32 = 0x01010101 * mode;
  for (let y: usize = 0; y < 16; y += 4) store<u32>(record + y, four, blockModes);
  store<u32>(top, four);
  store<u32>(left, four);
}

function readBlockModes(record: usize, top: usize): void {
  for (let y: usize = 0; y < 4; y += 1) {
    let mode: i32 = load<u8>(left + y);
    for (let x: usize = 0; x < 4; x += 1) {
      const before: i32 = load<u8>(top + x);
      mode = readBlockMode(
        blockModeProbabilities + blockModeNodes * (blockModeCount * before + mode),
      );
      store<u8>(top + x, <u8>mode);
      store<u8>(record + (y << 2) + x, <u8>mode, blockModes);
    }
    store<u8>(left + y, <u8>mode);
  }
}

/** Reads a block mode from its tree (§11.2). */
function readBlockMode(nodes: usize): i32 {
  if (!readBit(load<u8>(nodes))) return blockDc;
  if (!readBit(load<u8>(nodes, 1))) return blockTrueMotion;
  if (!readBit(load<u8>(nodes, 2))) return blockVertical;
  if (!readBit(load<u8>(nodes, 3))) {
    if (!readBit(load<u8>(nodes, 4))) return blockHorizontal;
    return readBit(load<u8>(nodes, 5)) ? blockVerticalRight : blockDownRight;
  }
  if (!readBit(load<u8>(nodes, 6))) return blockDownLeft;
  if (!readBit(load<u8>(nodes, 7))) return blockVerticalLeft;
  return readBit(load<u8>(nodes, 8)) ? blockHorizontalUp : blockHorizontalDown;
}
