/**
 * Colors are compared by luma (BT.601), and by blue and red minus luma, scaled by the weights of these differences
 * relative to luma. kernel/encoder/lossy-colors.ts compares colors in the same way.
 */
export const blueWeight = 0.25;
export const redWeight = 0.4;

/** Splits an opaque color, given as an RGBA word, into luma, blue and red, in steps of luma. */
export function splitColor(word: number): [luma: number, blue: number, red: number] {
  const red = word & 0xff;
  const blue = (word >>> 16) & 0xff;
  const luma = 0.299 * red + 0.587 * ((word >>> 8) & 0xff) + 0.114 * blue;
  return [luma, blueWeight * (blue - luma), redWeight * (red - luma)];
}

/** Squared distance between two opaque colors, given as RGBA words. */
export function squaredDistance(a: number, b: number): number {
  const red = (a & 0xff) - (b & 0xff);
  const green = ((a >>> 8) & 0xff) - ((b >>> 8) & 0xff);
  const blue = ((a >>> 16) & 0xff) - ((b >>> 16) & 0xff);
  const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
  return luma ** 2 + (blueWeight * (blue - luma)) ** 2 + (redWeight * (red - luma)) ** 2;
}
