/**
 * Entropy coding of a frame: takes the macroblocks in their order, and makes the two partitions out of them.
 *
 * *Kept*: tokens wait as records for the probabilities that follow from all of them. *Counted*: they are only
 * counted, since there is no room for them. *Written*: in a second run over the same macroblocks, with the
 * probabilities of the run that counted.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { takePiece } from '../pieces';
import { blockModes, isByBlock } from '../vp8/modes';
import { defaultProbabilities } from '../vp8/token-probabilities';
import { prepareBitCosts } from './bit-costs';
import { allocateBoolEncoder, beginBools, endBools } from './bool-encoder';
import { allocateProbabilities, chooseProbabilities } from './chosen-probabilities';
import { dropString, forgetStrings, returnChain, tokenPartition } from './coded-strings';
import {
  allocateContexts,
  beginContextRow,
  beginContexts,
  enterContexts,
  skipContexts,
} from './contexts';
import { writeFirstPartition, writeFrameHead } from './first-partition';
import { allocateLevelCosts, beginLevelCosts } from './level-costs';
import { allocateModeContexts, beginModeContexts, beginModeRow, enterModes } from './mode-contexts';
import { allocateModeCosts, prepareModeCosts } from './mode-costs';
import { beginModeCounts, countModes } from './mode-counts';
import { dropModes, forgetModes, keepModes } from './mode-store';
import { allocateTokenCounts, beginTokenCounts } from './token-counts';
import { putRecord } from './token-partition';
import {
  byBlockBit,
  headBytes,
  maxRecordBytes,
  recordLevels,
  scanLevels,
  skippedBit,
} from './token-records';
import {
  dropRecords,
  endRecord,
  forgetRecords,
  keepRecord,
  openRecords,
  recordAt,
} from './token-store';

export { refreshCosts } from './level-costs';
export { modeBits } from './mode-counts';

/* What a run does with tokens. */
export const keepsTokens: i32 = 0;
export const countsTokens: i32 = 1;
export const writesTokens: i32 = 2;

/* How a run has ended. */
export const finished: i32 = 0;
/** There is no room even for the modes, or the host does not take pieces away while tokens are written. */
export const noRoom: i32 = 1;
/** The first partition is longer than its size can be said (RFC 6386 §9.1). */
const tooLong: i32 = 2;

let run: i32 = keepsTokens;
/** Whether modes are missing. */
let hasLostModes: bool = false;

let across: i32 = 0;
let down: i32 = 0;
/** The record of a macroblock. */
let scratch: usize = 0;
/** Two pieces, so that writing can begin before anything of what was kept has been read. */
let reserve: usize = 0;

/**
 * Allocates what a frame of so many macroblocks takes beside what grows. Pieces have been begun.
 * @returns false if there is no room
 */
export function allocateEntropy(columns: i32, rows: i32): bool {
  across = columns;
  down = rows;
  forgetStrings();
  forgetRecords();
  forgetModes();
  scratch = allocate(maxRecordBytes);
  reserve = takePiece(0);
  return (
    scratch !== 0 &&
    reserve !== 0 &&
    takePiece(reserve) !== 0 &&
    allocateBoolEncoder() &&
    allocateContexts(columns) &&
    allocateModeContexts(columns) &&
    allocateTokenCounts() &&
    allocateProbabilities() &&
    allocateLevelCosts() &&
    allocateModeCosts()
  );
}

/** Begins a run: `keepsTokens` or `countsTokens`, or `writesTokens` behind one of these. */
export function beginEntropy(kind: i32): void {
  run = kind;
  hasLostModes = false;
  dropRecords();
  dropString(tokenPartition);
  prepareBitCosts();
  prepareModeCosts();
  beginModeCounts();
  beginTokenCounts();
  beginContexts();
  beginModeContexts();
  beginLevelCosts(defaultProbabilities);
  if (run === writesTokens) beginBools(tokenPartition);
  else dropModes();
}

/** Begins a row of macroblocks. */
export function beginMacroblockRow(): void {
  beginContextRow();
  beginModeRow();
}

/**
 * Takes macroblock `x` of the row.
 *
 * @param record how it is predicted, as vp8/modes.ts has it
 * @param levels 25 blocks of 16 i16 in zigzag order: 16 of luma, four of U, four of V, the second-order one; none
 * beyond `maxLevel` of extra-bits.ts
 * @param isSkipped whether none is coded
 */
export function keepMacroblock(x: i32, record: usize, levels: usize, isSkipped: bool): void {
  countModes(x, record, isSkipped);
  enterModes(record + blockModes, x);
  if (run !== writesTokens) keepPrediction(record, isSkipped);
  const byBlock = load<u8>(record, isByBlock) !== 0;
  let end = scratch + headBytes;
  if (isSkipped) {
    skipContexts(x, byBlock);
    store<u32>(scratch, skippedBit | (byBlock ? byBlockBit : 0));
  } else {
    const head = scanLevels(levels, byBlock);
    enterContexts(x, head, byBlock);
    end = recordLevels(levels, head, scratch);
  }
  if (run === keepsTokens && !keepRecord(scratch, end - scratch)) dropTokens();
  if (run === writesTokens && !isSkipped) putRecord(scratch);
}

/** Modes are needed in any case: tokens make room for them. */
function keepPrediction(record: usize, isSkipped: bool): void {
  if (keepModes(record, isSkipped)) return;
  dropTokens();
  if (!keepModes(record, isSkipped)) hasLostModes = true;
}

/** Gives up what tokens are kept: from now on, they are only counted. */
function dropTokens(): void {
  if (run !== keepsTokens) return;
  run = countsTokens;
  dropRecords();
  dropString(tokenPartition);
}

/** Whether tokens are not there, or no more, so that another run has to write them. */
export function isExhausted(): bool {
  return run === countsTokens;
}

/**
 * Ends a run. Behind the first one, probabilities are chosen, and the first partition is written; the other one is,
 * too, unless `isExhausted` says that there was no room. Behind one that writes, the other partition is there.
 *
 * @returns `finished`, `noRoom` or `tooLong`
 */
export function finishEntropy(): i32 {
  if (run === writesTokens) return endBools() ? finished : noRoom;
  if (hasLostModes) return noRoom;
  chooseProbabilities();
  returnChain(reserve);
  reserve = 0;
  if (run === keepsTokens && !writeTokens()) dropTokens();
  let isWritten = writeFirstPartition(across, down);
  if (!isWritten && run === keepsTokens) {
    dropTokens();
    isWritten = writeFirstPartition(across, down);
  }
  dropModes();
  if (!isWritten) return noRoom;
  return writeFrameHead() ? finished : tooLong;
}

/** Writes the records that were kept; false if there is no room. */
function writeTokens(): bool {
  if (!beginBools(tokenPartition)) return false;
  openRecords();
  beginContexts();
  for (let y = 0; y < down; y += 1) {
    beginContextRow();
    for (let x = 0; x < across; x += 1) writeRecord(x);
  }
  return endBools();
}

function writeRecord(x: i32): void {
  const record = recordAt();
  const head = load<u32>(record);
  const byBlock = (head & byBlockBit) !== 0;
  if ((head & skippedBit) !== 0) {
    skipContexts(x, byBlock);
    endRecord(record + headBytes);
  } else {
    enterContexts(x, head, byBlock);
    endRecord(putRecord(record));
  }
}
