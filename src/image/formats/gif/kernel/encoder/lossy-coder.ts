/** Lossy coding of a frame. */
import { pauses, unfinished } from '../../../../wasm/assembly/work';
import { beginOutput, endOutput, outputBytes, writeCode } from './code-output';
import {
  addChild,
  childOf,
  clearCode,
  clearDictionary,
  codeWidth,
  firstOf,
  isFull,
  lastOf,
  none,
  parentOf,
  removeChild,
  takeCode,
} from './dictionary';
import { beginCounting, isWornOut, setPatience } from './exact-coder';
import { indicesAt, pixelCount } from './frame';
import { bestLossy, lossyNode } from './lossy-search';
import { beginProgress, noteProgress } from './progress';

/**
 * Writes the codes of a frame that `prepareLossy` has prepared, and keeps its indices.
 * @param minCodeSize bits per index, 2 to 8
 * @param patience see exact-coder.ts
 * @returns bytes of the data; 0 if memory runs out, or a pixel has no color; `unfinished` if a pause is due
 */
export function writeLossy(minCodeSize: i32, patience: i32): usize {
  beginProgress();
  setPatience(patience);
  beginOutput(minCodeSize);
  clearDictionary(minCodeSize);
  beginCounting();
  writeCode(clearCode(), codeWidth());
  codeSize = minCodeSize;
  previous = none;
  at = 0;
  return continueLossy();
}

let codeSize: i32 = 0;
/** The string before the next pixel. */
let previous: i32 = none;
/** The next pixel. */
let at: usize = 0;

/** Goes on with `writeLossy` after a pause, and returns what that does. */
export function continueLossy(): usize {
  const end = pixelCount();
  while (at < end) {
    if (pauses()) return unfinished;
    const grows = previous !== none && !isFull();
    // The string that the decoder adds with this very code: the previous string and its own first index.
    const repeated = grows ? firstOf(previous) : 0;
    let isAdded = grows && childOf(previous, repeated) === none;
    if (isAdded) addChild(previous, repeated);

    const length = bestLossy(at);
    // The table has no colors.
    if (length === 0) return 0;
    const node = lossyNode();
    const width = codeWidth();
    writeCode(node, width);
    keepIndices(at, node, length);
    if (grows) {
      const first = firstOf(node);
      if (isAdded && first !== repeated) {
        removeChild(previous, repeated);
        isAdded = false;
      }
      if (!isAdded && childOf(previous, first) === none) {
        addChild(previous, first);
      }
      takeCode();
    }
    previous = node;
    at += length;
    noteProgress(at, outputBytes());
    if (isWornOut(width, length, isFull()) && at < end) {
      writeCode(clearCode(), codeWidth());
      clearDictionary(codeSize);
      beginCounting();
      previous = none;
    }
  }
  writeCode(clearCode() + 1, codeWidth());
  return endOutput();
}

function keepIndices(at: usize, node: i32, length: i32): void {
  for (let i = length - 1; i >= 0; i -= 1) {
    store<u8>(indicesAt() + at + i, <u8>lastOf(node));
    node = parentOf(node);
  }
}
