/**
 * Writes the first partition, with the frame header and the modes of all macroblocks (RFC 6386 §9, §10, §11, §19.2),
 * and the ten uncoded bytes before it.
 */
import {
  blockModeNodes,
  blockModeProbabilities,
  blockModes,
  chromaMode,
  isByBlock,
  isSkipped,
  recordBytes,
  segmentOf,
} from '../vp8/modes';
import { segmentCount } from '../vp8/segments';
import {
  beginBools,
  codedBits,
  codedLength,
  endBools,
  even,
  firstPartition,
  putBit,
  putEntry,
  putNumber,
  putOptional,
} from './bool-encoder';
import {
  beginModeContexts,
  beginModeRow,
  blockPaths,
  byBlockProbability,
  chromaEntries,
  enterModes,
  entryBytes,
  hasSkips,
  inSegment,
  modeContext,
  openModes,
  pathBytes,
  pathEnd,
  readKeptModes,
  segmentProbability,
  skipProbability,
  wholeEntries,
} from './modes';
import { putProbabilities } from './token-probabilities';

// Settings in the frame header (RFC 6386 §9). They may be set at any time before the first partition is written.

/** Quantizer index and filter level of each segment, one byte each. */
const quantizers: usize = memory.data(segmentCount);
const levels: usize = memory.data(segmentCount);

/** Deltas of the quantizer index for luma DC, second-order DC and AC, chroma DC and AC, i8 each. */
const deltaCount: i32 = 5;
export const quantizerDeltas: usize = memory.data(deltaCount);

/** Frame size in pixels. */
let frameWidth: i32 = 0;
let frameHeight: i32 = 0;
let isSimpleFilter: bool = false;
let filterSharpness: i32 = 0;

/** Sets the size of the frame in pixels, 1 to 16383. */
export function setFrameSize(width: i32, height: i32): void {
  frameWidth = width;
  frameHeight = height;
}

/** Sets the quantizer index of a segment, 0 to 127, and its filter level, 0 (none) to 63. */
export function setFrameSegment(i: i32, quantizer: i32, level: i32): void {
  store<u8>(quantizers + i, <u8>quantizer);
  store<u8>(levels + i, <u8>level);
}

/** Sets the deltas of the quantizer index for other kinds of coefficients, −15 to 15. */
export function setFrameDeltas(
  lumaDc: i32,
  secondDc: i32,
  secondAc: i32,
  chromaDc: i32,
  chromaAc: i32,
): void {
  store<i8>(quantizerDeltas, <i8>lumaDc, 0);
  store<i8>(quantizerDeltas, <i8>secondDc, 1);
  store<i8>(quantizerDeltas, <i8>secondAc, 2);
  store<i8>(quantizerDeltas, <i8>chromaDc, 3);
  store<i8>(quantizerDeltas, <i8>chromaAc, 4);
}

/** Sets the type of the loop filter, and its sharpness, 0 to 7. */
export function setFrameFilter(isSimple: bool, sharpness: i32): void {
  isSimpleFilter = isSimple;
  filterSharpness = sharpness;
}

/** The quantizer index of a segment. */
export function quantizerOf(segment: i32): i32 {
  return load<u8>(quantizers + segment);
}

/** The filter level of a segment. */
function levelOf(segment: i32): i32 {
  return load<u8>(levels + segment);
}

/** The highest filter level of all segments. */
function highestLevel(): i32 {
  let highest = 0;
  for (let i = 0; i < segmentCount; i += 1) highest = max(highest, levelOf(i));
  return highest;
}

// The partition, and the bytes before it.

/** Maximum bytes of the partition, whose size field has 19 bits. */
export const maxFirstBytes: u32 = (1 << 19) - 1;
const startCode: u32 = 0x2a019d;
const shownBit: u32 = 1 << 4;
/** Versions with the normal filter, the simple filter, and none (§9.1). */
const normalVersion: u32 = 0;
const simpleVersion: u32 = 1;
const unfilteredVersion: u32 = 2;

/**
 * Minimum number of bits after the header. libwebp's incremental decoder, which browsers use, refuses a partition that
 * its bit reader has loaded completely by the end of the header (`CopyParts0Data` in `idec_dec.c`). The reader loads 1
 * to 7 bytes at once, depending on the platform, when it has fewer bits than it compares, which are eight. Loads of 3
 * and of 5 to 7 bytes read whole words, so they leave a byte; those of 1, 2 and 4 bytes may reach the end. With 32
 * bits more than the header and the eight of `endBools`, none does. Modes of five macroblocks usually take as many.
 */
const minModeBits: u32 = 32;

/** The ten bytes before the partition. */
export const frameHead: usize = memory.data(12, 4);
export const frameHeadBytes: i32 = 10;

/** The modes of the current macroblock, as a record of vp8/modes.ts. */
const record: usize = memory.data(recordBytes, 4);

/** Whether macroblocks state their segment. */
let hasMap: bool = false;
/** The filter level of the frame. */
let filterLevel: i32 = 0;

