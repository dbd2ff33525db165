/**
 * Runs of indices that show nearly what shall be seen. Of all strings in the dictionary whose every pixel is within a
 * tolerance, the one is looked for that is worth most: its length, less a price for what it does to colors. What a
 * pixel lacks is passed on to the next, as in error diffusion, so that errors do not add up.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { allocateMasks, fillMasks, maskAt } from './busy-masks';
import { firstChild, heightOf, lastOf, nextSibling, none, root } from './dictionary';
import { baseAt, pixelCount, targetAt, transparentIndex } from './frame';
import {
  allocateLossyColors,
  lossyColor,
  nearestIndex,
  nearIndices,
  prepareLossyColors,
  splitColor,
  squared,
} from './lossy-colors';

/** What a pixel at the limit of the tolerance costs, in pixels by which a string of usual length has to be longer. */
const price: f32 = 0.3 / 8;
/** The part of an error that the next pixel takes over. */
const diffusion: f32 = 0.4;
/** Bonus for leaving a pixel as it is below, as a share of the squared tolerance, because such strings recur. */
const favorShare: f32 = 0.25;

/** How many nodes are looked at in a search, at most. */
const effort: i32 = 400;

/** Places where the search can go on otherwise: node, depth, damage, and what is missing. */
let branches: usize = 0;
const branchBytes: usize = 32;
const maxOpen: i32 = 4096;

/** Indices of colors that are near enough, a byte each. */
const near: usize = memory.data(256);

/** The square of the distance that may be, and what is taken off for leaving a pixel as it is. */
let tolerance: f32 = 0;
let favor: f32 = 0;

/** False if there is no room. */
export function allocateLossySearch(): bool {
  branches = allocate(branchBytes * <usize>maxOpen);
  return branches !== 0 && allocateMasks() && allocateLossyColors();
}

/**
 * Gets ready for a frame whose table is set.
 * @param width of the frame in pixels
 * @param distance that may be between a color and the one that is wanted, in steps of luma
 */
export function prepareLossy(width: i32, distance: f32): void {
  tolerance = distance * distance;
  favor = favorShare * tolerance;
  prepareLossyColors();
  fillMasks(width);
  carry = f32x4(0, 0, 0, 0);
  usual = 4;
}

/** What the next pixel has to make up for. */
let carry: v128 = f32x4(0, 0, 0, 0);

/** Length of strings as of late. */
let usual: f32 = 4;

/** What the search has found. */
let bestNode: i32 = 0;
let bestLength: i32 = 0;
let bestWorth: f32 = 0;

export function lossyNode(): i32 {
  return bestNode;
}

// The place that is looked at: node, pixels that its string has, and what the string has done to colors.
let node: i32 = 0;
let depth: i32 = 0;
let damage: f32 = 0;
let missing: v128 = f32x4(0, 0, 0, 0);
let open: i32 = 0;
let looked: i32 = 0;
let unit: f32 = 0;

/** Looks for the string that is worth most for the pixels from a position on; returns its length. */
export function bestLossy(position: usize): i32 {
  bestLength = 0;
  bestWorth = -Infinity;
  node = root;
  depth = 0;
  damage = 0;
  missing = carry;
  open = 0;
  looked = 0;
  unit = (price * usual) / tolerance;
  const end = pixelCount();
  do {
    while (position + depth < end && advance(position + depth)) {
      const worth = <f32>depth - unit * damage;
      if (worth <= bestWorth) continue;
      bestWorth = worth;
      bestNode = node;
      bestLength = depth;
      carry = missing;
    }
  } while (looked < effort && nextBranch());
  usual += (<f32>bestLength - usual) * 0.05;
  return bestLength;
}

/** Takes up the last place where the search can go on otherwise to something better. */
function nextBranch(): bool {
  while (open > 0) {
    open -= 1;
    const at = branches + <usize>open * branchBytes;
    node = load<u16>(at);
    depth = load<u16>(at, 2);
    damage = load<f32>(at, 4);
    if (!canBeBest(node, depth, damage)) continue;
    missing = v128.load(at, 16);
    return true;
  }
  return false;
}

