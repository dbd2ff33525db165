import type { ImageType } from '../../src/image/formats/facts.ts';
import type { SourceImage } from '../../src/image/formats/registry.ts';
import { defaultOptions, type OptimizeOptions } from '../../src/image/pipeline/options.ts';
import { plan } from '../../src/image/pipeline/plan.ts';
import { avif, jpeg, png, webp } from './inspections.ts';
import { sourceOf } from './sources.ts';

type Make = (size: { width: number; height: number }) => SourceImage;

/** One of each kind, opaque, 8 bits, upright, as `inspect` would describe it. */
export const pictureKinds: Readonly<Record<string, Make>> = {
  JPEG: jpeg,
  'JPEG, progressive': (size) => jpeg({ ...size, process: 'progressive' }),
  PNG: png,
  WebP: webp,
  AVIF: avif,
};

/** Of photos as they come from cameras and other services. */
const bytesPerPixel = { jpeg: 0.4, png: 1.5, webp: 0.2, avif: 0.1 } as const;

/**
 * The most pixels of a 4:3 picture for which there is a plan, found by halving.
 * @param density bytes a pixel
 */
export function largestPicture(
  make: Make,
  format: ImageType,
  options: Partial<OptimizeOptions> = {},
  density?: number,
): number {
  let [fits, exceeds] = [0, 400_000_000];
  while (exceeds - fits > 10_000) {
    const pixels = (fits + exceeds) / 2;
    const height = 2 * Math.round(Math.sqrt((pixels * 3) / 4) / 2);
    const image = make({ width: 2 * Math.round((height * 4) / 3 / 2), height });
    const source = sourceOf(image, pixels * (density ?? bytesPerPixel[image.type]));
    const planned = plan(source, { ...defaultOptions, ...options, format });
    if (planned.kind === 'planned') fits = pixels;
    else exceeds = pixels;
  }
  return fits;
}