/** Whether there was memory for the partition's first piece, and the bits of the frame header. */
let isBegun: bool = false;
let headerBits: u32 = 0;

/**
 * Begins to write the partition with the kept modes.
 * @returns false if there is no memory
 */
export function beginFirstPartition(): bool {
  isBegun = beginBools(firstPartition);
  if (!isBegun) return false;
  putHeader();
  headerBits = codedBits();
  openModes();
  beginModeContexts();
  return true;
}

/** Writes the modes of the next row of macroblocks. */
export function writeModeRow(across: i32): void {
  beginModeRow();
  for (let x = 0; x < across; x += 1) {
    readKeptModes(record);
    putMacroblock(x);
  }
}

/**
 * Ends the partition after the last row.
 * @returns false if memory was insufficient
 */
export function endFirstPartition(): bool {
  if (!isBegun) return false;
  while (codedBits() < headerBits + minModeBits) putBit(0, even);
  return endBools();
}

/**
 * Writes the bytes before the partition.
 * @returns false if the partition is too long
 */
export function writeFrameHead(): bool {
  const bytes = <u32>codedLength(firstPartition);
  if (bytes > maxFirstBytes) return false;
  store<u32>(frameHead, (bytes << 5) | shownBit | (version() << 1));
  store<u32>(frameHead, startCode, 3);
  store<u16>(frameHead, <u16>frameWidth, 6);
  store<u16>(frameHead, <u16>frameHeight, 8);
  return true;
}

function version(): u32 {
  if (filterLevel === 0) return unfilteredVersion;
  return isSimpleFilter ? simpleVersion : normalVersion;
}

function putHeader(): void {
  // Color space; samples need clamping.
  putNumber(0, 2);
  const sole = soleSegment();
  putSegments(sole);
  putBit(isSimpleFilter ? 1 : 0, even);
  // If the level of the frame is 0, segments are not filtered either.
  filterLevel = sole < 0 ? highestLevel() : levelOf(sole);
  putNumber(filterLevel, 6);
  putNumber(filterSharpness, 3);
  // No level deltas, one token partition.
  putNumber(0, 3);
  putNumber(quantizerOf(max(0, sole)), 7);
  for (let i = 0; i < deltaCount; i += 1) putOptional(load<i8>(quantizerDeltas + i), 4);
  // Probabilities are not kept for later frames.
  putBit(0, even);
  putProbabilities();
  putBit(hasSkips() ? 1 : 0, even);
  if (hasSkips()) putNumber(skipProbability(), 8);
}

/** The segment of all macroblocks; −1 if there are several. */
function soleSegment(): i32 {
  let sole = -1;
  for (let i = 0; i < segmentCount; i += 1) {
    if (inSegment(i) === 0) continue;
    if (sole >= 0) return -1;
    sole = i;
  }
  return sole;
}

/** Writes the segment settings (§9.3), unless there is only one segment. */
function putSegments(sole: i32): void {
  hasMap = sole < 0;
  putBit(hasMap ? 1 : 0, even);
  if (!hasMap) return;
  // Map, quantizers and levels, as absolute values.
  putNumber(7, 3);
  for (let i = 0; i < segmentCount; i += 1) putOptional(quantizerOf(i), 7);
  for (let i = 0; i < segmentCount; i += 1) putOptional(levelOf(i), 6);
  for (let node = 0; node < 3; node += 1) {
    const probability = segmentProbability(node);
    putBit(probability !== 255 ? 1 : 0, even);
    if (probability !== 255) putNumber(probability, 8);
  }
}

function putMacroblock(x: i32): void {
  if (hasMap) putSegment(load<u8>(record, segmentOf));
  if (hasSkips()) putBit(load<u8>(record, isSkipped), skipProbability());
  if (load<u8>(record, isByBlock) !== 0) putBlockModes(x);
  else putEntries(wholeEntries + entryBytes * load<u8>(record, blockModes));
  putEntries(chromaEntries + entryBytes * load<u8>(record, chromaMode));
  enterModes(record + blockModes, x);
}

function putSegment(segment: u32): void {
  const high = segment >> 1;
  putBit(high, segmentProbability(0));
  putBit(segment & 1, segmentProbability(1 + high));
}

function putEntries(entries: usize): void {
  for (let at = entries; load<u16>(at) !== 0; at += 2) putEntry(load<u16>(at));
}

function putBlockModes(x: i32): void {
  putBit(0, byBlockProbability);
  const modes = record + blockModes;
  for (let n: usize = 0; n < 16; n += 1) {
    const nodes = blockModeProbabilities + blockModeNodes * modeContext(modes, n, x);
    const path = blockPaths + pathBytes * load<u8>(modes + n);
    for (let at = path; load<u8>(at) !== <u8>pathEnd; at += 1) {
      const step: u32 = load<u8>(at);
      putBit(step & 1, load<u8>(nodes + (step >> 1)));
    }
  }
}
