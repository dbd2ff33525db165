/**
 * Search for strings of indices that approximate the target colors. Among all dictionary strings whose every pixel is
 * within the tolerance, it looks for the one with the highest worth: its length, minus a price for its color errors.
 * Part of each pixel's error is carried over to the next pixel, as in error diffusion, so that errors do not add up.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { spend } from '../../../../wasm/assembly/work';
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

/** Cost of a pixel at the limit of the tolerance, in pixels per pixel of the usual string length. */
const price: f32 = 0.3 / 8;
/** Share of an error that is carried over to the next pixel. */
const diffusion: f32 = 0.4;
/** Share of the squared tolerance that is deducted for a pixel that stays as it is below: such strings recur. */
const unchangedShare: f32 = 0.25;

/** Nanoseconds that a search takes for the colors of the table, and for each node that it visits. */
const searchTime: u32 = 300;
const visitTime: u32 = 10;

/** Maximum number of nodes that a search visits. */
const effort: i32 = 400;

/** Stack of alternative branches of the search: node, depth, accumulated error, and error to carry over. */
let branches: usize = 0;
const branchBytes: usize = 32;
const maxOpen: i32 = 4096;

/** Indices of colors within the tolerance, a byte each. */
const near: usize = memory.data(256);

/** Maximum squared distance, and the deduction for a pixel that stays as it is below. */
let tolerance: f32 = 0;
let unchangedDiscount: f32 = 0;

/** False if memory runs out. */
export function allocateLossySearch(): bool {
  branches = allocate(branchBytes * <usize>maxOpen);
  return branches !== 0 && allocateMasks() && allocateLossyColors();
}

/**
 * Prepares a frame whose table has been set.
 * @param width of the frame in pixels
 * @param distance maximum distance between a color and its target, in steps of luma
 */
export function prepareLossy(width: i32, distance: f32): void {
  tolerance = distance * distance;
  unchangedDiscount = unchangedShare * tolerance;
  prepareLossyColors();
  fillMasks(width);
  carry = f32x4(0, 0, 0, 0);
  usual = 4;
}

/** The error that the next pixel has to compensate. */
let carry: v128 = f32x4(0, 0, 0, 0);

/** Moving average of the string lengths. */
let usual: f32 = 4;

/** The best string found by the search. */
let bestNode: i32 = 0;
let bestLength: i32 = 0;
let bestWorth: f32 = 0;

export function lossyNode(): i32 {
  return bestNode;
}

// The current position of the search: node, length of its string, accumulated error, and error to carry over.
let node: i32 = 0;
let depth: i32 = 0;
let damage: f32 = 0;
let missing: v128 = f32x4(0, 0, 0, 0);
let open: i32 = 0;
let looked: i32 = 0;
let unit: f32 = 0;

/** Finds the string of the highest worth for the pixels from a position on; returns its length. */
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
  spend(searchTime + <u32>looked * visitTime);
  return bestLength;
}

/** Takes the most recent alternative branch that may lead to a better string. */
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

/** Whether a string that begins with a node's string may have a higher worth than the best so far. */
function canBeBest(node: i32, depth: i32, damage: f32): bool {
  return <f32>(depth + heightOf(node)) - unit * damage > bestWorth;
}

// The target color of a pixel including the carried error, the maximum squared distance, and the best child so far with
// its distance and difference.
let wanted: v128 = f32x4(0, 0, 0, 0);
let limit: f32 = 0;
let chosen: i32 = 0;
let chosenDistance: f32 = 0;
let chosenDifference: v128 = f32x4(0, 0, 0, 0);

/** Moves to the best child for a pixel, and notes the others as branches; false if there is none. */
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
    if (hasBase) consider(transparent, shown, unchangedDiscount);
    if (chosen === none) chooseNearest();
  } else {
    for (let child = firstChild(node); child !== none; child = nextSibling(child)) {
      looked += 1;
      const index = lastOf(child);
      if (index !== transparent) consider(child, lossyColor(index), 0);
      else if (hasBase) consider(child, shown, unchangedDiscount);
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

/**
 * Chooses a child that shows a color, or notes it as a branch, unless the color is too far off or no better string can
 * follow.
 */
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

/** Chooses the nearest color of the table if none is within the tolerance. */
function chooseNearest(): void {
  chosen = nearestIndex(wanted);
  if (chosen === none) return;
  chosenDifference = f32x4.sub(wanted, lossyColor(chosen));
  chosenDistance = squared(chosenDifference);
}

/** Moves to the transparent index, the only one possible for a transparent target. */
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
