/** Surveys the rows of a picture before its layout is chosen. */
import { takeColors } from './color-list';

/** @param keepsHidden whether colors under full transparency count; otherwise they are cleared */
export function surveyRow(rgba: usize, width: i32, keepsHidden: bool): void {
  if (!keepsHidden) clearHidden(rgba, width);
  takeTraits(rgba, width);
  takeColors(rgba, width);
}

/**
 * Surveys a row of 16-bit samples, and also as an 8-bit row as long as 8 bits hold all samples.
 * @param keepsHidden as in `surveyRow`
 * @param rgba buffer for a row of 8-bit RGBA
 */
export function surveyDeepRow(deep: usize, width: i32, keepsHidden: bool, rgba: usize): void {
  if (!keepsHidden) clearDeepHidden(deep, width);
  takeDeepTraits(deep, width);
  if (!allShallow()) return;
  narrowRow(deep, width, rgba);
  surveyRow(rgba, width, true);
}

// Traits common to all pixels of a picture, which allow fewer samples or bits (PNG third edition §11.2.1, §11.3.1.1).

/** Set if a pixel lacks the trait; so every trait begins as true. */
let isColored: bool = false;
let isTranslucent: bool = false;
let isPartial: bool = false;

/** Bit depth that the gray values so far require: 1, 2, 4 or 8. */
let greyBits: i32 = 1;

/** For each gray value, whether an opaque pixel has it. */
const usedGreys: usize = memory.data(256);

/** The color of all fully transparent pixels, as long as there is only one; its alpha is 0. */
let hiddenColor: u32 = 0;
let hasHidden: bool = false;
let hasSeveralHidden: bool = false;

/** Whether every pixel has three equal samples. */
export function allGrey(): bool {
  return !isColored;
}

export function allOpaque(): bool {
  return !isTranslucent;
}

/** Whether no pixel is partly transparent. */
export function allOpaqueOrHidden(): bool {
  return !isPartial;
}

/** Minimum bit depth that holds every gray value exactly. Only valid if all pixels are gray. */
export function greyDepth(): i32 {
  return greyBits;
}

/** The color that all fully transparent pixels share; −1 if there are several or none. */
export function sharedHiddenColor(): i32 {
  return hasHidden && !hasSeveralHidden ? <i32>hiddenColor : -1;
}

/** A gray value that no opaque pixel has, or −1. */
export function unusedGrey(): i32 {
  for (let grey = 0; grey < 256; grey += 1) {
    if (load<u8>(usedGreys + grey) === 0) return grey;
  }
  return -1;
}

/** Updates the traits with a row of RGBA. */
function takeTraits(rgba: usize, width: i32): void {
  const pixels = <usize>width;
  if (isColored && isPartial) return;
  let coloredBits = i32x4.splat(0);
  let partialBits = i32x4.splat(0);
  let opaqueBits = i32x4.splat(-1);
  let x: usize = 0;
  for (; x + 4 <= pixels; x += 4) {
    const four = v128.load(rgba + (x << 2));
    // Compares red with green, and green with blue; the other two bytes with themselves.
    const others = i8x16.shuffle(four, four, 1, 2, 2, 3, 5, 6, 6, 7, 9, 10, 10, 11, 13, 14, 14, 15);
    coloredBits = v128.or(coloredBits, v128.xor(four, others));
    // 0 and 255 are the values that equal the extension of their sign bit.
    partialBits = v128.or(partialBits, v128.xor(four, i8x16.shr_s(four, 7)));
    opaqueBits = v128.and(opaqueBits, four);
  }
  const firstTwo = i32x4.splat(0x0000ffff);
  const alphas = i32x4.splat(<i32>0xff000000);
  if (v128.any_true(v128.and(coloredBits, firstTwo))) isColored = true;
  if (v128.any_true(v128.and(partialBits, alphas))) isPartial = true;
  if (v128.any_true(v128.andnot(alphas, opaqueBits))) isTranslucent = true;
  for (; x < pixels; x += 1) takePixel(load<u32>(rgba + (x << 2)));
  if (!isColored) takeGreys(rgba, width);
  if (isTranslucent && !isPartial) takeHidden(rgba, width);
}

function takePixel(color: u32): void {
  if (((color ^ (color >> 8)) & 0xffff) !== 0) isColored = true;
  const alpha = color >> 24;
  if (alpha !== 255) isTranslucent = true;
  if (alpha !== 255 && alpha !== 0) isPartial = true;
}

