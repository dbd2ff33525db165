/**
 * Reads the header of a key frame (RFC 6386 §9, §19.2): size, positions of partitions, and settings for the whole
 * frame.
 */
import { modeWindow, openWindow, tokenWindow, windowEnd } from '../file-window';
import { badHeader, sound, truncated } from '../vp8l/status';
import {
  enterPartition,
  isOverrun,
  leavePartition,
  openPartition,
  readFlag,
  readNumber,
} from './bool-decoder';
import { readProbabilities } from './coefficients';
import { beginModes } from './modes';
import { prepareStrengths, readFilter, readQuantizers, readSegments } from './segments';

/** Length of frame tag, start code and size in bytes. */
const uncodedBytes: u32 = 10;
const startCode: u32 = 0x2a019d;

/** Number of token partitions; row `m` of macroblocks is in partition `m` modulo this number. */
export let tokenPartitions: i32 = 1;

/**
 * Reads the header of the frame from `start` to `stop` in the file, and opens all partitions; the first one is current.
 *
 * @param width width in pixels for which memory was allocated
 * @returns a status of vp8l/status.ts
 */
export function readHeader(start: u32, stop: u32, width: i32, height: i32): i32 {
  const at = openWindow(modeWindow, start, stop);
  if (windowEnd(modeWindow) - at < uncodedBytes) return badHeader;
  const tag = load<u32>(at) & 0xffffff;
  const isKeyFrame = (tag & 1) === 0;
  const profile = (tag >> 1) & 7;
  const isShown = (tag & 16) !== 0;
  const partitionBytes = tag >> 5;
  if (!isKeyFrame || profile > 3 || !isShown) return badHeader;
  if ((load<u32>(at, 3) & 0xffffff) !== startCode) return badHeader;
  // The two bits above each size are a scaling hint, which decoders ignore.
  if ((load<u16>(at, 6) & 0x3fff) !== width) return badHeader;
  if ((load<u16>(at, 8) & 0x3fff) !== height) return badHeader;
  const partition = start + uncodedBytes;
  if (partitionBytes > stop - partition) return truncated;
  openPartition(modeWindow, partition, partition + partitionBytes);
  return readCodedHeader(partition + partitionBytes, stop);
}

function readCodedHeader(tokens: u32, stop: u32): i32 {
  // Color space, and whether clamping is needed; it is always done.
  readNumber(2);
  readSegments();
  readFilter();
  prepareStrengths();
  if (isOverrun()) return truncated;
  tokenPartitions = 1 << readNumber(2);
  leavePartition();
  const areThere = openTokens(tokens, stop);
  enterPartition(modeWindow);
  if (!areThere) return truncated;
  readQuantizers();
  // Whether probabilities are kept for later frames.
  readFlag();
  readProbabilities();
  beginModes();
  return sound;
}

/**
 * Opens the token partitions (§9.5). They are preceded by the sizes of all but the last, three bytes each; partitions
 * are limited to the end of the frame.
 *
 * @returns false if nothing remains for the last one
 */
function openTokens(tokens: u32, stop: u32): bool {
  const last = tokenPartitions - 1;
  if (stop - tokens < <u32>(3 * last)) return false;
  let start = tokens + 3 * last;
  // The window of the last partition is free until all sizes are read.
  const sizes = openWindow(tokenWindow + last, tokens, start);
  for (let i = 0; i < last; i += 1) {
    const size = load<u32>(sizes + 3 * i) & 0xffffff;
    const end = start + min(size, stop - start);
    openPartition(tokenWindow + i, start, end);
    leavePartition();
    start = end;
  }
  openPartition(tokenWindow + last, start, stop);
  leavePartition();
  return start < stop;
}
