/**
 * Entropy coding of a frame: receives macroblocks in order, and produces both partitions.
 *
 * A run keeps, counts or writes tokens. *Keeping* stores them as records until the probabilities, which depend on all
 * of them, are known. *Counting* only counts them, if there is no memory for records. *Writing* is a second run over
 * the same macroblocks, with the probabilities of the counting run.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { takePiece } from '../pieces';
import { blockModes, isByBlock } from '../vp8/modes';
import { defaultProbabilities } from '../vp8/token-probabilities';
import {
  allocateBoolEncoder,
  beginBools,
  dropString,
  endBools,
  forgetStrings,
  prepareBitCosts,
  returnChain,
  tokenPartition,
} from './bool-encoder';
import {
  beginFirstPartition,
  endFirstPartition,
  writeFrameHead,
  writeModeRow,
} from './first-partition';
import { allocateLevelCosts, beginLevelCosts } from './level-costs';
import {
  allocateModeContexts,
  allocateModeCosts,
  beginModeContexts,
  beginModeCounts,
  beginModeRow,
  countModes,
  dropModes,
  enterModes,
  forgetModes,
  keepModes,
  prepareModeCosts,
} from './modes';
import {
  allocateContexts,
  beginContextRow,
  beginContexts,
  byBlockBit,
  dropRecords,
  endRecord,
  enterContexts,
  forgetRecords,
  headBytes,
  keepRecord,
  maxRecordBytes,
  openRecords,
  putRecord,
  recordAt,
  recordLevels,
  scanLevels,
  skipContexts,
  skippedBit,
} from './token-partition';
import {
  allocateProbabilities,
  allocateTokenCounts,
  beginTokenCounts,
  chooseProbabilities,
} from './token-probabilities';

export { refreshCosts } from './level-costs';

/* Kinds of runs. */
export const keepsTokens: i32 = 0;
export const countsTokens: i32 = 1;
export const writesTokens: i32 = 2;

/* Results of a run. */
export const finished: i32 = 0;
/** There is not even memory for the modes, or the host does not read pieces while tokens are written. */
export const noRoom: i32 = 1;
/** The first partition exceeds the maximum of its size field (RFC 6386 §9.1). */
const tooLong: i32 = 2;
/** More of the partitions is to be written. */
export const unfinished: i32 = 3;

let run: i32 = keepsTokens;
/* What is written at the end of a run: nothing yet, kept tokens, the first partition. */
const beforeEnd: i32 = 0;
const tokensOfRun: i32 = 1;
const modesOfRun: i32 = 2;
let stage: i32 = beforeEnd;
/** The next row of macroblocks of that. */
let nextRow: i32 = 0;
/** Whether modes are missing. */
let hasLostModes: bool = false;

let across: i32 = 0;
let down: i32 = 0;
/** The record of a macroblock. */
let scratch: usize = 0;
/** Two reserved pieces, so that writing can begin before any kept record has been freed. */
let reserve: usize = 0;

/**
 * Allocates the memory for a frame, except for the parts that grow. Call it after `beginPieces`.
 * @returns false if there is no memory
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

/** Starts a run: `keepsTokens` or `countsTokens`, or `writesTokens` after one of these. */
export function beginEntropy(kind: i32): void {
  run = kind;
  stage = beforeEnd;
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

/** Starts a row of macroblocks. */
export function beginMacroblockRow(): void {
  beginContextRow();
  beginModeRow();
}

/**
 * Adds macroblock `x` of the row.
 *
 * @param record its modes, as a record of vp8/modes.ts
 * @param levels 25 blocks of 16 i16 in zigzag order: 16 of luma, four of U, four of V, the second-order block;
 *   magnitudes of at most `maxLevel` in token-probabilities.ts
 * @param isSkipped whether no levels are coded
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

/** Keeps the modes, which are always needed: if there is no memory, kept tokens are dropped for them. */
function keepPrediction(record: usize, isSkipped: bool): void {
  if (keepModes(record, isSkipped)) return;
  dropTokens();
  if (!keepModes(record, isSkipped)) hasLostModes = true;
}

/** Drops kept tokens; from now on, they are only counted. */
function dropTokens(): void {
  if (run !== keepsTokens) return;
  run = countsTokens;
  dropRecords();
  dropString(tokenPartition);
}

/** Whether tokens are not kept, or no longer, so that another run has to write them. */
export function isExhausted(): bool {
  return run === countsTokens;
}

/**
 * Ends a run, by one row of macroblocks at a time. After the first run, chooses probabilities and writes the first
 * partition, and also the token partition unless `isExhausted`. After a writing run, the token partition is complete.
 *
 * @returns `unfinished` until it has ended, then `finished`, `noRoom` or `tooLong`
 */
export function finishEntropy(): i32 {
  if (run === writesTokens) return endBools() ? finished : noRoom;
  if (hasLostModes) return noRoom;
  if (stage === beforeEnd) {
    chooseProbabilities();
    returnChain(reserve);
    reserve = 0;
    if (run === keepsTokens) beginTokenPartition();
    else beginModePartition();
    return unfinished;
  }
  if (nextRow < down) {
    if (stage === tokensOfRun) writeTokenRow();
    else writeModeRow(across);
    nextRow += 1;
    return unfinished;
  }
  if (stage === tokensOfRun) {
    if (!endBools()) dropTokens();
    beginModePartition();
    return unfinished;
  }
  const isWritten = endFirstPartition();
  if (!isWritten && run === keepsTokens) {
    dropTokens();
    beginModePartition();
    return unfinished;
  }
  dropModes();
  if (!isWritten) return noRoom;
  return writeFrameHead() ? finished : tooLong;
}

function beginTokenPartition(): void {
  stage = tokensOfRun;
  nextRow = 0;
  beginBools(tokenPartition);
  openRecords();
  beginContexts();
}

function writeTokenRow(): void {
  beginContextRow();
  for (let x = 0; x < across; x += 1) writeRecord(x);
}

function beginModePartition(): void {
  stage = modesOfRun;
  nextRow = beginFirstPartition() ? 0 : down;
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
