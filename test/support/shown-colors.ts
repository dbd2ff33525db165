import sharp from 'sharp';

/** What a color-managed viewer shows, upright, as sRGB: three samples per pixel. */
interface Shown {
  readonly width: number;
  readonly height: number;
  readonly data: Buffer;
}

/** Converted to sRGB by sharp (libvips with Little CMS), using whatever color information the file has. */
export async function shownColors(file: Uint8Array): Promise<Shown> {
  const { data, info } = await sharp(file)
    .autoOrient()
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.channels === 3) return { width: info.width, height: info.height, data };
  const rgb = Buffer.alloc(info.width * info.height * 3);
  for (let i = 0; i < rgb.length; i += 1) rgb[i] = data[Math.floor(i / 3)] ?? 0;
  return { width: info.width, height: info.height, data: rgb };
}

const blockSide = 16;

/** For each whole block of 16 × 16 pixels, the largest difference of a channel's mean, in 8-bit codes. */
export function blockDifferences(a: Shown, b: Shown): number[] {
  if (a.width !== b.width || a.height !== b.height) {
    throw new RangeError('pictures of different size');
  }
  const differences: number[] = [];
  for (let top = 0; top + blockSide <= a.height; top += blockSide) {
    for (let left = 0; left + blockSide <= a.width; left += blockSide) {
      const [ma, mb] = [blockMeans(a, left, top), blockMeans(b, left, top)];
      differences.push(Math.max(...ma.map((mean, i) => Math.abs(mean - (mb[i] ?? 0)))));
    }
  }
  return differences;
}

function blockMeans({ width, data }: Shown, left: number, top: number): number[] {
  const sums = [0, 0, 0];
  for (let y = top; y < top + blockSide; y += 1) {
    for (let x = left; x < left + blockSide; x += 1) {
      const at = 3 * (y * width + x);
      for (let c = 0; c < 3; c += 1) sums[c] = (sums[c] ?? 0) + (data[at + c] ?? 0);
    }
  }
  return sums.map((sum) => sum / blockSide ** 2);
}

/** The percentile of the numbers at `share`. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
