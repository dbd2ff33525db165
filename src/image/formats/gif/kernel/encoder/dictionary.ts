/**
 * The LZW dictionary, as the decoder will know it, as a trie: each code has a node, whose path from the root is its
 * string. Codes are numbered in the order in which they are added; those below the clear code are single indices.
 */
import { allocate } from '../../../../wasm/assembly/memory';

/** Codes have 12 bits at most (GIF89a appendix F). */
export const codeCount: i32 = 4096;
const maxWidth: i32 = 12;

/** No node. */
export const none: i32 = 0xffff;
/** The node of the empty string. */
export const root: i32 = codeCount;

/** Slots of the hash table, four times the maximum number of codes. */
const slotCount: u32 = 16384;

/** First child and next sibling of each node, 16 bits each. */
let children: usize = 0;
let siblings: usize = 0;
/** Upper bound of the depth of the subtree below each node. */
let heights: usize = 0;
let parents: usize = 0;
/** The last and the first index of each node's string. */
let lasts: usize = 0;
let firsts: usize = 0;
/** Slots of 32 bits: parent and index in the upper 20 bits, and the node in the lower 12; 0: empty. */
let slots: usize = 0;

let minCodeSize: i32 = 0;
/** The code that the next string gets. */
let free: i32 = 0;
/** Bits of the next code. */
let width: i32 = 0;

/** False if memory runs out. */
export function allocateDictionary(): bool {
  const nodes: usize = <usize>codeCount + 1;
  children = allocate(2 * nodes);
  siblings = allocate(2 * nodes);
  heights = allocate(2 * nodes);
  parents = allocate(2 * nodes);
  lasts = allocate(nodes);
  firsts = allocate(nodes);
  slots = allocate(4 * <usize>slotCount);
  return slots !== 0;
}

/** Resets the dictionary to the strings of one index, for all indices of `bits` bits. */
export function clearDictionary(bits: i32): void {
  minCodeSize = bits;
  width = bits + 1;
  free = (1 << bits) + 2;
  memory.fill(slots, 0, 4 * <usize>slotCount);
  memory.fill(children, 0xff, 2 * (<usize>codeCount + 1));
  memory.fill(siblings, 0xff, 2 * (<usize>codeCount + 1));
  memory.fill(heights, 0, 2 * (<usize>codeCount + 1));
  for (let index: i32 = 0; index < 1 << bits; index += 1) {
    store<u8>(lasts + index, <u8>index);
    store<u8>(firsts + index, <u8>index);
    store<u16>(parents + (index << 1), <u16>root);
  }
}

// Codes.

/** The code that clears the table. */
export function clearCode(): i32 {
  return 1 << minCodeSize;
}

/** Bits of the next code. */
export function codeWidth(): i32 {
  return width;
}

/** Whether no more strings can be added. */
export function isFull(): bool {
  return free === codeCount;
}

/** The code that the next string gets. */
export function freeCode(): i32 {
  return free;
}

/** Mirrors the decoder at a code that follows another one: assigns the free code, which may widen the codes. */
export function takeCode(): void {
  free += 1;
  if (free === 1 << width && width < maxWidth) width += 1;
}

// Nodes.

export function heightOf(node: i32): i32 {
  return load<u16>(heights + (node << 1));
}

export function firstOf(node: i32): i32 {
  return load<u8>(firsts + node);
}

export function lastOf(node: i32): i32 {
  return load<u8>(lasts + node);
}

export function parentOf(node: i32): i32 {
  return load<u16>(parents + (node << 1));
}

/** The first child of a node, or `none`. */
export function firstChild(node: i32): i32 {
  return load<u16>(children + (node << 1));
}

/** The next child of the same parent, or `none`. */
export function nextSibling(node: i32): i32 {
  return load<u16>(siblings + (node << 1));
}

/** The child of a node for an index, or `none`. */
export function childOf(node: i32, index: i32): i32 {
  if (load<u16>(children + (node << 1)) === <u16>none) return none;
  const key = keyOf(node, index);
  let slot = hashOf(key);
  while (true) {
    const entry = load<u32>(slots + (slot << 2));
    if (entry === 0) return none;
    if (entry >> 12 === key) return <i32>(entry & 0xfff);
    slot = (slot + 1) & (slotCount - 1);
  }
}

/** Adds the free code as a new child. */
export function addChild(node: i32, index: i32): void {
  const key = keyOf(node, index);
  let slot = hashOf(key);
  while (load<u32>(slots + (slot << 2)) !== 0) slot = (slot + 1) & (slotCount - 1);
  store<u32>(slots + (slot << 2), (key << 12) | <u32>free);
  store<u16>(siblings + (free << 1), load<u16>(children + (node << 1)));
  store<u16>(children + (node << 1), <u16>free);
  store<u16>(children + (free << 1), <u16>none);
  store<u16>(heights + (free << 1), 0);
  store<u16>(parents + (free << 1), <u16>node);
  store<u8>(lasts + free, <u8>index);
  store<u8>(firsts + free, load<u8>(firsts + node));
  raiseHeights(node);
}

/** Removes the child that was added last; the heights of its ancestors are not reduced. */
export function removeChild(node: i32, index: i32): void {
  let slot = hashOf(keyOf(node, index));
  while ((load<u32>(slots + (slot << 2)) & 0xfff) !== <u32>free)
    slot = (slot + 1) & (slotCount - 1);
  store<u32>(slots + (slot << 2), 0);
  store<u16>(children + (node << 1), load<u16>(siblings + (free << 1)));
}

/** Updates the heights of a node and its ancestors after a child was added. */
function raiseHeights(node: i32): void {
  let height: u16 = 1;
  while (node !== root && load<u16>(heights + (node << 1)) < height) {
    store<u16>(heights + (node << 1), height);
    height += 1;
    node = parentOf(node);
  }
}

function keyOf(node: i32, index: i32): u32 {
  return ((<u32>node) << 8) | <u32>index;
}

function hashOf(key: u32): u32 {
  return (key * 0x9e3779b1) >> 18;
}
