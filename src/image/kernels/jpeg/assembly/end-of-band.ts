/**
 * Runs of blocks whose band has nothing more to be coded (ITU-T T.81 §G.1.2.2),
 * and the correction bits that go with them in a refinement (§G.1.2.3).
 */
import { allocate } from '../../shared/assembly/memory';
import { mostBits, onlyBits } from './symbols';

/** The longest run that has a symbol. */
export const longestRun: i32 = 0x7fff;
/** Kept records that end a run: 900 bits, as libjpeg keeps to 1000. */
const mostRecords: i32 = 60;

let run: i32 = 0;
/** Records without symbols, full of correction bits. */
let kept: usize = 0;
let keptRecords: i32 = 0;
/** Correction bits that do not fill a record yet, and how many they are. */
let partial: u32 = 0;
let partialBits: i32 = 0;

/** Allocates what keeps correction bits; false where there is no room. */
export function allocateCorrections(): bool {
  // a block adds at most five records to those that are allowed
  kept = allocate((mostRecords + 8) << 2);
  beginRun();
  return kept !== 0;
}

/** Begins without a run. */
export function beginRun(): void {
  run = 0;
  keptRecords = 0;
  partial = 0;
  partialBits = 0;
}

export function runLength(): i32 {
  return run;
}

/** Writes the run back that a hot loop has kept in a local. */
export function setRunLength(length: i32): void {
  run = length;
}

/** Adds a block to the run, with `number` correction bits; whether the run has to end with it. */
export function extendRun(bits: u64, number: i32): bool {
  run += 1;
  while (number > 0) {
    const taken = min(number, mostBits - partialBits);
    number -= taken;
    partial = (partial << taken) | (<u32>(bits >> number) & ((1 << taken) - 1));
    partialBits += taken;
    if (partialBits === mostBits) keepPartial();
  }
  return run === longestRun || keptRecords >= mostRecords;
}

function keepPartial(): void {
  store<u32>(kept + ((<usize>keptRecords) << 2), onlyBits | (partialBits << 16) | partial);
  keptRecords += 1;
  partial = 0;
  partialBits = 0;
}

/** Puts the symbol of a run, at least 1 long, at `to`; returns where the next record goes. */
export function putRun(to: usize, table: u32, length: i32): usize {
  const size = 31 - clz(length);
  store<u32>(to, table | (size << 24) | (size << 16) | (length - (1 << size)));
  return to + 4;
}

/** Ends the run, if there is one, and puts it with its correction bits at `to`. */
export function endRun(to: usize, table: u32): usize {
  if (run === 0) return to;
  to = putRun(to, table, run);
  if (partialBits > 0) keepPartial();
  const bytes = (<usize>keptRecords) << 2;
  memory.copy(to, kept, bytes);
  beginRun();
  return to + bytes;
}
