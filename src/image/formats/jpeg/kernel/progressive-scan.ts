/** Reads progressive scans into the planes, row by row (ITU-T T.81 §G.2). */
import {
  bits,
  count,
  enterCursor,
  fill,
  isOverrun,
  next,
  paddingBits,
  setBits,
} from './bit-reader';
import { blocksAcross, blocksDown, source } from './frame';
import { extended, longCode } from './huffman-decoder';
import { coefficient, dcPlane, highPlane, lowPlane, nonzero, setCoefficient } from './planes';
import {
  acTable,
  badCode,
  badRestart,
  beginMcu,
  dcTable,
  isRestartDue,
  outOfMemory,
  prediction,
  readDc,
  scanComponent,
  scanComponents,
  scanMcusAcross,
  sound,
  truncated,
  unitsAcross,
  unitsDown,
} from './sequential-scan';

/** Remaining blocks of an end-of-band run (EOBRUN), which have no further codes. */
let endOfBandRun: i32 = 0;

/**
 * Reads row `y` of the MCUs of scan `i`, of the coefficients `ss` to `se`: their bits from `al` upwards if `ah` is 0,
 * otherwise only bit `al`. Rows must be read in order, and no other progressive scan in between.
 * @returns `sound`, `truncated`, `badCode`, `badRestart` or `outOfMemory`
 */
export function readProgressiveRow(i: i32, y: i32, ss: i32, se: i32, ah: i32, al: i32): i32 {
  enterCursor(i);
  if (y === 0) endOfBandRun = 0;
  const across = scanMcusAcross(i);
  for (let x = 0; x < across; x += 1) {
    if (isRestartDue(i)) endOfBandRun = 0;
    if (!beginMcu(i)) return badRestart;
    const status = ss === 0 ? readDcMcu(i, x, y, ah, al) : readAcBlock(i, x, y, ss, se, ah, al);
    if (status !== sound) return status;
    if (paddingBits > 0 && isOverrun()) return truncated;
  }
  return sound;
}

/** Reads the DC of all blocks of an MCU; that of padding blocks is skipped. */
function readDcMcu(i: i32, x: i32, y: i32, ah: i32, al: i32): i32 {
  for (let place = 0; place < scanComponents(i); place += 1) {
    const c = scanComponent(i, place);
    const across = unitsAcross(i, c);
    const down = unitsDown(i, c);
    const columns = blocksAcross(source, c);
    const rows = blocksDown(source, c);
    const plane = dcPlane(c);
    for (let v = 0; v < down; v += 1) {
      for (let h = 0; h < across; h += 1) {
        const column = x * across + h;
        const row = y * down + v;
        const isInside = column < columns && row < rows;
        const at = plane + ((row * columns + column) << 1);
        if (ah === 0) {
          const predicted = prediction(i, place);
          if (!readDc(dcTable(i, place), predicted)) return badCode;
          if (isInside) store<i16>(at, <i16>(load<i32>(predicted) << al));
        } else if (readBit() && isInside) {
          store<i16>(at, <i16>(<i32>load<i16>(at) | (1 << al)));
        }
      }
    }
  }
  return sound;
}

function readBit(): bool {
  if (count < 1) fill();
  const bit = bits >> 63 !== 0;
  setBits(next, bits << 1, count - 1);
  return bit;
}

/** Reads 1 to 15 bits as an unsigned integer. */
function readBits(size: i32): i32 {
  if (count < size) fill();
  const value = <i32>(bits >> (64 - size));
  setBits(next, bits << size, count - size);
  return value;
}

/** Reads an AC code; returns a lookup entry of a decoder table, or 0 if the table has no such code. */
function readAcCode(table: usize): i32 {
  if (count < 32) fill();
  const entry = load<i32>(table + ((<usize>(bits >> 54)) << 2));
  if (entry !== 0) {
    setBits(next, bits << (entry & 0xff), count - (entry & 0xff));
    return entry;
  }
  const code = longCode(table, <i32>(bits >> 48));
  if (code === 0) return 0;
  const length = code >> 8;
  setBits(next, bits << length, count - length);
  return length | (((code >> 4) & 15) << 8) | ((code & 15) << 12);
}

