/** The current row as straight 8-bit RGBA. */
import { allocate } from '../../../shared/assembly/memory';
import { deepRow, roundedRow, rowByTable } from './deep-samples';
import { bitDepth, colorType, hasKey, keyBlue, keyGreen, keyRed, width } from './picture';
import { samplePixels } from './pixel-table';
import { sourceRow } from './rows';

const greyType: i32 = 0;
const rgbType: i32 = 2;
const greyAlphaType: i32 = 4;

/** Where in a vector of packed pixels the samples of four pixels of RGBA come from; 128 is nowhere. */
const fromGrey: v128 = i8x16(0, 0, 0, -128, 1, 1, 1, -128, 2, 2, 2, -128, 3, 3, 3, -128);
const fromRgb: v128 = i8x16(0, 1, 2, -128, 3, 4, 5, -128, 6, 7, 8, -128, 9, 10, 11, -128);
const fromGreyAlpha: v128 = i8x16(0, 0, 0, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 6, 6, 7);

/** The row in 16 bits, where it has to become 8. */
let deep: usize = 0;
/** The 8-bit code of each 16-bit sample of colour, where it is not the nearest one. */
let codes: usize = 0;

/** Allocates what rows of 16 bits need to become 8; false where there is no room. */
export function allocateExpansion(): bool {
  if (bitDepth < 16) return true;
  // more than can be allocated, where it would not fit 32 bits
  const bytes = min<u64>(<u64>width * 8 + 32, 0xffffff00);
  deep = allocate(<usize>bytes);
  return deep !== 0;
}

/**
 * Allocates the 8-bit codes of all 16-bit samples of colour, 65,536 bytes that the host fills: 0 where there
 * is no room. Without them, samples are rounded, as alpha always is.
 */
export function deepTable(): usize {
  if (codes === 0) codes = allocate(65536);
  return codes;
}

/** @param to 4 bytes for each pixel of the width, rounded up to four pixels */
export function expandRow(to: usize): void {
  if (bitDepth === 16) {
    deepRow(sourceRow(), width, deep);
    if (codes === 0) roundedRow(deep, width, to);
    else rowByTable(deep, width, codes, to);
    return;
  }
  switch (bitDepth === 8 ? colorType : -1) {
    case greyType:
      spread(to, 4, fromGrey, keyRed * 0x010101);
      break;
    case rgbType:
      spread(to, 12, fromRgb, keyRed | (keyGreen << 8) | (keyBlue << 16));
      break;
    case greyAlphaType:
      spread(to, 8, fromGreyAlpha, 0);
      break;
    case 6:
      memory.copy(to, sourceRow(), (<usize>width) << 2);
      break;
    default:
      lookUp(to);
  }
}

/**
 * The current row of 16-bit samples as RGBA of 8 bytes per pixel, little-endian, with room for one
 * pixel more.
 */
export function expandDeepRow(to: usize): void {
  deepRow(sourceRow(), width, to);
}

/** @param stride bytes of four packed pixels */
function spread(to: usize, stride: usize, places: v128, keyColor: u32): void {
  const from = sourceRow();
  const opaque = colorType === greyAlphaType ? i32x4.splat(0) : i32x4.splat(0xff000000);
  // without alpha no pixel equals one that has some
  const key = i32x4.splat(hasKey ? keyColor : -1);
  const end = to + ((<usize>width) << 2);
  for (let at = from; to < end; to += 16, at += stride) {
    const pixels = i8x16.swizzle(v128.load(at), places);
    v128.store(to, v128.or(pixels, v128.andnot(opaque, i32x4.eq(pixels, key))));
  }
}

/**
 * One sample of up to 8 bits per pixel, packed from the highest bit of a byte down (PNG third
 * edition §7.2).
 */
function lookUp(to: usize): void {
  const table = samplePixels();
  let from = sourceRow();
  const end = to + ((<usize>width) << 2);
  if (bitDepth === 8) {
    for (; to < end; to += 4, from += 1) {
      store<u32>(to, load<u32>(table + ((<usize>load<u8>(from)) << 2)));
    }
    return;
  }
  const mask: u32 = (1 << bitDepth) - 1;
  let shift = 8 - bitDepth;
  for (; to < end; to += 4) {
    const sample = (<u32>load<u8>(from) >> shift) & mask;
    store<u32>(to, load<u32>(table + ((<usize>sample) << 2)));
    shift -= bitDepth;
    if (shift < 0) {
      shift = 8 - bitDepth;
      from += 1;
    }
  }
}
