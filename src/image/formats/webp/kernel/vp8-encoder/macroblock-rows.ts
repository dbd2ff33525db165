/**
 * Encodes a row of macroblocks: chooses the segment, and the modes and levels with the lowest cost, and reconstructs
 * each macroblock for the prediction of the next ones.
 */
import { blockBytes, blockCount, secondOrderBlock } from '../vp8/coefficients';
import { blockModes, chromaMode, isByBlock, recordBytes, segmentOf } from '../vp8/modes';
import { allocateSampleRows, beginSampleRows, keepLowestRow } from '../vp8/sample-rows';
import { segmentFor } from './activity';
import { takeBlocks, triedModes } from './block-luma';
import { chosenChromaMode, takeChroma } from './chroma';
import { allocateDiffusion, beginDiffusion, beginDiffusionRow } from './chroma-diffusion';
import { chosenLevels } from './coded-blocks';
import { enterMacroblock, enterSegment, takeSource } from './current-macroblock';
import { beginMacroblockRow, keepMacroblock } from './entropy';
import { endBudgetRow, enterBudget, modeWeight } from './mode-budget';
import { sourceChromaStride, sourceLuma, sourceLumaStride, sourceU, sourceV } from './source-rows';
import { chooseWhole, takeWhole, wholeMode, wholeScore } from './whole-luma';

let across: i32 = 0;
/** The record of a macroblock, see vp8/modes.ts. */
const record: usize = memory.data(recordBytes, 4);

/** Allocates memory for rows with this number of macroblocks; returns false if there is none. */
export function allocateCodedRows(macroblocks: i32): bool {
  across = macroblocks;
  return allocateDiffusion(macroblocks) && allocateSampleRows(macroblocks);
}

/** Starts before the first row. */
export function beginCodedRows(): void {
  beginDiffusion();
  beginSampleRows();
}

/** Encodes row `m`, whose source samples must be available. */
export function codeRow(m: i32): void {
  beginMacroblockRow();
  beginDiffusionRow();
  for (let x = 0; x < across; x += 1) {
    enterMacroblock(x, m === 0);
    codeMacroblock(m, x);
  }
  keepLowestRow();
  endBudgetRow();
}

function codeMacroblock(m: i32, x: i32): void {
  const y = sourceLuma(m) + ((<usize>x) << 4);
  const offset = (<usize>x) << 3;
  takeSource(y, sourceU(m) + offset, sourceV(m) + offset, sourceLumaStride, sourceChromaStride);
  const segment = segmentFor(y, sourceLumaStride);
  enterSegment(segment);
  chooseWhole();
  const byBlock = enterBudget() && takeBlocks(wholeScore, modeWeight);
  if (!byBlock) takeWhole();
  takeChroma();
  const modes = byBlock ? v128.load(triedModes) : i8x16.splat(<i8>wholeMode);
  v128.store(record, modes, blockModes);
  store<u8>(record, <u8>chosenChromaMode, chromaMode);
  store<u8>(record, byBlock ? 1 : 0, isByBlock);
  store<u8>(record, <u8>segment, segmentOf);
  keepMacroblock(x, record, chosenLevels, isEmpty(byBlock));
}

/** Whether all coded levels are zero. */
function isEmpty(byBlock: bool): bool {
  const end = chosenLevels + blockBytes * (byBlock ? secondOrderBlock : blockCount);
  let any = i16x8.splat(0);
  for (let at = chosenLevels; at < end; at += 16) any = v128.or(any, v128.load(at));
  return !v128.any_true(any);
}
