/**
 * Prefix code groups: the five codes for the pixels of a part of the picture (RFC 9649 §6.2.2). The entropy image maps
 * tiles to groups; groups that it does not use are read and discarded.
 */
import { allocate } from '../../../../wasm/assembly/memory';
import { readCode, soleSymbol, tableAt, tableMask } from './prefix-codes';
import { outOfMemory, sound } from './status';

/** Symbols of the green code: values, lengths, then entries of the color cache. */
export const greenValues: i32 = 256;
export const lengthSymbols: i32 = 24;
const distanceSymbols: i32 = 40;
/** Index of the last code in a group; the order is green, red, blue, alpha, distance. */
const distanceCode: i32 = 4;

/* Fields of a group: its tables, and the index mask of each root table. */
export const greenAt: usize = 0;
export const redAt: usize = 4;
export const blueAt: usize = 8;
export const alphaAt: usize = 12;
export const distanceAt: usize = 16;
export const maskAt: usize = 20;
/** Kind of the group, one of those below. */
export const kindAt: usize = 40;
/** The constant samples as a pixel: blue lowest, then green, red and alpha. */
export const literalAt: usize = 44;
const groupBytes: usize = 48;

/** All samples are coded. */
export const fullKind: i32 = 0;
/** Alpha is constant. */
export const opaqueKind: i32 = 1;
/** Red, blue and alpha are constant. */
export const greenKind: i32 = 2;
/** All samples are constant: a pixel takes no bits. */
export const constantKind: i32 = 3;

let groups: usize = 0;

/** Whether all groups are of `greenKind` or `constantKind`, and whether they have the same literal. */
export let areGreen: bool = false;
export let areAlike: bool = false;
/** The shared literal, without green. */
export let sharedLiteral: u32 = 0;

export function groupAt(i: u32): usize {
  return groups + i * groupBytes;
}

/** @returns memory for this number of groups; 0 if there is none */
export function allocateGroups(number: u32): usize {
  return allocate(number * groupBytes);
}

/**
 * Reads the codes of all groups.
 *
 * @param stated number of groups in the stream
 * @param numbers new numbers of groups as u32, starting from 1, 0 for unused groups; a null pointer if there is one
 *   group
 * @param used number of used groups
 * @param cacheColors number of entries in the color cache; 0 without one
 * @returns a status of status.ts
 */
export function readGroups(stated: u32, numbers: usize, used: u32, cacheColors: i32): i32 {
  groups = allocateGroups(used);
  if (groups === 0) return outOfMemory;
  areGreen = true;
  areAlike = true;
  for (let i: u32 = 0; i < stated; i += 1) {
    const number: u32 = numbers === 0 ? 1 : load<u32>(numbers + (i << 2));
    const status =
      number === 0 ? skipGroup(cacheColors) : readGroup(groupAt(number - 1), cacheColors);
    if (status !== sound) return status;
  }
  sharedLiteral = load<u32>(groups, literalAt) & 0xffff00ff;
  for (let i: u32 = 0; i < used; i += 1) {
    const isGreen = load<i32>(groupAt(i), kindAt) >= greenKind;
    areGreen = areGreen && isGreen;
    areAlike = areAlike && (load<u32>(groupAt(i), literalAt) & 0xffff00ff) === sharedLiteral;
  }
  areAlike = areAlike && areGreen;
  return sound;
}

function skipGroup(cacheColors: i32): i32 {
  for (let code = 0; code <= distanceCode; code += 1) {
    const status = readCode(alphabetOf(code, cacheColors), false);
    if (status !== sound) return status;
  }
  return sound;
}

function readGroup(group: usize, cacheColors: i32): i32 {
  let literal: u32 = 0;
  let varying = 0;
  for (let code = 0; code <= distanceCode; code += 1) {
    const status = readCode(alphabetOf(code, cacheColors), true);
    if (status !== sound) return status;
    store<usize>(group + (code << 2), tableAt, greenAt);
    store<u32>(group + (code << 2), tableMask, maskAt);
    if (code === distanceCode) break;
    if (soleSymbol < 0 || soleSymbol >= greenValues) varying |= 1 << code;
    else literal |= (<u32>soleSymbol) << placeOf(code);
  }
  store<u32>(group, literal, literalAt);
  store<i32>(group, kindOf(varying), kindAt);
  return sound;
}

function alphabetOf(code: i32, cacheColors: i32): i32 {
  if (code === 0) return greenValues + lengthSymbols + cacheColors;
  return code === distanceCode ? distanceSymbols : 256;
}

/** Bit position in a pixel of the sample of a code (green, red, blue, alpha). */
function placeOf(code: i32): i32 {
  if (code === 0) return 8;
  if (code === 1) return 16;
  return code === 2 ? 0 : 24;
}

/** @param varying mask of the codes with more than one value, from bit 0 */
function kindOf(varying: i32): i32 {
  if (varying === 0) return constantKind;
  if (varying === 1) return greenKind;
  return (varying & 8) === 0 ? opaqueKind : fullKind;
}
