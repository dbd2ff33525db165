/**
 * Runs of indices that show nearly what shall be seen. Of all strings in the dictionary whose every pixel is within a
 * tolerance, the one is looked for that is worth most: its length, less a price for what it does to colours. What a pixel
 * lacks is passed on to the next, as in error diffusion, so that errors do not add up.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { firstChild, heightOf, lastOf, nextSibling, none, root } from './dictionary';
import { basesAt, colorAt, pixelCount, tableLength, targetsAt, transparentIndex } from './frame';

/** Luma, and blue and red less luma, by how much of a difference is seen; of 256 indices, 32-bit floats. */
let tableLuma: usize = 0;
let tableBlue: usize = 0;
let tableRed: usize = 0;

/** Weights of the differences of colour beside that of luma. */
const blueWeight: f32 = 0.25;
const redWeight: f32 = 0.4;

/** What a pixel at the limit of the tolerance costs, in pixels by which a string of usual length has to be longer. */
const price: f32 = 0.3 / 8;
/** The part of an error that the next pixel takes over. */
const diffusion: f32 = 0.4;
/** Of the tolerance squared, what is taken off for leaving a pixel as it is below: such strings come again. */
const favourShare: f32 = 0.25;
/** The part of the tolerance that holds where nothing is going on, and what is added for each step of the range around. */
const flatShare: f32 = 0.7;
const busyShare: f32 = 0.03;

/** How many nodes are looked at in a search, at most. */
const effort: i32 = 400;

/** Of each pixel, how many 64ths of the tolerance hold, by how busy it is around it. */
let masks: usize = 0;

/** Places where the search can go on otherwise. */
let branches: usize = 0;
const branchBytes: usize = 24;
const maxOpen: i32 = 4096;

/** The square of the distance that may be, and what is taken off for leaving a pixel as it is. */
let tolerance: f32 = 0;
let favour: f32 = 0;

/** False where there is no room. */
export function allocateLossySearch(): bool {
  tableLuma = allocate(4 * 256);
  tableBlue = allocate(4 * 256);
  tableRed = allocate(4 * 256);
  masks = allocate(pixelCount());
  branches = allocate(branchBytes * <usize>maxOpen);
  return branches !== 0 && masks !== 0 && tableRed !== 0;
}

/** A colour as it is compared. */
let luma: f32 = 0;
let blue: f32 = 0;
let red: f32 = 0;

function split(word: u32): void {
  const r = <f32>(word & 0xff);
  const g = <f32>((word >> 8) & 0xff);
  const b = <f32>((word >> 16) & 0xff);
  luma = 0.299 * r + 0.587 * g + 0.114 * b;
  blue = (b - luma) * blueWeight;
  red = (r - luma) * redWeight;
}

/**
 * Gets ready for a frame whose table is set.
 * @param width of the frame in pixels
 * @param distance that may be between a colour and the one that is wanted, in steps of luma
 */
export function prepareLossy(width: i32, distance: f32): void {
  tolerance = distance * distance;
  favour = favourShare * tolerance;
  for (let index: i32 = 0; index < tableLength(); index += 1) {
    split(colorAt(index));
    store<f32>(tableLuma + (index << 2), luma);
    store<f32>(tableBlue + (index << 2), blue);
    store<f32>(tableRed + (index << 2), red);
  }
  fillMasks(width);
  carryLuma = 0;
  carryBlue = 0;
  carryRed = 0;
  usual = 4;
}

/** By the range of green within 3 × 3 pixels. */
function fillMasks(width: i32): void {
  const count = <i32>pixelCount();
  for (let i: i32 = 0; i < count; i += 1) {
    const x = i % width;
    let least: i32 = 255;
    let most: i32 = 0;
    for (let row = i - width; row <= i + width; row += width) {
      if (row < 0 || row >= count) continue;
      const from = x > 0 ? row - 1 : row;
      const to = x < width - 1 ? row + 1 : row;
      for (let at = from; at <= to; at += 1) {
        const word = load<u32>(targetsAt() + (at << 2));
        if (word >> 24 === 0) continue;
        const green = <i32>((word >> 8) & 0xff);
        least = min(least, green);
        most = max(most, green);
      }
    }
    const range = <f32>max(0, most - least);
    store<u8>(masks + i, <u8>min<f32>(255, 64 * (flatShare + busyShare * range)));
  }
}

/** What the next pixel has to make up for. */
let carryLuma: f32 = 0;
let carryBlue: f32 = 0;
let carryRed: f32 = 0;

/** Length of strings as of late. */
let usual: f32 = 4;

/** What the search has found. */
let bestNode: i32 = 0;
let bestLength: i32 = 0;
let bestWorth: f32 = 0;

