/**
 * Limits the bits of modes: the first partition must be shorter than 512 KiB (RFC 6386 §9.1: its size has 19 bits),
 * which is not enough for large pictures. If the rest of the picture threatens to exceed it, the weight of mode bits
 * increases from row to row; if hardly anything is left, macroblocks are predicted as a whole.
 */
import { modeBits } from './entropy';

/** Weight of the bits of modes. */
export let modeWeight: f64 = 1;

/** Factor by which the weight changes from one row to the next. */
const weightStep: f64 = 1.1;
/** Share of the limit to aim at. */
const aim: f64 = 0.95;
/** Bits reserved for a macroblock that is predicted as a whole: 3.4 to 7.4 for modes, up to two for the segment. */
const wholeBits: i32 = 8;
/** Maximum bits of a macroblock whose blocks are predicted separately: 14.8 for each block, and some for the rest. */
const blocksBits: i32 = 248;
/** Bits reserved for the header; a new token probability takes at most 16, so two thirds of all 1056 may be new. */
const headerBits: i32 = 1056 * 10 + 256;

/** Limit in bits. */
let limit: i32 = 0;
let rowsLeft: i32 = 0;
/** Number of macroblocks after the current one. */
let macroblocksLeft: i32 = 0;
/** Bits of all rows so far, and recent bits per row. */
let used: i32 = 0;
let recent: i32 = 0;

/** @param bytes maximum bytes of the partition */
export function beginModeBudget(columns: i32, rows: i32, bytes: i32): void {
  limit = max(0, 8 * bytes - headerBits);
  rowsLeft = rows;
  macroblocksLeft = columns * rows;
  modeWeight = 1;
  used = 0;
  recent = 0;
}

/** Enters the next macroblock; returns whether its blocks may be predicted separately. */
export function enterBudget(): bool {
  macroblocksLeft -= 1;
  return modeBits() + blocksBits + wholeBits * macroblocksLeft <= limit;
}

/** Adapts the weight after a row. */
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
