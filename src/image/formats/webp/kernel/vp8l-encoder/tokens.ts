/** Counts and writes the tokens of a band that the parser has chosen. */
import { baseValue, extraBits } from '../vp8l/references';
import { putBits } from './bit-strings';
import { lengthBits, maxLength } from './match-finder';
import { cachedBit, choices } from './parser';
import {
  alphaAt,
  blueAt,
  distanceAt,
  entryOf,
  firstEntry,
  firstLength,
  greenAt,
  prefixSymbol,
  redAt,
} from './symbols';
import { bandAt } from './window';

/** The pixel after the token at pixel `i`. */
export function tokenEnd(i: i32): i32 {
  const match = load<u32>(choices + ((<usize>i) << 2)) & ~cachedBit;
  return i + (match === 0 ? 1 : <i32>(match & maxLength));
}

function count(counts: usize, symbol: u32): void {
  const at = counts + ((<usize>symbol) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/**
 * Counts the symbols of the tokens that begin at pixels from `i` to `stop`.
 * @returns the pixel after the last of them
 */
export function countTokens(i: i32, stop: i32, counts: usize): i32 {
  const pixels = bandAt;
  const tokens = choices;
  while (i < stop) {
    const token = load<u32>(tokens + ((<usize>i) << 2));
    const match = token & ~cachedBit;
    if (match !== 0) {
      const length = match & maxLength;
      count(counts, greenAt + firstLength + prefixSymbol(length));
      count(counts, distanceAt + prefixSymbol(match >> lengthBits));
      i += <i32>length;
      continue;
    }
    const color = load<u32>(pixels + ((<usize>i) << 2));
    i += 1;
    if (token !== 0) {
      count(counts, greenAt + firstEntry + entryOf(color));
      continue;
    }
    count(counts, greenAt + ((color >> 8) & 255));
    count(counts, redAt + ((color >> 16) & 255));
    count(counts, blueAt + (color & 255));
    count(counts, alphaAt + (color >> 24));
  }
  return i;
}

function putSymbol(codes: usize, symbol: u32): void {
  const code = load<u32>(codes + ((<usize>symbol) << 2));
  putBits(code & 0xffff, code >> 16);
}

/**
 * Writes the token at pixel `i`.
 *
 * @param codes codes of the group: code | length << 16 for each symbol
 * @returns the pixel after it
 */
export function putToken(i: i32, codes: usize): i32 {
  const token = load<u32>(choices + ((<usize>i) << 2));
  const match = token & ~cachedBit;
  if (match !== 0) {
    const length = match & maxLength;
    const lengthSymbol = prefixSymbol(length);
    putSymbol(codes, greenAt + firstLength + lengthSymbol);
    putBits(length - baseValue(lengthSymbol), extraBits(lengthSymbol));
    const distance = match >> lengthBits;
    const distanceSymbol = prefixSymbol(distance);
    putSymbol(codes, distanceAt + distanceSymbol);
    putBits(distance - baseValue(distanceSymbol), extraBits(distanceSymbol));
    return i + <i32>length;
  }
  const color = load<u32>(bandAt + ((<usize>i) << 2));
  if (token !== 0) {
    putSymbol(codes, greenAt + firstEntry + entryOf(color));
    return i + 1;
  }
  putSymbol(codes, greenAt + ((color >> 8) & 255));
  putSymbol(codes, redAt + ((color >> 16) & 255));
  putSymbol(codes, blueAt + (color & 255));
  putSymbol(codes, alphaAt + (color >> 24));
  return i + 1;
}
