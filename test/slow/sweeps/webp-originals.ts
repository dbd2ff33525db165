import sharp from 'sharp';
import { Random } from '../../support/random.ts';
import {
  drawn,
  encoded,
  type Picture,
} from '../../unit/image/formats/webp/kernel/libwebp-pictures.ts';
import { madeWebp } from '../../unit/image/formats/webp/kernel/made-frames.ts';

/**
 * A sound WebP of every kind that the kernel has a way of its own for, small ones, some of more than
 * a window of the file (8 KiB).
 */
export async function webpOriginals(): Promise<Readonly<Record<string, Uint8Array<ArrayBuffer>>>> {
  const files = { ...lossyFiles(), ...losslessFiles(), ...(await extendedFiles()) };
  return Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, Uint8Array.from(file)]),
  );
}

/** Animations, whose frames are decoded one by one. */
export async function animatedOriginals(): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const frames = sharp(veil.data, { raw: { width: 90, height: 70, channels: 4, pageHeight: 14 } });
  const encodings = [{ quality: 70 }, { lossless: true }, { minSize: true, mixed: true }];
  return Promise.all(
    encodings.map(async (options) =>
      Uint8Array.from(await frames.clone().webp(options).toBuffer()),
    ),
  );
}

function lossyFiles(): Record<string, Uint8Array> {
  return {
    lossy: encoded(scene, {}),
    'lossy noise of 20 KB': encoded(noisy, { quality: 100 }),
    'eight partitions': encoded(scene, { partitions: 3, method: 6 }),
    'simple filter': encoded(scene, { filter_type: 0, filter_strength: 90, segments: 1 }),
    'sharp filter': encoded(scene, { filter_sharpness: 7, filter_strength: 100, quality: 10 }),
    'chosen header, noise behind it': madeWebp({ width: 60, height: 50, seed: 3, partitions: 2 }),
    alpha: encoded(veil, {}),
    'raw alpha': encoded(veil, { alpha_compression: 0 }),
    'alpha with the best filter': encoded(veil, { alpha_filtering: 2 }),
    'raw alpha, filtered': encoded(veil, { alpha_compression: 0, alpha_filtering: 2 }),
    'alpha of few levels': encoded(veil, { alpha_quality: 20 }),
  };
}

function losslessFiles(): Record<string, Uint8Array> {
  const palettes = [2, 4, 16, 17, 256].map((colors): [string, Uint8Array] => [
    `palette of ${colors}`,
    encoded(inColors(colors), { lossless: 1 }),
  ]);
  return {
    ...Object.fromEntries(palettes),
    lossless: encoded(scene, { lossless: 1 }),
    'lossless with alpha': encoded(veil, { lossless: 1, quality: 100, method: 6 }),
    'lossless noise of 20 KB': encoded(noisy, { lossless: 1 }),
    'nearly lossless': encoded(scene, { lossless: 1, near_lossless: 40 }),
    'lossless in a hurry': encoded(scene, { lossless: 1, method: 0, quality: 0 }),
  };
}

/** With a profile, metadata and an orientation, so that rows are turned on their way. */
async function extendedFiles(): Promise<Record<string, Uint8Array>> {
  const { width, height, data } = veil;
  const tagged = (orientation: number) =>
    sharp(data, { raw: { width, height, channels: 4 } })
      .withIccProfile('p3')
      .withMetadata({ orientation });
  return {
    'extended, lossy': await tagged(6).webp().toBuffer(),
    'extended, lossless': await tagged(3).webp({ lossless: true }).toBuffer(),
    'extended, opaque': await tagged(5).removeAlpha().webp({ quality: 90 }).toBuffer(),
  };
}

const scene = drawn(90, 70, (x, y) => [2 * x + ((y >> 3) & 1) * 40, 3 * y, (x * y) >> 4, 255]);

const veil = drawn(90, 70, (x, y) => [3 * x, 5 * y, x ^ y, x < 30 ? 0 : (x * y) & 255]);

const random = new Random(7);
const noisy = drawn(90, 70, () => {
  const word = random.word();
  return [word & 255, (word >> 8) & 255, (word >> 16) & 255, 255];
});

function inColors(colors: number): Picture {
  return drawn(90, 70, (x, y) => {
    const color = ((x >> 1) + (y >> 2) * (x % 5)) % colors;
    return [color * 73, color * 29, color, 255];
  });
}
