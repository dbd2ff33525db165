/** Codes of a frame that shows exactly what it shall. */
import { beginCounting, isWornOut, setPatience } from './clearing';
import { beginOutput, endOutput, writeCode } from './code-output';
import {
  addChild,
  childOf,
  clearCode,
  clearDictionary,
  codeWidth,
  confirmChild,
  firstOf,
  isFull,
  none,
  parentOf,
  removeChild,
  takeCode,
} from './dictionary';
import { exactNode, longestExact, mayHave } from './exact-search';
import { pixelCount } from './frame';

/** How much shorter a string may be taken than the longest, so that the next one gets longer. */
const maxShortening: i32 = 6;

/**
 * Writes the codes of a frame that `prepareExact` has looked at.
 * @param minCodeSize bits of an index, 2 to 8
 * @param patience see clearing.ts
 * @param gain pixels that a shorter string has to gain with the next one while strings are still added, of which one is lost
 * @returns bytes of the data; 0 where there is no room
 */
export function writeExact(minCodeSize: i32, patience: i32, gain: i32): usize {
  const end = pixelCount();
  setPatience(patience);
  beginOutput(minCodeSize);
  clearDictionary(minCodeSize);
  beginCounting();
  writeCode(clearCode(), codeWidth());
  let previous = none;
  let at: usize = 0;
  while (at < end) {
    const grows = previous !== none && !isFull();
    // the string that the decoder knows with this very code: the one before and its own first index
    const repeated = grows ? firstOf(previous) : 0;
    let isAdded = grows && mayHave(at, repeated) && childOf(previous, repeated) === none;
    if (isAdded) addChild(previous, repeated);

    let length = longestExact(at);
    let node = exactNode();
    if (at + length < end) {
      const shorter = shortened(at, length, isFull() ? 1 : gain);
      for (; length > shorter; length -= 1) node = parentOf(node);
    }

    writeCode(node, codeWidth());
    const width = codeWidth();
    if (grows) {
      const first = firstOf(node);
      if (isAdded && first !== repeated) {
        removeChild(previous, repeated);
        isAdded = false;
      }
      if (!isAdded && childOf(previous, first) === none) {
        addChild(previous, first);
        isAdded = true;
      }
      if (isAdded) confirmChild(previous);
      takeCode();
    }
    previous = node;
    at += length;
    if (isWornOut(width, length, isFull()) && at < end) {
      writeCode(clearCode(), codeWidth());
      clearDictionary(minCodeSize);
      beginCounting();
      previous = none;
    }
  }
  writeCode(clearCode() + 1, codeWidth());
  return endOutput();
}

/** The length that reaches furthest together with the string behind it. */
function shortened(at: usize, longest: i32, gain: i32): i32 {
  let best = longest;
  let bestReach = longest + longestExact(at + longest) + gain - 1;
  for (let length = longest - 1; length > 0 && length >= longest - maxShortening; length -= 1) {
    const reach = length + longestExact(at + length);
    if (reach > bestReach) {
      best = length;
      bestReach = reach;
    }
  }
  return best;
}
