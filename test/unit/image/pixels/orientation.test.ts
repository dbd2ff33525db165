import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Orientation } from '../../../../src/image/metadata/exif-block.ts';
import { turnInPlace, turnScratchBytes } from '../../../../src/image/pixels/orientation.ts';
import type { Raster } from '../../../../src/image/pixels/raster.ts';

const orientations = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/** One pixel, one row or column, primes, common divisors, squares, more than a group of columns. */
const sizes = [
  [1, 1],
  [1, 9],
  [9, 1],
  [2, 2],
  [2, 7],
  [5, 3],
  [7, 13],
  [8, 12],
  [12, 8],
  [16, 16],
  [17, 17],
  [31, 64],
  [36, 48],
  [48, 36],
  [97, 101],
  [101, 33],
  [3, 500],
  [500, 3],
] as const;

describe('turning a raster upright', () => {
  it.each(orientations)('agrees with sharp on orientation %i', async (orientation) => {
    const [width, height] = [5, 3];
    const theirs = await rotatedBySharp(numbered(width, height), orientation);
    const ours = turnInPlace(numbered(width, height), orientation);
    expect([ours.width, ours.height]).toEqual([theirs.info.width, theirs.info.height]);
    expect(Buffer.from(ours.data)).toEqual(theirs.data);
  });

  describe.each(orientations)('by orientation %i', (orientation) => {
    it.each(sizes)('puts every pixel of %i × %i in its place', (width, height) => {
      const turned = turnInPlace(numbered(width, height), orientation);
      expect([turned.width, turned.height]).toEqual(
        orientation >= 5 ? [height, width] : [width, height],
      );
      expect(pixelsOf(turned)).toEqual(turnedByLookup(width, height, orientation));
    });
  });

  it('stays in the buffer that it was given, and in its part of it', () => {
    const buffer = new ArrayBuffer(4 * (1 + 6 + 1));
    new Uint32Array(buffer).set([91, 0, 1, 2, 3, 4, 5, 92]);
    const data = new Uint8ClampedArray(buffer, 4, 4 * 6);
    const turned = turnInPlace({ width: 3, height: 2, data }, 6);
    expect(turned.data.buffer).toBe(buffer);
    expect([...new Uint32Array(buffer)]).toEqual([91, 3, 0, 4, 1, 5, 2, 92]);
  });

  it('says how little it takes besides: sixteen columns of a photo, no more than 4 MiB of a strip', () => {
    expect(turnScratchBytes(4032, 3024)).toBe(4 * 16 * 3024);
    expect(turnScratchBytes(2, 500_000)).toBe(4 * 2 * 500_000);
    expect(turnScratchBytes(20, 500_000)).toBe(4 * 2 * 500_000);
    expect(turnScratchBytes(500_000, 20)).toBe(4 * 500_000);
    expect(turnScratchBytes(1, 500_000)).toBe(0);
  });
});

/** Every pixel is the number of its place. */
function numbered(width: number, height: number): Raster {
  const pixels = Uint32Array.from({ length: width * height }, (_, i) => i);
  return { width, height, data: new Uint8ClampedArray(pixels.buffer) };
}

function pixelsOf({ data }: Raster): number[] {
  return [...new Uint32Array(data.buffer, data.byteOffset, data.length / 4)];
}

/** CIPA DC-008 §4.6.4: which side of what is shown the first row and the first column are. */
function turnedByLookup(width: number, height: number, orientation: Orientation): number[] {
  const [w, h] = orientation >= 5 ? [height, width] : [width, height];
  const [right, bottom] = [width - 1, height - 1];
  const placeOf: Record<Orientation, (x: number, y: number) => [number, number]> = {
    1: (x, y) => [x, y],
    2: (x, y) => [right - x, y],
    3: (x, y) => [right - x, bottom - y],
    4: (x, y) => [x, bottom - y],
    5: (x, y) => [y, x],
    6: (x, y) => [y, bottom - x],
    7: (x, y) => [right - y, bottom - x],
    8: (x, y) => [right - y, x],
  };
  return Array.from({ length: w * h }, (_, i) => {
    const [x, y] = placeOf[orientation](i % w, Math.floor(i / w));
    return y * width + x;
  });
}

async function rotatedBySharp({ width, height, data }: Raster, orientation: Orientation) {
  const raw = { width, height, channels: 4 as const };
  const tagged = await sharp(data, { raw }).withMetadata({ orientation }).png().toBuffer();
  return sharp(tagged).autoOrient().raw().toBuffer({ resolveWithObject: true });
}
