/** The scans that are open: which components they hold, with which tables (ITU-T T.81 §B.2.3). */
import { dropBits, openCursor, provideMcu, takeRestart } from './bit-reader';
import {
  blocksAcross,
  blocksDown,
  horizontal,
  mcusAcross,
  mcusDown,
  source,
  vertical,
} from './frame';
import { decoderTable } from './huffman-decoder';

/** How reading a part of a scan ended. */
export const sound: i32 = 0;
/** The data end before the picture does. */
export const truncated: i32 = 1;
/** A code that the table does not have, or that has no meaning there. */
export const badCode: i32 = 2;
/** A restart marker is missing or out of turn. */
export const badRestart: i32 = 3;
/** There is no room for the coefficients. */
export const outOfMemory: i32 = 4;

const recordBytes: usize = 128;
const records: usize = memory.data(512);
const componentsAt: usize = 32;
const componentBytes: usize = 16;

/** Begins a scan at a file position, with so many components; `restartInterval` in MCUs, 0: none. */
export function openScan(i: i32, position: u32, restartInterval: i32, components: i32): void {
  const at = scan(i);
  store<i32>(at, components, 0);
  store<i32>(at, restartInterval, 4);
  openCursor(i, position);
  dropBits();
  restart(i, 0);
}

/** Which component stands at place `place` of scan `i`, and the slots of its tables. */
export function setScanComponent(i: i32, place: i32, c: i32, dcSlot: i32, acSlot: i32): void {
  const at = scan(i) + componentsAt + componentBytes * place;
  store<i32>(at, c, 0);
  store<usize>(at, decoderTable(i, 0, dcSlot), 4);
  store<usize>(at, decoderTable(i, 1, acSlot), 8);
  store<i32>(at, 0, 12);
}

/** Resets the predictions after `restarts` restart markers. */
function restart(i: i32, restarts: i32): void {
  const at = scan(i);
  store<i32>(at, restarts, 8);
  store<i32>(at, load<i32>(at, 4), 12);
  for (let place = 0; place < 4; place += 1) {
    store<i32>(at + componentsAt + componentBytes * place, 0, 12);
  }
}

/** Whether a restart marker stands before the next MCU (T.81 §E.2.4). */
export function isRestartDue(i: i32): bool {
  const at = scan(i);
  return load<i32>(at, 4) > 0 && load<i32>(at, 12) === 0;
}

/** Takes the marker that is due, if one is, and sees to the bytes of the next MCU; false where it is missing. */
export function beginMcu(i: i32): bool {
  const at = scan(i);
  if (isRestartDue(i)) {
    const taken = load<i32>(at, 8);
    if (!takeRestart(taken)) return false;
    restart(i, taken + 1);
  }
  store<i32>(at, load<i32>(at, 12) - 1, 12);
  provideMcu();
  return true;
}

export function scan(i: i32): usize {
  return records + recordBytes * i;
}

/** How many components a scan holds. */
export function scanComponents(i: i32): i32 {
  return load<i32>(scan(i), 0);
}

/** Where the prediction of the component at a place is kept, an i32. */
export function prediction(i: i32, place: i32): usize {
  return scan(i) + componentsAt + componentBytes * place + 12;
}

export function scanComponent(i: i32, place: i32): i32 {
  return load<i32>(scan(i) + componentsAt + componentBytes * place, 0);
}

export function dcTable(i: i32, place: i32): usize {
  return load<usize>(scan(i) + componentsAt + componentBytes * place, 4);
}

export function acTable(i: i32, place: i32): usize {
  return load<usize>(scan(i) + componentsAt + componentBytes * place, 8);
}

/** MCUs in a row of the scan: with a single component, its blocks (T.81 §A.2.2). */
export function scanMcusAcross(i: i32): i32 {
  return scanComponents(i) > 1 ? mcusAcross(source) : blocksAcross(source, scanComponent(i, 0));
}

/** Rows of MCUs of the scan. */
export function scanMcusDown(i: i32): i32 {
  return scanComponents(i) > 1 ? mcusDown(source) : blocksDown(source, scanComponent(i, 0));
}

/** Blocks of a component in one MCU of the scan, side by side. */
export function unitsAcross(i: i32, c: i32): i32 {
  return scanComponents(i) > 1 ? horizontal(source, c) : 1;
}

/** Blocks of a component in one MCU of the scan, above each other. */
export function unitsDown(i: i32, c: i32): i32 {
  return scanComponents(i) > 1 ? vertical(source, c) : 1;
}
