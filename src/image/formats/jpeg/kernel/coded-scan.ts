/** Parameters of the scan that is being coded (ITU-T T.81 §B.2.3). */
import {
  blocksAcross,
  blocksDown,
  coded,
  horizontal,
  mcusAcross,
  mcusDown,
  vertical,
} from './frame';
import { acKind, dcKind, tableOf } from './symbols';

let components: i32 = 0;
/** First coefficient of the scan in zigzag order. */
export let bandStart: i32 = 0;
/** Last coefficient of the scan in zigzag order. */
export let bandEnd: i32 = 0;
/** Successive approximation: the lowest bit coded in earlier scans (Ah); 0 in the first scan of a band. */
export let approximationHigh: i32 = 0;
/** Successive approximation: the lowest bit coded in this scan (Al). */
export let approximationLow: i32 = 0;

/** Components of the scan in order, i32 each. */
const places: usize = memory.data(16);
/** For each component: the slots of its DC and AC tables, i32 each. */
const slots: usize = memory.data(32);

/** Sets the scan to code: the first `count` of components `c0` to `c3`, in the frame's order, and its parameters. */
export function setScan(
  count: i32,
  c0: i32,
  c1: i32,
  c2: i32,
  c3: i32,
  ss: i32,
  se: i32,
  ah: i32,
  al: i32,
): void {
  components = count;
  store<i32>(places, c0, 0);
  store<i32>(places, c1, 4);
  store<i32>(places, c2, 8);
  store<i32>(places, c3, 12);
  bandStart = ss;
  bandEnd = se;
  approximationHigh = ah;
  approximationLow = al;
}

/** Sets the slots of the tables of component `c`, 0 to 3 of each kind. */
export function setTableSlot(c: i32, dcSlot: i32, acSlot: i32): void {
  store<i32>(slots + (c << 3), dcSlot, 0);
  store<i32>(slots + (c << 3), acSlot, 4);
}

export function scanComponents(): i32 {
  return components;
}

export function scanComponent(place: i32): i32 {
  return load<i32>(places + (place << 2));
}

/** The DC table of component `c` as encoded in records of symbols. */
export function dcTable(c: i32): u32 {
  return tableOf(dcKind, load<i32>(slots + (c << 3), 0));
}

/** The AC table of component `c` as encoded in records of symbols. */
export function acTable(c: i32): u32 {
  return tableOf(acKind, load<i32>(slots + (c << 3), 4));
}

/** Number of columns of blocks of component `c` in an MCU. MCUs of a single component are blocks (T.81 §A.2.2). */
export function unitsAcross(c: i32): i32 {
  return components > 1 ? horizontal(coded, c) : 1;
}

/** Number of rows of blocks of component `c` in an MCU. */
export function unitsDown(c: i32): i32 {
  return components > 1 ? vertical(coded, c) : 1;
}

/** Number of MCUs per row of the scan. */
export function scanMcusAcross(): i32 {
  return components > 1 ? mcusAcross(coded) : blocksAcross(coded, scanComponent(0));
}

/** Number of MCU rows of the scan. */
export function scanMcusDown(): i32 {
  return components > 1 ? mcusDown(coded) : blocksDown(coded, scanComponent(0));
}