function takeGreys(rgba: usize, width: i32): void {
  for (let x: usize = 0; greyBits < 8 && x < <usize>width; x += 1) {
    const grey = <i32>load<u8>(rgba + (x << 2));
    if (greyBits < 2 && grey !== 0 && grey !== 255) greyBits = 2;
    if (greyBits < 4 && grey % 85 !== 0) greyBits = 4;
    if (greyBits < 8 && grey % 17 !== 0) greyBits = 8;
  }
}

function takeHidden(rgba: usize, width: i32): void {
  for (let x: usize = 0; x < <usize>width; x += 1) {
    const color = load<u32>(rgba + (x << 2));
    if (color >> 24 !== 0) continue;
    if (hasHidden && color !== hiddenColor) hasSeveralHidden = true;
    hasHidden = true;
    hiddenColor = color;
  }
}

/**
 * Records which gray values opaque pixels have. This is a separate run, for the few pictures that need a color key for
 * transparency.
 */
export function takeUsedGreys(rgba: usize, width: i32): void {
  for (let x: usize = 0; x < <usize>width; x += 1) {
    const color = load<u32>(rgba + (x << 2));
    if (color >> 24 === 0 || ((color ^ (color >> 8)) & 0xffff) !== 0) continue;
    store<u8>(usedGreys + (color & 0xff), 1);
  }
}

/** Whether an opaque pixel of a row has this color, whose alpha is ignored. */
export function hasOpaque(rgba: usize, width: i32, color: u32): bool {
  const opaque = color | 0xff000000;
  for (let x: usize = 0; x < <usize>width; x += 1) {
    if (load<u32>(rgba + (x << 2)) === opaque) return true;
  }
  return false;
}

// Traits common to all pixels of 16-bit RGBA.

let isDeepColored: bool = false;
let isDeepTranslucent: bool = false;
let hasFineSamples: bool = false;

export function allDeepGrey(): bool {
  return !isDeepColored;
}

export function allDeepOpaque(): bool {
  return !isDeepTranslucent;
}

/** Whether 8 bits hold every sample exactly: both bytes of each sample are equal. */
export function allShallow(): bool {
  return !hasFineSamples;
}

/** Updates the traits with a row of 16-bit RGBA. */
function takeDeepTraits(rgba: usize, width: i32): void {
  const end = rgba + ((<usize>width) << 3);
  const lowBytes = ((<u64>0x00ff00ff) << 32) | 0x00ff00ff;
  let fine: u64 = 0;
  let colored: u64 = 0;
  let opaque: u64 = ~0;
  for (let at = rgba; at < end; at += 8) {
    const pixel = load<u64>(at);
    fine |= (pixel ^ (pixel >> 8)) & lowBytes;
    colored |= (pixel ^ (pixel >> 16)) & 0xffffffff;
    opaque &= pixel;
  }
  if (fine !== 0) hasFineSamples = true;
  if (colored !== 0) isDeepColored = true;
  if (opaque >> 48 !== 0xffff) isDeepTranslucent = true;
}

/** Converts a row of 16-bit RGBA to 8 bits by its low bytes. */
function narrowRow(deep: usize, width: i32, rgba: usize): void {
  for (let x: usize = 0; x < <usize>width; x += 1) {
    const pixel = deep + (x << 3);
    const redGreen = <u32>load<u8>(pixel) | ((<u32>load<u8>(pixel, 2)) << 8);
    const blueAlpha = <u32>load<u8>(pixel, 4) | ((<u32>load<u8>(pixel, 6)) << 8);
    store<u32>(rgba + (x << 2), redGreen | (blueAlpha << 16));
  }
}

// Colors of fully transparent pixels, which are invisible.

/** Makes all fully transparent pixels of a row of RGBA transparent black, which costs least. */
export function clearHidden(rgba: usize, width: i32): void {
  const end = rgba + ((<usize>width) << 2);
  let at = rgba;
  for (; at + 16 <= end; at += 16) {
    const pixels = v128.load(at);
    const alphas = v128.and(pixels, i32x4.splat(<i32>0xff000000));
    const hidden = i32x4.eq(alphas, i32x4.splat(0));
    if (v128.any_true(hidden)) v128.store(at, v128.andnot(pixels, hidden));
  }
  for (; at < end; at += 4) {
    if (load<u8>(at, 3) === 0) store<u32>(at, 0);
  }
}

/** Like `clearHidden`, for a row of 16-bit RGBA. */
export function clearDeepHidden(rgba: usize, width: i32): void {
  const end = rgba + ((<usize>width) << 3);
  for (let at = rgba; at < end; at += 8) {
    if (load<u16>(at, 6) === 0) store<u64>(at, 0);
  }
}
