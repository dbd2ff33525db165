/** Sequential scans, a row of MCUs at a time (ITU-T T.81 §F.2). */
import {
  bits,
  count,
  dropBits,
  ensureMcuBytes,
  enterCursor,
  fill,
  hasFf,
  isOverrun,
  next,
  openCursor,
  paddingBits,
  setBits,
  takeRestart,
} from './bit-reader';
import {
  blockRow,
  blocksAcross,
  blocksDown,
  horizontal,
  mcusAcross,
  mcusDown,
  rowBytes,
  source,
  vertical,
} from './frame';
import { decoderTable, extended, longCode } from './huffman-decoder';

/**
 * Reads what scan `i` has of the frame's row `m` of MCUs into the source rows.
 * @returns `sound`, `truncated`, `badCode` or `badRestart`
 */
export function readMcuRow(i: i32, m: i32): i32 {
  enterCursor(i);
  for (let place = 0; place < scanComponents(i); place += 1) {
    const c = scanComponent(i, place);
    memory.fill(blockRow(source, c, 0), 0, rowBytes(source, c) * vertical(source, c));
  }
  if (scanComponents(i) > 1) return readRow(i, 0);
  const c = scanComponent(i, 0);
  const rows = min(vertical(source, c), blocksDown(source, c) - m * vertical(source, c));
  for (let y = 0; y < rows; y += 1) {
    const status = readRow(i, y);
    if (status !== sound) return status;
  }
  return sound;
}

/** Reads one row of the scan's own MCUs; `y` is its row of blocks where it has one component. */
function readRow(i: i32, y: i32): i32 {
  const across = scanMcusAcross(i);
  const components = scanComponents(i);
  for (let x = 0; x < across; x += 1) {
    if (!beginMcu(i)) return badRestart;
    for (let place = 0; place < components; place += 1) {
      if (!readBlocks(i, place, x, y)) return badCode;
    }
    if (paddingBits > 0 && isOverrun()) return truncated;
  }
  return sound;
}

/** Reads the blocks that the component at a place has in MCU `x`. */
function readBlocks(i: i32, place: i32, x: i32, y: i32): bool {
  const c = scanComponent(i, place);
  const across = unitsAcross(i, c);
  const down = unitsDown(i, c);
  const dc = dcTable(i, place);
  const ac = acTable(i, place);
  const predicted = prediction(i, place);
  for (let v = 0; v < down; v += 1) {
    let block = blockRow(source, c, y + v) + ((x * across) << 7);
    for (let h = 0; h < across; h += 1) {
      if (!readDc(dc, predicted)) return false;
      store<i16>(block, <i16>load<i32>(predicted));
      if (!readAc(ac, block)) return false;
      block += 128;
    }
  }
  return true;
}

/** Reads a difference and adds it to the prediction (T.81 §F.2.2.1). */
export function readDc(table: usize, predicted: usize): bool {
  if (count < 32) fill();
  let rest = bits;
  let entry = load<i32>(table + ((<usize>(rest >> 54)) << 2));
  let size = 0;
  if (entry === 0) {
    const code = longCode(table, <i32>(rest >> 48));
    if (code === 0) return false;
    entry = code >> 8;
    size = code & 0xff;
  } else {
    size = (entry >> 12) & 15;
  }
  let used = entry & 0xff;
  rest <<= used;
  let difference = entry >> 16;
  if (size > 0) {
    difference = extended(<i32>(rest >> (64 - size)), size);
    rest <<= size;
    used += size;
  }
  setBits(next, rest, count - used);
  store<i32>(predicted, load<i32>(predicted) + difference);
  return true;
}

/**
 * Reads the 63 other coefficients of a block of zeros (T.81 §F.2.2.2). As in
 * libjpeg, a run that leads past the end puts its value at the end.
 */
function readAc(table: usize, block: usize): bool {
  let at = next;
  let rest = bits;
  let left = count;
  let k = 1;
  while (k < 64) {
    if (left < 32) {
      const word = load<u64>(at);
      if (!hasFf(word)) {
        rest |= bswap<u64>(word) >> left;
        at += (63 - left) >> 3;
        left |= 56;
      } else {
        setBits(at, rest, left);
        fill();
        at = next;
        rest = bits;
        left = count;
      }
    }
    const entry = load<i32>(table + ((<usize>(rest >> 54)) << 2));
    let value = entry >> 16;
    let run = (entry >> 8) & 15;
    if (value !== 0) {
      const used = entry & 0xff;
      rest <<= used;
      left -= used;
    } else {
      let used = entry & 0xff;
      let size = (entry >> 12) & 15;
      if (entry === 0) {
        const code = longCode(table, <i32>(rest >> 48));
        if (code === 0) return false;
        used = code >> 8;
        run = (code >> 4) & 15;
        size = code & 15;
      }
      rest <<= used;
      left -= used;
      if (size === 0) {
        if (run !== 15) break;
        k += 16;
        continue;
      }
      value = extended(<i32>(rest >> (64 - size)), size);
      rest <<= size;
      left -= size;
    }
    k = min(k + run, 63);
    store<i16>(block + (k << 1), <i16>value);
    k += 1;
  }
  setBits(at, rest, left);
  return true;
}

/* The scans that are open: which components they hold, with which tables (ITU-T T.81 §B.2.3). */

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

/** Takes the marker that is due, if one is, and sees to the bytes of the next MCU; false if it is missing. */
export function beginMcu(i: i32): bool {
  const at = scan(i);
  if (isRestartDue(i)) {
    const taken = load<i32>(at, 8);
    if (!takeRestart(taken)) return false;
    restart(i, taken + 1);
  }
  store<i32>(at, load<i32>(at, 12) - 1, 12);
  ensureMcuBytes();
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
