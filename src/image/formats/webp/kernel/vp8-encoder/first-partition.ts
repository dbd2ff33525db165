/**
 * The first partition: the frame's header, and how its macroblocks are predicted (RFC 6386 §9, §10, §11,
 * §19.2), with the ten bytes in front of it that are not coded.
 */

import { blockModeNodes, blockModeProbabilities } from '../vp8/mode-probabilities';
import { blockModes, chromaMode, isByBlock, isSkipped, recordBytes, segmentOf } from '../vp8/modes';
import { segmentCount } from '../vp8/segments';
import {
  beginBools,
  endBools,
  even,
  putBit,
  putEntry,
  putNumber,
  putOptional,
} from './bool-encoder';
import { putProbabilities } from './chosen-probabilities';
import { codedLength, firstPartition } from './coded-strings';
import {
  deltaCount,
  filterSharpness,
  frameHeight,
  frameWidth,
  highestLevel,
  isSimpleFilter,
  levelOf,
  quantizerDeltas,
  quantizerOf,
} from './frame-settings';
import { beginModeContexts, beginModeRow, enterModes, modeContext } from './mode-contexts';
import { hasSkips, inSegment, segmentProbability, skipProbability } from './mode-counts';
import { openModes, readKeptModes } from './mode-store';
import {
  blockPaths,
  byBlockProbability,
  chromaEntries,
  entryBytes,
  pathBytes,
  pathEnd,
  wholeEntries,
} from './mode-trees';

/** Bytes of the partition at most: the tag says them in 19 bits. */
export const maxFirstBytes: u32 = (1 << 19) - 1;
const startCode: u32 = 0x2a019d;
const shownBit: u32 = 1 << 4;
/** Versions with the normal filter, with the simple one and with none (§9.1). */
const normalVersion: u32 = 0;
const simpleVersion: u32 = 1;
const unfilteredVersion: u32 = 2;

/** The ten bytes in front of the partition. */
export const frameHead: usize = memory.data(12, 4);
export const frameHeadBytes: i32 = 10;

/** The modes of the macroblock that is being written, as vp8/modes.ts has them. */
const record: usize = memory.data(recordBytes, 4);

/** Whether macroblocks say which segment they are in. */
let hasMap: bool = false;
/** The frame's own filter level. */
let filterLevel: i32 = 0;

/**
 * Writes the partition out of the modes that were kept.
 * @returns false if there is no room for it
 */
export function writeFirstPartition(across: i32, down: i32): bool {
  if (!beginBools(firstPartition)) return false;
  putHeader();
  openModes();
  beginModeContexts();
  for (let y = 0; y < down; y += 1) {
    beginModeRow();
    for (let x = 0; x < across; x += 1) {
      readKeptModes(record);
      putMacroblock(x);
    }
  }
  return endBools();
}

/**
 * Writes what stands in front of the partition.
 * @returns false if that is too long
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
  // color space, and that samples are clamped
  putNumber(0, 2);
  const sole = soleSegment();
  putSegments(sole);
  putBit(isSimpleFilter ? 1 : 0, even);
  // where the frame's level is 0, segments are not filtered either
  filterLevel = sole < 0 ? highestLevel() : levelOf(sole);
  putNumber(filterLevel, 6);
  putNumber(filterSharpness, 3);
  // no differences of the level by prediction, one partition of tokens
  putNumber(0, 3);
  putNumber(quantizerOf(max(0, sole)), 7);
  for (let i = 0; i < deltaCount; i += 1) putOptional(load<i8>(quantizerDeltas + i), 4);
  // no frames to come that probabilities are kept for
  putBit(0, even);
  putProbabilities();
  putBit(hasSkips() ? 1 : 0, even);
  if (hasSkips()) putNumber(skipProbability(), 8);
}

/** The segment that all macroblocks are in, or −1 where they are in several. */
function soleSegment(): i32 {
  let sole = -1;
  for (let i = 0; i < segmentCount; i += 1) {
    if (inSegment(i) === 0) continue;
    if (sole >= 0) return -1;
    sole = i;
  }
  return sole;
}

/** Segments are left out where there is but one (§9.3). */
function putSegments(sole: i32): void {
  hasMap = sole < 0;
  putBit(hasMap ? 1 : 0, even);
  if (!hasMap) return;
  // a map, quantizers and levels, both as they are
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
