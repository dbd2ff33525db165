/** Lossless coding of a frame. */
import { pauses, unfinished } from '../../../../wasm/assembly/work';
import { beginOutput, endOutput, outputBytes, writeCode } from './code-output';
import {
  addChild,
  childOf,
  clearCode,
  clearDictionary,
  codeWidth,
  firstOf,
  freeCode,
  isFull,
  none,
  parentOf,
  removeChild,
  takeCode,
} from './dictionary';
import {
  beginExactSearch,
  exactNode,
  isExactAt,
  longestExact,
  mayHave,
  provideChoices,
} from './exact-search';
import { pixelCount } from './frame';
import { beginContest, beginProgress, noteProgress } from './progress';

/** Results of `writeExact` instead of a length, which is never that small. */
export const givenUp: usize = 1;
export const colorless: usize = 2;

/** Maximum number of indices by which a string may be shortened so that the next one gets longer. */
const maxShortening: i32 = 6;

/**
 * Writes the codes of a frame whose table has been set.
 * @param minCodeSize bits per index, 2 to 8
 * @param shortRun see `beginExactSearch`
 * @param patience see `setPatience`
 * @param gain while strings are still being added: pixels that a shorter string has to gain with the next one,
 *   including the one it loses
 * @param slack coding is abandoned once it is behind the coding last kept by `keepProgress` by more than this
 *   percentage of the rest of that coding; negative: never
 * @param allowance bytes by which the data may be longer than those of that coding
 * @returns bytes of the data; 0 if memory runs out, `givenUp` if abandoned, `colorless` if a pixel has no index,
 *   `unfinished` if a pause is due
 */
export function writeExact(
  minCodeSize: i32,
  shortRun: u32,
  patience: i32,
  gain: i32,
  slack: i32,
  allowance: i32,
): usize {
  if (slack < 0) beginProgress();
  else beginContest(slack, allowance);
  beginExactSearch(shortRun);
  setPatience(patience);
  beginOutput(minCodeSize);
  clearDictionary(minCodeSize);
  beginCounting();
  writeCode(clearCode(), codeWidth());
  codeSize = minCodeSize;
  wantedGain = gain;
  previous = none;
  previousLength = 0;
  at = 0;
  followerNode = none;
  return continueExact();
}

let codeSize: i32 = 0;
let wantedGain: i32 = 0;
/** The string before the next pixel, and its length. */
let previous: i32 = none;
let previousLength: i32 = 0;
/** The next pixel. */
let at: usize = 0;

/** Goes on with `writeExact` after a pause, and returns what that does. */
export function continueExact(): usize {
  const end = pixelCount();
  while (at < end) {
    if (pauses()) return unfinished;
    if (!provideChoices(at)) return colorless;
    const grows = previous !== none && !isFull();
    // The string that the decoder adds with this very code: the previous string and its own first index.
    const repeated = grows ? firstOf(previous) : 0;
    const added = freeCode();
    let isAdded = grows && mayHave(at, repeated) && childOf(previous, repeated) === none;
    if (isAdded) addChild(previous, repeated);

    let length = followerLength;
    let node = followerNode;
    if (node === none) {
      length = longestExact(at, 0);
      node = exactNode();
    } else if (isAdded && previousLength + 1 > length && isExactAt(at, added, previousLength + 1)) {
      length = previousLength + 1;
      node = added;
    }
    followerNode = none;
    if (at + length < end) {
      const shorter = shortened(at, length, isFull() ? 1 : wantedGain);
      for (; length > shorter; length -= 1) node = parentOf(node);
    }

    writeCode(node, codeWidth());
    const width = codeWidth();
    if (grows) {
      const first = firstOf(node);
      if (isAdded && first !== repeated) {
        removeChild(previous, repeated);
        isAdded = false;
        if (followerNode === added) followerNode = none;
      }
      if (!isAdded && childOf(previous, first) === none) {
        addChild(previous, first);
        const next = at + length;
        if (followerNode !== none && previousLength + 1 > followerLength) {
          if (isExactAt(next, added, previousLength + 1)) {
            followerNode = added;
            followerLength = previousLength + 1;
          }
        }
      }
      takeCode();
    }
    previous = node;
    previousLength = length;
    at += length;
    if (!noteProgress(at, outputBytes())) return givenUp;
    if (isWornOut(width, length, isFull()) && at < end) {
      writeCode(clearCode(), codeWidth());
      clearDictionary(codeSize);
      beginCounting();
      previous = none;
      followerNode = none;
    }
  }
  writeCode(clearCode() + 1, codeWidth());
  return endOutput();
}

/** The longest string after the one chosen last, and its length; `none` if unknown. */
let followerNode: i32 = none;
let followerLength: i32 = 0;

/** Returns the length that, together with the string after it, reaches furthest. */
function shortened(at: usize, longest: i32, gain: i32): i32 {
  followerLength = longestExact(at + longest, 0);
  followerNode = exactNode();
  let best = longest;
  let bestReach = longest + followerLength + gain - 1;
  for (let length = longest - 1; length > 0 && length >= longest - maxShortening; length -= 1) {
    const reached = longestExact(at + length, bestReach - length);
    if (length + reached === bestReach) continue;
    best = length;
    bestReach = length + reached;
    followerLength = reached;
    followerNode = exactNode();
  }
  return best;
}

/**
 * When to clear a full code table. A fresh table takes time to learn, and an old one fits worse and worse. The best
 * long-term strategy is to keep the table for as long as the most recent codes take fewer bits per pixel than all codes
 * since the last clear (the stopping rule of renewal theory).
 */

/** Number of codes that are judged together. */
const windowCodes: i32 = 192;

/**
 * The bits per pixel that the most recent codes may take, in percent of the average since the last clear; 0: the table
 * is cleared as soon as it is full.
 */
let patience: i32 = 100;

/** Totals since the last clear. */
let bits: f64 = 0;
let pixels: f64 = 0;
/** Totals of the current window. */
let windowCount: i32 = 0;
let windowBits: f64 = 0;
let windowPixels: f64 = 0;

export function setPatience(percent: i32): void {
  patience = percent;
}

/** Resets the counts after a clear. */
export function beginCounting(): void {
  bits = 0;
  pixels = 0;
  windowCount = 0;
  windowBits = 0;
  windowPixels = 0;
}

/** Counts a code; returns whether a full table should be cleared after it. */
export function isWornOut(width: i32, length: i32, isFull: bool): bool {
  bits += width;
  pixels += length;
  if (!isFull) return false;
  if (patience === 0) return true;
  windowBits += width;
  windowPixels += length;
  windowCount += 1;
  if (windowCount < windowCodes) return false;
  const isWorse = windowBits * pixels * 100 > bits * windowPixels * patience;
  windowCount = 0;
  windowBits = 0;
  windowPixels = 0;
  return isWorse;
}
