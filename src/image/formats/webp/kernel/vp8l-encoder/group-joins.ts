/** Joins groups of codes if one code, including its description, takes fewer bits than two. */
import { addHistogram, histogramBits, joinedBits } from './histograms';
import { groupSymbols } from './symbols';
import { groupAt, tileGroups } from './tile-costs';

/** Bits of each group, f32. */
const groupBits: usize = memory.data(4 * 16, 16);
/** Gain of joining each pair of groups, f32; the group that each one has been merged into. */
const gains: usize = memory.data(4 * 16 * 16, 16);
const names: usize = memory.data(16);

/** Joins groups as long as that saves bits; returns the number of remaining groups. */
export function joinGroups(number: i32, tiles: i32): i32 {
  for (let group = 0; group < number; group += 1) {
    store<u8>(names + group, <u8>group);
    setBits(group, histogramBits(groupAt(group)));
  }
  for (let a = 0; a < number; a += 1) {
    for (let b = a + 1; b < number; b += 1) weighPair(a, b);
  }
  for (;;) {
    let first = -1;
    let second = 0;
    let gain: f32 = 0;
    for (let a = 0; a < number; a += 1) {
      for (let b = a + 1; b < number; b += 1) {
        if (!isLeft(a) || !isLeft(b) || load<f32>(gainAt(a, b)) <= gain) continue;
        gain = load<f32>(gainAt(a, b));
        first = a;
        second = b;
      }
    }
    if (first < 0) break;
    addHistogram(groupAt(first), groupAt(second));
    setBits(first, histogramBits(groupAt(first)));
    for (let group = 0; group < number; group += 1) {
      if (load<u8>(names + group) === <u8>second) store<u8>(names + group, <u8>first);
    }
    for (let other = 0; other < number; other += 1) {
      if (other !== first && isLeft(other)) weighPair(min(first, other), max(first, other));
    }
  }
  return renumber(number, tiles);
}

function gainAt(a: i32, b: i32): usize {
  return gains + (((a << 4) + b) << 2);
}

/** Whether a group has not been merged into another one. */
function isLeft(group: i32): bool {
  return load<u8>(names + group) === <u8>group;
}

function setBits(group: i32, bits: f32): void {
  store<f32>(groupBits + (group << 2), bits);
}

function weighPair(a: i32, b: i32): void {
  const apart = load<f32>(groupBits + (a << 2)) + load<f32>(groupBits + (b << 2));
  store<f32>(gainAt(a, b), apart - joinedBits(groupAt(a), groupAt(b)));
}

/** Renumbers the remaining groups without gaps, and moves their histograms. */
function renumber(number: i32, tiles: i32): i32 {
  let left = 0;
  for (let group = 0; group < number; group += 1) {
    if (!isLeft(group)) continue;
    for (let other = group; other < number; other += 1) {
      // The highest bit marks final numbers.
      if (load<u8>(names + other) === <u8>group) store<u8>(names + other, <u8>(left | 128));
    }
    if (left < group) memory.copy(groupAt(left), groupAt(group), (<usize>groupSymbols) << 2);
    left += 1;
  }
  for (let tile = 0; tile < tiles; tile += 1) {
    const at = tileGroups + tile;
    store<u8>(at, load<u8>(names + load<u8>(at)) & 127);
  }
  return left;
}
