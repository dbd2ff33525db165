/**
 * Search for strings of indices that reproduce the target colors exactly. A pixel has up to two possible indices: that
 * of its color, and the transparent one if the pixel below has the same color.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { spend } from '../../../../wasm/assembly/work';
import { childOf, codeCount, heightOf, lastOf, none, parentOf, root } from './dictionary';
import { baseAt, colorAt, pixelCount, tableLength, targetAt, transparentIndex } from './frame';

/** 16 bits per pixel: the index of its color, and flags. */
let choices: usize = 0;
const hasOwn: i32 = 0x100;
const mayPass: i32 = 0x200;

/** Stack of alternative branches of the search: node and position, 32 bits each. */
let branches: usize = 0;

/** Nanoseconds that a search takes, each of its branches, and each pixel on those. */
const searchTime: u32 = 20;
const branchTime: u32 = 10;
const stepTime: u32 = 8;

/** Maximum number of branches that a search takes up. */
const maxBranches: i32 = 64;

/** Hash table of colors: word and index, in 1,024 slots. */
let colors: usize = 0;
const colorSlots: u32 = 1024;

/** False if memory runs out. */
export function allocateExactSearch(): bool {
  choices = allocate(2 * pixelCount());
  branches = allocate(8 * <usize>codeCount);
  colors = allocate(8 * <usize>colorSlots);
  return choices !== 0 && branches !== 0 && colors !== 0;
}

/** Number of pixels whose choices are known, and the start of the current run of pixels equal to those below. */
let prepared: usize = 0;
let runStart: usize = 0;
let minRun: u32 = 0;

/**
 * Prepares a frame whose table has been set.
 * @param shortRun in runs of fewer pixels equal to those below, only the indices of colors are used, where they exist;
 *   in longer runs, the transparent index may be used as well. 0: it may always be used
 */
export function beginExactSearch(shortRun: u32): void {
  fillColors();
  prepared = 0;
  runStart = 0;
  minRun = shortRun;
}

/** Pixels after a position whose choices have to be known to search there, and again after the string found. */
const lookahead: usize = 2 * <usize>codeCount;
/** Pixels whose choices are determined at a time; the rest is not needed if the frame is abandoned. */
const piece: usize = 32768;

/** Determines the choices of the pixels that a search at a position may reach; false if a pixel has none. */
export function provideChoices(position: usize): bool {
  const count = pixelCount();
  if (min(position + lookahead, count) <= prepared) return true;
  const transparent = transparentIndex();
  const end = min(position + lookahead + piece, count);
  let last: u32 = 0;
  let lastChoice: i32 = 0;
  let i = prepared;
  // A short run is only recognized at its end.
  for (; i < end || (i < count && i - runStart < minRun); i += 1) {
    const color = targetAt(i);
    const base = baseAt(i);
    if (color !== last) {
      last = color;
      const slot = slotOf(color);
      lastChoice = load<u32>(slot) !== 0 ? load<i32>(slot, 4) | hasOwn : 0;
    }
    const isClear = color >> 24 === 0;
    let choice = isClear ? 0 : lastChoice;
    const isSame = isClear ? base >> 24 === 0 : base === color;
    if (isSame && transparent >= 0) choice |= mayPass;
    if (choice === 0) return false;
    store<u16>(choices + (i << 1), <u16>choice);
    if ((choice & mayPass) === 0) {
      if (i - runStart < minRun) keepOwn(runStart, i);
      runStart = i + 1;
    }
  }
  if (i === count && i - runStart < minRun) keepOwn(runStart, i);
  prepared = i;
  return true;
}

/** Removes the transparent index from the choices of pixels that have an index of their color. */
function keepOwn(from: usize, to: usize): void {
  for (let i = from; i < to; i += 1) {
    const choice = <i32>load<u16>(choices + (i << 1));
    if ((choice & hasOwn) !== 0) store<u16>(choices + (i << 1), <u16>(choice & ~mayPass));
  }
}

/** Fills the hash table of colors. */
function fillColors(): void {
  memory.fill(colors, 0, 8 * <usize>colorSlots);
  for (let index: i32 = 0; index < tableLength(); index += 1) {
    if (index === transparentIndex()) continue;
    const slot = slotOf(colorAt(index));
    if (load<u32>(slot) !== 0) continue;
    store<u32>(slot, colorAt(index));
    store<u32>(slot, index, 4);
  }
}

/** Address of a color's slot, or of the empty slot where it would be; no color is 0, since all are opaque. */
function slotOf(color: u32): usize {
  let slot = (color * 0x9e3779b1) >> 22;
  while (true) {
    const at = colors + ((<usize>slot) << 3);
    const there = load<u32>(at);
    if (there === 0 || there === color) return at;
    slot = (slot + 1) & (colorSlots - 1);
  }
}

/** Whether a pixel may have an index. */
export function mayHave(position: usize, index: i32): bool {
  const choice = <i32>load<u16>(choices + (position << 1));
  if (index === transparentIndex()) return (choice & mayPass) !== 0;
  return (choice & hasOwn) !== 0 && (choice & 0xff) === index;
}

/** The best string found by the search. */
let bestNode: i32 = 0;

export function exactNode(): i32 {
  return bestNode;
}

/**
 * Finds the longest dictionary string for the pixels from a position on; returns its length.
 * @param beyond only longer strings are considered; if there are none, this value is returned
 */
export function longestExact(position: usize, beyond: i32): i32 {
  const transparent = transparentIndex();
  const end = pixelCount();
  let bestLength = beyond;
  let node = root;
  let at = position;
  let open: usize = 0;
  spend(searchTime);
  for (let tried: i32 = 0; tried <= maxBranches; tried += 1) {
    const from = at;
    while (at < end) {
      const choice = <i32>load<u16>(choices + (at << 1));
      const own = (choice & hasOwn) === 0 ? none : step(node, choice & 0xff);
      const through = (choice & mayPass) === 0 ? none : step(node, transparent);
      if (own === none && through === none) break;
      at += 1;
      if (own === none) node = through;
      else if (through === none) node = own;
      else {
        const isThrough = heightOf(through) >= heightOf(own);
        node = isThrough ? through : own;
        store<u32>(branches + (open << 3), <u32>(isThrough ? own : through));
        store<u32>(branches + (open << 3), <u32>at, 4);
        open += 1;
      }
      if (<i32>(at - position) + heightOf(node) <= bestLength) break;
    }
    spend(branchTime + <u32>(at - from) * stepTime);
    const length = <i32>(at - position);
    if (length > bestLength) {
      bestLength = length;
      bestNode = node;
    }
    do {
      if (open === 0) return bestLength;
      open -= 1;
      node = load<i32>(branches + (open << 3));
      at = load<u32>(branches + (open << 3), 4);
    } while (<i32>(at - position) + heightOf(node) <= bestLength);
  }
  return bestLength;
}

/** Whether the pixels from a position on may have the indices of a node's string of the given length. */
export function isExactAt(position: usize, node: i32, length: i32): bool {
  if (position + length > pixelCount()) return false;
  for (let at = position + length - 1; node !== root; at -= 1) {
    if (!mayHave(at, lastOf(node))) return false;
    node = parentOf(node);
  }
  return true;
}

function step(node: i32, index: i32): i32 {
  return node === root ? index : childOf(node, index);
}
