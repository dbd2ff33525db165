/**
 * `npm run limits`: the largest picture that each pair of formats takes, in
 * megapixels, asked of the planner itself. For a picture of 4:3, opaque, 8 bits,
 * upright, in a file of the usual size for a photo.
 */
import { type ImageType, type Inspection, imageTypes } from '../src/image/inspect/inspection.ts';
import type { OptimizeOptions } from '../src/image/options.ts';
import { anyType, plan } from '../src/image/plan.ts';

/** Of photos as they come from cameras and other services. */
const bytesPerPixel = { jpeg: 0.4, png: 1.5, webp: 0.2, avif: 0.1 } as const;

const common = {
  bitDepth: 8,
  hasAlpha: false,
  isGrey: false,
  frames: 1,
  orientation: 1,
  icc: [],
} as const;

/** One of each kind, as `inspect` would describe it. */
const kinds: Readonly<Record<string, (width: number, height: number) => Inspection>> = {
  JPEG: (width, height) => jpeg(width, height, 'baseline'),
  'JPEG, progressive': (width, height) => jpeg(width, height, 'progressive'),
  PNG: (width, height) => ({
    ...{ ...common, type: 'png', width, height, colorType: 2, interlaced: false },
    ...{ paletteSize: 0, colorChunk: null },
  }),
  WebP: (width, height) => ({ ...common, type: 'webp', width, height, compression: 'lossy' }),
  AVIF: (width, height) => ({
    ...{ ...common, type: 'avif', width, height, chroma: '420', nclx: null, rotation: 0 },
    ...{ mirror: 'none', cleanAperture: null, isGrid: false },
  }),
};

console.log(`from \\ to`.padEnd(20) + imageTypes.map((type) => type.padStart(9)).join(''));
for (const [name, make] of Object.entries(kinds)) {
  const cells = imageTypes.map((type) => megapixels(largest(make, type)).padStart(9));
  console.log(name.padEnd(20) + cells.join(''));
}

/** The most pixels for which there is a plan, found by halving. */
function largest(make: (width: number, height: number) => Inspection, format: ImageType): number {
  let [fits, exceeds] = [0, 400_000_000];
  while (exceeds - fits > 10_000) {
    const pixels = (fits + exceeds) / 2;
    const height = 2 * Math.round(Math.sqrt((pixels * 3) / 4) / 2);
    const image = make(2 * Math.round((height * 4) / 3 / 2), height);
    const fileBytes = pixels * bytesPerPixel[image.type];
    const source = { kind: 'source', image, fileBytes, icc: null } as const;
    if (plan(source, options(format)).kind === 'planned') fits = pixels;
    else exceeds = pixels;
  }
  return fits;
}

function options(format: ImageType): OptimizeOptions {
  return {
    ...{ format, quality: 'auto', width: null, height: null, fit: 'inside' },
    ...{ metadata: 'none', background: null, accept: anyType },
  };
}

function jpeg(width: number, height: number, process: 'baseline' | 'progressive'): Inspection {
  const component = (id: number, factor: number) => ({
    ...{ id, horizontal: factor, vertical: factor, quantizationTable: 0 },
  });
  return {
    ...{ ...common, type: 'jpeg', width, height, process, restartInterval: 0 },
    components: [component(1, 2), component(2, 1), component(3, 1)],
    colorSpace: 'ycbcr',
    // of a camera: fine enough that coding again is worth it
    quantizationTables: [new Uint16Array(64).fill(2)],
  };
}

function megapixels(pixels: number): string {
  return (pixels / 1e6).toFixed(1);
}
