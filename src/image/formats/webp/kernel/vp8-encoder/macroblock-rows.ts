/**
 * A row of macroblocks, coded: each gets its segment and its modes by what they cost together with the levels, and is
 * restored, since the next ones are predicted from it.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { blockDc } from '../vp8/block-prediction';
import { blockModes, chromaMode, isByBlock, isSkipped, segmentOf } from '../vp8/modes';
import { allocateSampleRows, beginSampleRows, keepLowestRow } from '../vp8/sample-rows';
import { segmentFor } from './activity';
import { takeBlocks, triedModes } from './block-luma';
import { chosenChromaMode, takeChroma } from './chroma';
import { allocateDiffusion, beginDiffusion, beginDiffusionRow } from './chroma-diffusion';
import { blockBytes, blockCount, chosenLevels } from './coded-blocks';
import { enterMacroblock, enterSegment, takeSource } from './current-macroblock';
import { beginMacroblockRow, keepMacroblock } from './entropy';
import { endBudgetRow, enterBudget, modeWeight } from './mode-budget';
import { sourceChromaStride, sourceLuma, sourceLumaStride, sourceU, sourceV } from './source-rows';
import { chooseWhole, takeWhole, wholeMode, wholeScore } from './whole-luma';

let across: i32 = 0;
/** Modes of the four blocks above each macroblock, and of those to the left. */
let modesAbove: usize = 0;
const modesLeft: usize = memory.data(4, 4);
/** What is handed on of a macroblock, as vp8/modes.ts has it. */
const record: usize = memory.data(20, 4);

/** Allocates what rows of so many macroblocks take; false where there is no room. */
export function allocateCodedRows(macroblocks: i32): bool {
  across = macroblocks;
  modesAbove = allocate((<usize>macroblocks) << 2);
  return modesAbove !== 0 && allocateDiffusion(macroblocks) && allocateSampleRows(macroblocks);
}

/** Begins above the first row. */
export function beginCodedRows(): void {
  memory.fill(modesAbove, <u8>blockDc, (<usize>across) << 2);
  beginDiffusion();
  beginSampleRows();
}

/** Codes row `m`, whose samples are there. */
export function codeRow(m: i32): void {
  beginMacroblockRow();
  beginDiffusionRow();
  store<u32>(modesLeft, 0x01010101 * blockDc);
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
  const top = modesAbove + ((<usize>x) << 2);
  const byBlock = enterBudget() && takeBlocks(wholeScore, top, modesLeft, modeWeight);
  if (byBlock) {
    keepBlockModes(top);
  } else {
    takeWhole();
    keepWholeMode(top, wholeMode);
  }
  takeChroma();
  store<u8>(record, <u8>chosenChromaMode, chromaMode);
  store<u8>(record, byBlock ? 1 : 0, isByBlock);
  store<u8>(record, <u8>segment, segmentOf);
  hand(x, isEmpty(byBlock));
}

function hand(x: i32, isWithout: bool): void {
  store<u8>(record, isWithout ? 1 : 0, isSkipped);
  keepMacroblock(x, record, chosenLevels, isWithout);
}

function keepWholeMode(top: usize, mode: i32): void {
  const four: u32 = 0x01010101 * mode;
  v128.store(record, i32x4.splat(four), blockModes);
  store<u32>(top, four);
  store<u32>(modesLeft, four);
}

function keepBlockModes(top: usize): void {
  v128.store(record, v128.load(triedModes), blockModes);
  store<u32>(top, load<u32>(triedModes, 12));
  for (let y: usize = 0; y < 4; y += 1) {
    store<u8>(modesLeft + y, load<u8>(triedModes + (y << 2), 3));
  }
}

/** Whether all levels that are coded are zero. */
function isEmpty(byBlock: bool): bool {
  const end = chosenLevels + blockBytes * (byBlock ? blockCount - 1 : blockCount);
  let any = i16x8.splat(0);
  for (let at = chosenLevels; at < end; at += 16) any = v128.or(any, v128.load(at));
  return !v128.any_true(any);
}
