import type { ByteCursor } from './byte-cursor.ts';
import type { PngColorType } from './inspection.ts';
import { broken, type Refusal } from './refusal.ts';

export interface PngHeader {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly colorType: PngColorType;
  readonly interlaced: boolean;
}

/** PNG third edition §11.2.1, table 12. */
const bitDepths: Readonly<Record<PngColorType, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** PNG third edition §7.1: four-byte integers stay below 2^31. */
export const maximumPngInteger = 0x7fff_ffff;

/** Reads the 13 bytes of IHDR. Source: PNG third edition §11.2.1. */
export function readPngHeader(data: ByteCursor): PngHeader | Refusal {
  const width = data.uint32();
  const height = data.uint32();
  const bitDepth = data.uint8();
  const colorType = data.uint8();
  const compressionMethod = data.uint8();
  const filterMethod = data.uint8();
  const interlaceMethod = data.uint8();
  if (width === 0 || height === 0) return broken('The PNG has a width or height of zero.');
  if (width > maximumPngInteger || height > maximumPngInteger) {
    return broken('The PNG has a width or height beyond what the format allows.');
  }
  if (!isColorType(colorType)) return broken('The PNG has an impossible colour type.');
  if (!bitDepths[colorType].includes(bitDepth)) {
    return broken('The PNG has a bit depth that its colour type does not allow.');
  }
  if (compressionMethod !== 0 || filterMethod !== 0 || interlaceMethod > 1) {
    return broken('The PNG names an unknown compression, filter or interlace method.');
  }
  return { width, height, bitDepth, colorType, interlaced: interlaceMethod === 1 };
}

function isColorType(value: number): value is PngColorType {
  return value in bitDepths;
}
