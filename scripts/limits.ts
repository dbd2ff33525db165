/**
 * `npm run limits`: the largest picture that each pair of formats takes, in
 * megapixels, asked of the planner itself. For a picture of 4:3, opaque, 8 bits,
 * upright, in a file of the usual size for a photo.
 */
import { type ImageType, type Inspection, imageTypes } from '../src/image/inspect/inspection.ts';
import { defaultOptions, type OptimizeOptions } from '../src/image/options.ts';
import { plan } from '../src/image/plan.ts';
import { avif, jpeg, png, webp } from '../test/support/inspections.ts';
import { sourceOf } from '../test/support/sources.ts';

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

table('In its own size', {});
table('\nReduced to a width of 800', { width: 800 });

function table(title: string, options: Partial<OptimizeOptions>): void {
  console.log(title);
  console.log('from \\ to'.padEnd(20) + imageTypes.map((type) => type.padStart(9)).join(''));
  for (const [name, make] of Object.entries(kinds)) {
    const cells = imageTypes.map((type) => megapixels(largest(make, type, options)).padStart(9));
    console.log(name.padEnd(20) + cells.join(''));
  }
}

/** The most pixels for which there is a plan, found by halving. */
function largest(
  make: (size: { width: number; height: number }) => Inspection,
  format: ImageType,
  options: Partial<OptimizeOptions>,
): number {
  let [fits, exceeds] = [0, 400_000_000];
  while (exceeds - fits > 10_000) {
    const pixels = (fits + exceeds) / 2;
    const height = 2 * Math.round(Math.sqrt((pixels * 3) / 4) / 2);
    const image = make({ width: 2 * Math.round((height * 4) / 3 / 2), height });
    const fileBytes = pixels * bytesPerPixel[image.type];
    const source = sourceOf(image, fileBytes);
    const planned = plan(source, { ...defaultOptions, ...options, format });
    if (planned.kind === 'planned') fits = pixels;
    else exceeds = pixels;
  }
  return fits;
}

function megapixels(pixels: number): string {
  return (pixels / 1e6).toFixed(1);
}
