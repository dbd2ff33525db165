/**
 * `npm run limits`: the largest picture that each pair of formats takes, in
 * megapixels, asked of the planner itself. For a picture of 4:3, opaque, 8 bits,
 * upright, in a file of the usual size for a photo.
 */
import { type ImageType, type Inspection, imageTypes } from '../src/image/inspect/inspection.ts';
import { defaultOptions } from '../src/image/options.ts';
import { plan } from '../src/image/plan.ts';
import { avif, jpeg, png, webp } from '../test/support/inspections.ts';

/** Of photos as they come from cameras and other services. */
const bytesPerPixel = { jpeg: 0.4, png: 1.5, webp: 0.2, avif: 0.1 } as const;

/** One of each kind, as `inspect` would describe it. */
const kinds: Readonly<Record<string, (size: { width: number; height: number }) => Inspection>> = {
  JPEG: jpeg,
  'JPEG, progressive': (size) => jpeg({ ...size, process: 'progressive' }),
  PNG: png,
  WebP: webp,
  AVIF: avif,
};

console.log(`from \\ to`.padEnd(20) + imageTypes.map((type) => type.padStart(9)).join(''));
for (const [name, make] of Object.entries(kinds)) {
  const cells = imageTypes.map((type) => megapixels(largest(make, type)).padStart(9));
  console.log(name.padEnd(20) + cells.join(''));
}

/** The most pixels for which there is a plan, found by halving. */
function largest(
  make: (size: { width: number; height: number }) => Inspection,
  format: ImageType,
): number {
  let [fits, exceeds] = [0, 400_000_000];
  while (exceeds - fits > 10_000) {
    const pixels = (fits + exceeds) / 2;
    const height = 2 * Math.round(Math.sqrt((pixels * 3) / 4) / 2);
    const image = make({ width: 2 * Math.round((height * 4) / 3 / 2), height });
    const fileBytes = pixels * bytesPerPixel[image.type];
    const source = { kind: 'source', image, fileBytes, icc: null } as const;
    if (plan(source, { ...defaultOptions, format }).kind === 'planned') fits = pixels;
    else exceeds = pixels;
  }
  return fits;
}

function megapixels(pixels: number): string {
  return (pixels / 1e6).toFixed(1);
}
