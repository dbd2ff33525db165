import type { Raster } from '../../src/image/pixels/raster.ts';

/** Minimum side in pixels that is scored as it is, and the length of shorter ones after mirroring. */
const minUnmirroredSide = 225;
const mirroredSide = 256;

/**
 * A picture as it is scored: sides below 225 pixels, which have too few scales for SSIMULACRA2, are continued to 256 by
 * mirroring, again and again if they are short.
 */
export function continued(picture: Raster): Raster {
  const { width, height, data } = picture;
  const [across, down] = [measured(width), measured(height)];
  if (across === width && down === height) return picture;
  const result = new Uint8ClampedArray(4 * across * down);
  for (let y = 0, to = 0; y < down; y += 1) {
    for (let x = 0; x < across; x += 1, to += 4) {
      const from = 4 * (mirrored(y, height) * width + mirrored(x, width));
      result.set(data.subarray(from, from + 4), to);
    }
  }
  return { width: across, height: down, data: result };
}

function measured(side: number): number {
  return side < minUnmirroredSide ? mirroredSide : side;
}

function mirrored(i: number, side: number): number {
  const place = i % (2 * side);
  return Math.min(place, 2 * side - 1 - place);
}
