/**
 * The first partition, of all modes, is shorter than 512 KiB (RFC 6386 §9.1: its length has 19 bits), so large
 * pictures cannot spend on modes what these are worth. Where the rest of the picture threatens to pass that,
 * bits of modes weigh more from row to row; and where hardly anything is left, macroblocks are predicted as a whole.
 */
import { modeBits } from './entropy';

/** How much the bits of modes count. */
export let modeWeight: f64 = 1;

/** By so much the weight changes from one row to the next. */
const weightStep: f64 = 1.1;
/** Share of the limit to aim at. */
const aim: f64 = 0.95;
/** Bits set aside for each macroblock that is predicted as a whole: modes take 3.4 to 7.4, the segment two or less. */
const wholeBits: i32 = 8;
/** Bits that one takes at most whose blocks are predicted one by one: 14.8 for each of these, and some for the rest. */
const blocksBits: i32 = 248;
/** Bits set aside for the header: probabilities of tokens take 16 at most, so two thirds of all 1056 may be new. */
const headerBits: i32 = 1056 * 10 + 256;

/** In bits. */
let limit: i32 = 0;
let rowsLeft: i32 = 0;
/** Macroblocks after the one that is being coded. */
let macroblocksLeft: i32 = 0;
/** Bits of all rows so far, and what a row took of late. */
let used: i32 = 0;
let recent: i32 = 0;

/** @param bytes that the partition may have */
export function beginModeBudget(columns: i32, rows: i32, bytes: i32): void {
  limit = max(0, 8 * bytes - headerBits);
  rowsLeft = rows;
  macroblocksLeft = columns * rows;
  modeWeight = 1;
  used = 0;
  recent = 0;
}

/** Enters the next macroblock: whether it may be predicted block by block. */
export function enterBudget(): bool {
  macroblocksLeft -= 1;
  return modeBits() + blocksBits + wholeBits * macroblocksLeft <= limit;
}

/** Draws the conclusion from a row that has been coded. */
export function endBudgetRow(): void {
  const now = modeBits();
  const row = now - used;
  recent = recent === 0 ? row : (3 * recent + row) >> 2;
  used = now;
  rowsLeft -= 1;
  const projected = <f64>used + <f64>recent * <f64>rowsLeft;
  if (projected > aim * <f64>limit) modeWeight *= weightStep;
  else modeWeight = max(1, modeWeight / weightStep);
}
