/** Sequential scans, a row of MCUs at a time (ITU-T T.81 §F.2). */
import {
  bits,
  count,
  enterCursor,
  fill,
  hasFf,
  invented,
  isOverrun,
  next,
  setBits,
} from './bit-reader';
import { blocksDown, source, vertical } from './frame';
import { extended, longCode } from './huffman-decoder';
import { blockRow, rowBytes } from './rows';
import {
  acTable,
  badCode,
  badRestart,
  beginMcu,
  dcTable,
  prediction,
  scanComponent,
  scanComponents,
  scanMcusAcross,
  sound,
  truncated,
  unitsAcross,
  unitsDown,
} from './scans';

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
    if (invented > 0 && isOverrun()) return truncated;
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
