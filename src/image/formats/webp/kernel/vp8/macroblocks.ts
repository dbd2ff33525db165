/**
 * Decodes rows of macroblocks: reads modes and coefficients, predicts samples, adds the residual, and applies the loop
 * filter.
 */
import { modeWindow, tokenWindow } from '../file-window';
import { sound, truncated } from '../vp8l/status';
import { predictedBlock } from './block-prediction';
import { loadBlock, storeBlock } from './blocks';
import { enterPartition, isOverrun, leavePartition } from './bool-decoder';
import { allocateFilter, filterRow, setStrength } from './filter-rows';
import { filterKind, noFilter, strengthOf } from './filter-strengths';
import { tokenPartitions } from './frame-header';
import {
  allocateModes,
  blockModes,
  chromaMode,
  isByBlock,
  isSkipped,
  macroblock,
  readModes,
  segmentOf,
} from './modes';
import { predictChroma, predictLuma } from './prediction';
import { stepsOf } from './quantizers';
import {
  allocateResiduals,
  beginResidualRow,
  beginResiduals,
  blockAt,
  contentOf,
  contentsOf,
  few,
  nothing,
  onlyFirst,
  readResidual,
  skipResidual,
} from './residuals';
import {
  allocateSampleRows,
  beginSampleRows,
  chromaStride,
  chromaU,
  chromaUAbove,
  chromaV,
  chromaVAbove,
  keepLowestRow,
  luma,
  lumaAbove,
  lumaStride,
} from './sample-rows';
import { reconstructed, reconstructedFlat, reconstructedSmooth } from './transforms';

let across: i32 = 0;

/** Allocates memory for rows with this number of macroblocks; returns false if there is none. */
export function allocateMacroblocks(number: i32): bool {
  across = number;
  return (
    allocateModes(number) &&
    allocateResiduals(number) &&
    allocateSampleRows(number) &&
    allocateFilter(number)
  );
}

/** Starts before the first row; the header must have been read. */
export function beginMacroblocks(): void {
  beginResiduals();
  beginSampleRows();
}

/**
 * Decodes row `m`; its lowest rows of samples are completely filtered only with the next one.
 * @returns a status of vp8l/status.ts
 */
export function decodeMacroblockRow(m: i32): i32 {
  // The first partition is current.
  readModes();
  if (isOverrun()) return truncated;
  leavePartition();
  enterPartition(tokenWindow + (m & (tokenPartitions - 1)));
  beginResidualRow();
  for (let x = 0; x < across; x += 1) {
    decodeMacroblock(x, x > 0, m > 0);
    if (isOverrun()) return truncated;
  }
  leavePartition();
  enterPartition(modeWindow);
  keepLowestRow();
  if (filterKind !== noFilter) filterRow(m === 0);
  return sound;
}

function decodeMacroblock(x: i32, hasLeft: bool, hasAbove: bool): void {
  const record = macroblock(x);
  const byBlock = load<u8>(record, isByBlock) !== 0;
  const segment: i32 = load<u8>(record, segmentOf);
  let hasResidual = false;
  if (load<u8>(record, isSkipped) !== 0) skipResidual(x, byBlock);
  else hasResidual = readResidual(x, byBlock, stepsOf(segment));
  if (filterKind !== noFilter) {
    setStrength(x, strengthOf(segment, byBlock), byBlock || hasResidual);
  }
  const at = luma + ((<usize>x) << 4);
  const above = lumaAbove + ((<usize>x) << 4);
  if (byBlock) {
    reconstructBlocks(record + blockModes, at, above, hasResidual);
  } else {
    predictLuma(load<u8>(record, blockModes), at, above, lumaStride, hasLeft, hasAbove);
    if (hasResidual) addLuma(at);
  }
  const mode: i32 = load<u8>(record, chromaMode);
  const offset = (<usize>x) << 3;
  predictChroma(mode, chromaU + offset, chromaUAbove + offset, chromaStride, hasLeft, hasAbove);
  predictChroma(mode, chromaV + offset, chromaVAbove + offset, chromaStride, hasLeft, hasAbove);
  if (!hasResidual) return;
  addChroma(16, chromaU + offset);
  addChroma(20, chromaV + offset);
}

/** Reconstructs blocks that are predicted separately, each from those before it. */
function reconstructBlocks(modes: usize, at: usize, above: usize, hasResidual: bool): void {
  // The samples above and to the right of the lower rows of blocks are those of the macroblock above (§12.3).
  const beyond = load<u32>(above + 16);
  store<u32>(at + 3 * lumaStride, beyond, 16);
  store<u32>(at + 7 * lumaStride, beyond, 16);
  store<u32>(at + 11 * lumaStride, beyond, 16);
  for (let n: usize = 0; n < 16; n += 1) {
    const x = (n & 3) << 2;
    const to = at + (n >> 2) * (lumaStride << 2) + x;
    const top = n < 4 ? above + x : to - lumaStride;
    const predicted = predictedBlock(load<u8>(modes + n), to, top, lumaStride);
    storeBlock(to, lumaStride, hasResidual ? withResidual(n, predicted) : predicted);
  }
}

/** Adds the residual of all luma blocks. */
function addLuma(at: usize): void {
  for (let y: usize = 0; y < 16; y += 4, at += lumaStride << 2) {
    if (contentsOf(y) === 0) continue;
    for (let x: usize = 0; x < 4; x += 1) addBlock(y + x, at + (x << 2), lumaStride);
  }
}

/** Adds the residual of four chroma blocks, starting from block `n`. */
function addChroma(n: usize, at: usize): void {
  if (contentsOf(n) === 0) return;
  const below = at + (chromaStride << 2);
  addBlock(n, at, chromaStride);
  addBlock(n + 1, at + 4, chromaStride);
  addBlock(n + 2, below, chromaStride);
  addBlock(n + 3, below + 4, chromaStride);
}

function addBlock(n: usize, at: usize, stride: usize): void {
  if (contentOf(n) === nothing) return;
  storeBlock(at, stride, withResidual(n, loadBlock(at, stride)));
}

function withResidual(n: usize, predicted: v128): v128 {
  const content = contentOf(n);
  if (content === nothing) return predicted;
  if (content === onlyFirst) return reconstructedFlat(load<i16>(blockAt(n)), predicted);
  if (content === few && n < 16) return reconstructedSmooth(blockAt(n), predicted);
  return reconstructed(blockAt(n), predicted);
}