export function lossyNode(): i32 {
  return bestNode;
}

// The place that is looked at: node, pixels that its string has, and what the string has done to colours.
let node: i32 = 0;
let depth: i32 = 0;
let damage: f32 = 0;
let missingLuma: f32 = 0;
let missingBlue: f32 = 0;
let missingRed: f32 = 0;
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
  missingLuma = carryLuma;
  missingBlue = carryBlue;
  missingRed = carryRed;
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
      carryLuma = missingLuma;
      carryBlue = missingBlue;
      carryRed = missingRed;
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
    if (<f32>(depth + heightOf(node)) - unit * damage <= bestWorth) continue;
    missingLuma = load<f32>(at, 8);
    missingBlue = load<f32>(at, 12);
    missingRed = load<f32>(at, 16);
    return true;
  }
  return false;
}

/** Goes on to the best child for a pixel, and notes the others; false where there is none. */
function advance(position: usize): bool {
  const target = load<u32>(targetsAt() + (position << 2));
  const base = load<u32>(basesAt() + (position << 2));
  const transparent = transparentIndex();
  if (target >> 24 === 0) return advanceClear();
  split(target);
  const wantedLuma = luma + missingLuma;
  const wantedBlue = blue + missingBlue;
  const wantedRed = red + missingRed;
  const mask = <f32>load<u8>(masks + position) * (1 / 64);
  const most = tolerance * mask * mask;
  let hasBase: bool = false;
  if (transparent >= 0 && base >> 24 !== 0) {
    split(base);
    hasBase = true;
  }
  const baseLuma = luma;
  const baseBlue = blue;
  const baseRed = red;

  const isRoot = node === root;
  const last = isRoot ? tableLength() : none;
  let child = isRoot ? 0 : firstChild(node);
  let chosen = none;
  let chosenDistance: f32 = Infinity;
  const before = open;
  while (child !== last) {
    const index = isRoot ? child : lastOf(child);
    let shownLuma: f32;
    let shownBlue: f32;
    let shownRed: f32;
    let isUsable: bool = true;
    if (index === transparent) {
      isUsable = hasBase;
      shownLuma = baseLuma;
      shownBlue = baseBlue;
      shownRed = baseRed;
    } else {
      shownLuma = load<f32>(tableLuma + (index << 2));
      shownBlue = load<f32>(tableBlue + (index << 2));
      shownRed = load<f32>(tableRed + (index << 2));
    }
    if (isUsable) {
      const y = wantedLuma - shownLuma;
      const b = wantedBlue - shownBlue;
      const r = wantedRed - shownRed;
      let distance = y * y + b * b + r * r;
      if (index === transparent) distance -= favour;
      if (distance <= most || (isRoot && distance < chosenDistance)) {
        if (distance < chosenDistance) {
          if (chosen !== none && chosenDistance <= most) note(chosen, chosenDistance);
          chosen = child;
          chosenDistance = distance;
          keep(y, b, r);
        } else {
          const up = damage + distance;
          if (<f32>(depth + 1 + heightOf(child)) - unit * up > bestWorth) {
            noteWith(child, up, y * diffusion, b * diffusion, r * diffusion);
          }
        }
      }
    }
    child = isRoot ? child + 1 : nextSibling(child);
    looked += 1;
  }
  if (isRoot) looked = 0;
  if (chosen === none) {
    open = before;
    return false;
  }
  node = chosen;
  depth += 1;
  damage += chosenDistance;
  missingLuma = keptLuma;
  missingBlue = keptBlue;
  missingRed = keptRed;
  return true;
}

// What the best child so far leaves.
let keptLuma: f32 = 0;
let keptBlue: f32 = 0;
let keptRed: f32 = 0;

function keep(y: f32, b: f32, r: f32): void {
  keptLuma = y * diffusion;
  keptBlue = b * diffusion;
  keptRed = r * diffusion;
}

/** Notes the best child so far, which there is a better one for. */
function note(child: i32, distance: f32): void {
  noteWith(child, damage + distance, keptLuma, keptBlue, keptRed);
}

function noteWith(child: i32, total: f32, y: f32, b: f32, r: f32): void {
  if (open === maxOpen) return;
  const at = branches + <usize>open * branchBytes;
  store<u16>(at, <u16>child);
  store<u16>(at, <u16>(depth + 1), 2);
  store<f32>(at, total, 4);
  store<f32>(at, y, 8);
  store<f32>(at, b, 12);
  store<f32>(at, r, 16);
  open += 1;
}

/** What shall be transparent can only let through what is. */
function advanceClear(): bool {
  const transparent = transparentIndex();
  missingLuma = 0;
  missingBlue = 0;
  missingRed = 0;
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
