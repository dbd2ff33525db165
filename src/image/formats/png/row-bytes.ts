import type { PngColorType, PngInspection } from './inspect.ts';

/** What the length of the rows depends on. */
export type PngRows = Pick<
  PngInspection,
  'width' | 'height' | 'colorType' | 'bitDepth' | 'interlaced'
>;

type PngPixel = Pick<PngRows, 'colorType' | 'bitDepth'>;

/** Samples per pixel by colour type (PNG third edition §11.2.1). */
const samples: Readonly<Record<PngColorType, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Bits of one pixel, all its samples together. */
export function pngPixelBits({ colorType, bitDepth }: PngPixel): number {
  return samples[colorType] * bitDepth;
}

/** Bytes of one row of so many pixels, with its filter byte (PNG third edition §7.2). */
export function pngRowLength(columns: number, pixel: PngPixel): number {
  return 1 + Math.ceil((columns * pngPixelBits(pixel)) / 8);
}

/** Bytes of all rows with their filter bytes: what the data must inflate to (PNG third edition §7.2, §9). */
export function pngRowBytes(image: PngRows): number {
  if (!image.interlaced) return image.height * pngRowLength(image.width, image);
  return adam7Passes(image).reduce(
    (sum, { columns, rows }) => sum + rows * pngRowLength(columns, image),
    0,
  );
}

/** Every pixel of a pass: columns `left + across × i`, rows `top + down × j`. */
interface PngPass {
  readonly left: number;
  readonly across: number;
  readonly top: number;
  readonly down: number;
  /** Size of the reduced picture. */
  readonly columns: number;
  readonly rows: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Start and step of each pass, across and down (PNG third edition §8.1). */
const grid = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;

/** The passes of an interlaced picture in their order; those without pixels have no bytes either and are left out. */
export function adam7Passes({ width, height }: Size): readonly PngPass[] {
  return grid
    .map(([left, across, top, down]) => ({
      left,
      across,
      top,
      down,
      columns: Math.ceil(Math.max(0, width - left) / across),
      rows: Math.ceil(Math.max(0, height - top) / down),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0);
}

/**
 * Bytes that a byte of deflated data can become at most: a match takes two bits at least and has 258
 * bytes at most (RFC 1951 §3.2.5).
 */
export const greatestExpansion = 4 * 258;