function readAcBlock(i: i32, x: i32, y: i32, ss: i32, se: i32, ah: i32, al: i32): i32 {
  const c = scanComponent(i, 0);
  const block = y * blocksAcross(source, c) + x;
  const low = lowPlane(c) + (block << 6);
  const high = highPlane(c) + (block << 2);
  const table = acTable(i, 0);
  return ah === 0
    ? readFirst(table, low, high, ss, se, al)
    : readRefinement(table, low, high, ss, se, al);
}

/** Reads a block's band in its first scan: T.81 §G.2.2, the inverse of figure G.3. */
function readFirst(table: usize, low: usize, high: usize, ss: i32, se: i32, al: i32): i32 {
  if (endOfBandRun > 0) {
    endOfBandRun -= 1;
    return sound;
  }
  for (let k = ss; k <= se; k += 1) {
    const entry = readAcCode(table);
    if (entry === 0) return badCode;
    const run = (entry >> 8) & 15;
    const size = (entry >> 12) & 15;
    let value = entry >> 16;
    if (size > 0) value = extended(readBits(size), size);
    if (value !== 0) {
      // as in libjpeg, a value after a run beyond the end of the block is stored at the end
      k = min(k + run, 63);
      if (!setCoefficient(low, high, k, <i16>(value << al))) return outOfMemory;
    } else if (run === 15) {
      k += 15;
    } else {
      endOfBandRun = (1 << run) - 1;
      if (run > 0) endOfBandRun += readBits(run);
      break;
    }
  }
  return sound;
}

/** Reads a block's band in a refinement scan: the inverse of T.81 §G.1.2.3, figures G.7 to G.9. */
function readRefinement(table: usize, low: usize, high: usize, ss: i32, se: i32, al: i32): i32 {
  let k = ss;
  if (endOfBandRun === 0) {
    for (; k <= se; k += 1) {
      const entry = readAcCode(table);
      if (entry === 0) return badCode;
      let run = (entry >> 8) & 15;
      const size = (entry >> 12) & 15;
      let value = entry >> 16;
      if (size > 1) return badCode;
      if (size === 1) value = readBit() ? 1 : -1;
      if (value !== 0) {
        if (value !== 1 && value !== -1) return badCode;
        value *= 1 << al;
      } else if (run < 15) {
        endOfBandRun = 1 << run;
        if (run > 0) endOfBandRun += readBits(run);
        break;
      }
      for (; k <= se; k += 1) {
        const known = coefficient(low, high, k);
        if (known !== 0) {
          if (!refine(low, high, k, known, al)) return outOfMemory;
        } else {
          run -= 1;
          if (run < 0) break;
        }
      }
      if (value !== 0 && !setCoefficient(low, high, min(k, 63), <i16>value)) return outOfMemory;
    }
  }
  if (endOfBandRun > 0) {
    endOfBandRun -= 1;
    if (k > se) return sound;
    // a run of a few bits can span a whole picture of zeros, so zeros are not visited one by one
    const band: u64 = (~(<u64>0) << k) & (~(<u64>0) >> (63 - se));
    for (let remaining = nonzero(low, high) & band; remaining !== 0; remaining &= remaining - 1) {
      const at = <i32>ctz(remaining);
      if (!refine(low, high, at, coefficient(low, high, at), al)) return outOfMemory;
    }
  }
  return sound;
}

/** Reads one more bit of a nonzero coefficient; false if memory runs out. */
function refine(low: usize, high: usize, k: i32, known: i32, al: i32): bool {
  if (!readBit()) return true;
  const bit = 1 << al;
  // a damaged file may set a bit twice
  if ((known & bit) !== 0) return true;
  return setCoefficient(low, high, k, <i16>(known > 0 ? known + bit : known - bit));
}
