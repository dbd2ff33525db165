/** Reads sequential scans, one MCU row at a time (ITU-T T.81 §F.2). */
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
  rowBytes,
  source,
  vertical,
} from './frame';
import { decoderTable, extended, longCode } from './huffman-decoder';

/**
 * Reads the blocks of scan `i` in the frame's MCU row `m` into the source frame's rows.
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

/** Reads one row of the scan's own MCUs; `y` is the row of blocks if the scan has a single component, otherwise 0. */
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

/** Reads the blocks of the scan's component `place` in MCU `x`. */
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

/** Reads a DC difference and adds it to the prediction (T.81 §F.2.2.1); false for an invalid code. */
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
  let consumed = entry & 0xff;
  rest <<= consumed;
  let difference = entry >> 16;
  if (size > 0) {
    difference = extended(<i32>(rest >> (64 - size)), size);
    rest <<= size;
    consumed += size;
  }
  setBits(next, rest, count - consumed);
  store<i32>(predicted, load<i32>(predicted) + difference);
  return true;
}

/**
 * Reads the 63 AC coefficients of a block that is initialized with zeros (T.81 §F.2.2.2); false for an invalid code. As
 * in libjpeg, a value after a run beyond the end of the block is stored at the end.
 */
function readAc(table: usize, block: usize): bool {
  let at = next;
  let rest = bits;
  let available = count;
  let k = 1;
  while (k < 64) {
    if (available < 32) {
      const word = load<u64>(at);
      if (!hasFf(word)) {
        rest |= bswap<u64>(word) >> available;
        at += (63 - available) >> 3;
        available |= 56;
      } else {
        setBits(at, rest, available);
        fill();
        at = next;
        rest = bits;
        available = count;
      }
    }
    const entry = load<i32>(table + ((<usize>(rest >> 54)) << 2));
    let value = entry >> 16;
    let run = (entry >> 8) & 15;
    if (value !== 0) {
      const consumed = entry & 0xff;
      rest <<= consumed;
      available -= consumed;
    } else {
      let consumed = entry & 0xff;
      let size = (entry >> 12) & 15;
      if (entry === 0) {
        const code = longCode(table, <i32>(rest >> 48));
        if (code === 0) return false;
        consumed = code >> 8;
        run = (code >> 4) & 15;
        size = code & 15;
      }
      rest <<= consumed;
      available -= consumed;
      if (size === 0) {
        if (run !== 15) break;
        k += 16;
        continue;
      }
      value = extended(<i32>(rest >> (64 - size)), size);
      rest <<= size;
      available -= size;
    }
    k = min(k + run, 63);
    store<i16>(block + (k << 1), <i16>value);
    k += 1;
  }
  setBits(at, rest, available);
  return true;
}

/* The open scans: their components and tables (ITU-T T.81 §B.2.3). */

/** Part of a scan has been read without an error. This and the following are the results of reading. */
export const sound: i32 = 0;
/** The data end before the picture does. */
export const truncated: i32 = 1;
/** A code is not in its table, or is invalid at its position. */
export const badCode: i32 = 2;
/** A restart marker is missing or out of sequence. */
export const badRestart: i32 = 3;
/** Memory does not suffice for the coefficients. */
export const outOfMemory: i32 = 4;

const recordBytes: usize = 128;
/**
 * A record per scan: number of components, restart interval, number of restarts, MCUs until the next one, i32 each;
 * then, at `componentsAt`, for each component: its index i32, DC table usize, AC table usize, prediction i32.
 */
const records: usize = memory.data(512);
const componentsAt: usize = 32;
const componentBytes: usize = 16;

/**
 * Opens scan `i` at a file position.
 * @param restartInterval in MCUs; 0 for none
 * @param components number of components
 */
export function openScan(i: i32, position: u32, restartInterval: i32, components: i32): void {
  const at = scan(i);
  store<i32>(at, components, 0);
  store<i32>(at, restartInterval, 4);
  openCursor(i, position);
  dropBits();
  restart(i, 0);
}

/** Sets the component at index `place` of scan `i`, and the slots of its tables. */
export function setScanComponent(i: i32, place: i32, c: i32, dcSlot: i32, acSlot: i32): void {
  const at = scan(i) + componentsAt + componentBytes * place;
  store<i32>(at, c, 0);
  store<usize>(at, decoderTable(i, 0, dcSlot), 4);
  store<usize>(at, decoderTable(i, 1, acSlot), 8);
  store<i32>(at, 0, 12);
}

/** Resets the predictions and the restart countdown; `restarts` markers have been read so far. */
function restart(i: i32, restarts: i32): void {
  const at = scan(i);
  store<i32>(at, restarts, 8);
  store<i32>(at, load<i32>(at, 4), 12);
  for (let place = 0; place < 4; place += 1) {
    store<i32>(at + componentsAt + componentBytes * place, 0, 12);
  }
}

/** Whether a restart marker has to precede the next MCU (T.81 §E.2.4). */
export function isRestartDue(i: i32): bool {
  const at = scan(i);
  return load<i32>(at, 4) > 0 && load<i32>(at, 12) === 0;
}

/** Reads the restart marker if one is due, and loads the bytes of the next MCU; false if the marker is missing. */
export function beginMcu(i: i32): bool {
  const at = scan(i);
  if (isRestartDue(i)) {
    const restarts = load<i32>(at, 8);
    if (!takeRestart(restarts)) return false;
    restart(i, restarts + 1);
  }
  store<i32>(at, load<i32>(at, 12) - 1, 12);
  ensureMcuBytes();
  return true;
}

function scan(i: i32): usize {
  return records + recordBytes * i;
}

/** Number of components of a scan. */
export function scanComponents(i: i32): i32 {
  return load<i32>(scan(i), 0);
}

/** Pointer to the DC prediction of the scan's component `place`, i32. */
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

/** Number of MCUs per row of the scan; those of a single component are its blocks (T.81 §A.2.2). */
export function scanMcusAcross(i: i32): i32 {
  return scanComponents(i) > 1 ? mcusAcross(source) : blocksAcross(source, scanComponent(i, 0));
}

/** Number of columns of blocks of a component in an MCU of the scan. */
export function unitsAcross(i: i32, c: i32): i32 {
  return scanComponents(i) > 1 ? horizontal(source, c) : 1;
}

/** Number of rows of blocks of a component in an MCU of the scan. */
export function unitsDown(i: i32, c: i32): i32 {
  return scanComponents(i) > 1 ? vertical(source, c) : 1;
}