/** Whether a string that begins with that of a node may be worth more than the best so far. */
function canBeBest(node: i32, depth: i32, damage: f32): bool {
  return <f32>(depth + heightOf(node)) - unit * damage > bestWorth;
}

// What is wanted of a pixel, the square of the distance that may be, and the best child so far with what it leaves.
let wanted: v128 = f32x4(0, 0, 0, 0);
let limit: f32 = 0;
let chosen: i32 = 0;
let chosenDistance: f32 = 0;
let chosenDifference: v128 = f32x4(0, 0, 0, 0);

/** Goes on to the best child for a pixel, and notes the others; false if there is none. */
function advance(position: usize): bool {
  const target = targetAt(position);
  if (target >> 24 === 0) return advanceClear();
  const base = baseAt(position);
  const transparent = transparentIndex();
  const hasBase = transparent >= 0 && base >> 24 !== 0;
  const shown = hasBase ? splitColor(base) : f32x4(0, 0, 0, 0);
  wanted = f32x4.add(splitColor(target), missing);
  const mask = maskAt(position);
  limit = tolerance * mask * mask;
  chosen = none;
  chosenDistance = Infinity;
  const before = open;
  if (node === root) {
    considerTable();
    if (hasBase) consider(transparent, shown, favor);
    if (chosen === none) chooseNearest();
  } else {
    for (let child = firstChild(node); child !== none; child = nextSibling(child)) {
      looked += 1;
      const index = lastOf(child);
      if (index !== transparent) consider(child, lossyColor(index), 0);
      else if (hasBase) consider(child, shown, favor);
    }
  }
  if (chosen === none) {
    open = before;
    return false;
  }
  node = chosen;
  depth += 1;
  damage += chosenDistance;
  missing = f32x4.mul(chosenDifference, f32x4.splat(diffusion));
  return true;
}

/** Notes a child that shows a color, or chooses it; unless that is too far off, or leads to nothing better. */
function consider(child: i32, color: v128, discount: f32): void {
  const difference = f32x4.sub(wanted, color);
  const distance = squared(difference) - discount;
  if (distance > limit || !canBeBest(child, depth + 1, damage + distance)) return;
  if (distance >= chosenDistance) {
    note(child, distance, difference);
    return;
  }
  if (chosen !== none) note(chosen, chosenDistance, chosenDifference);
  chosen = child;
  chosenDistance = distance;
  chosenDifference = difference;
}

function note(child: i32, distance: f32, difference: v128): void {
  if (open === maxOpen) return;
  const at = branches + <usize>open * branchBytes;
  store<u16>(at, <u16>child);
  store<u16>(at, <u16>(depth + 1), 2);
  store<f32>(at, damage + distance, 4);
  v128.store(at, f32x4.mul(difference, f32x4.splat(diffusion)), 16);
  open += 1;
}

/** Considers all colors of the table. */
function considerTable(): void {
  const count = nearIndices(wanted, limit, near);
  for (let i: i32 = 0; i < count; i += 1) {
    const index = <i32>load<u8>(near + i);
    consider(index, lossyColor(index), 0);
  }
}

/** Chooses the nearest color of the table, where none is near enough. */
function chooseNearest(): void {
  chosen = nearestIndex(wanted);
  if (chosen === none) return;
  chosenDifference = f32x4.sub(wanted, lossyColor(chosen));
  chosenDistance = squared(chosenDifference);
}

/** What shall be transparent can only let through what is. */
function advanceClear(): bool {
  const transparent = transparentIndex();
  missing = f32x4(0, 0, 0, 0);
  if (node === root) {
    node = transparent;
    depth += 1;
    return true;
  }
  for (let child = firstChild(node); child !== none; child = nextSibling(child)) {
    looked += 1;
    if (lastOf(child) !== transparent) continue;
    node = child;
    depth += 1;
    return true;
  }
  return false;
}
