import { colorOf } from '../../src/image/color/source-color.ts';
import type { AvifInspection } from '../../src/image/formats/avif/inspect.ts';
import {
  type ImageType,
  type OutputType,
  outputFacts,
  sourcesOf,
} from '../../src/image/formats/facts.ts';
import type { GifInspection } from '../../src/image/formats/gif/reader.ts';
import type { Source } from '../../src/image/formats/inspection.ts';
import type { JpegInspection } from '../../src/image/formats/jpeg/inspect.ts';
import type { PngInspection } from '../../src/image/formats/png/inspect.ts';
import { formatOf, type SourceImage } from '../../src/image/formats/registry.ts';
import type { WebpInspection } from '../../src/image/formats/webp/reader.ts';
import type { PlannedCandidate } from '../../src/image/pipeline/candidates.ts';
import { defaultOptions, type OptimizeOptions } from '../../src/image/pipeline/options.ts';
import { plan } from '../../src/image/pipeline/plan.ts';

const common = {
  width: 800,
  height: 600,
  bitDepth: 8,
  hasAlpha: false,
  isGrey: false,
  frames: 1,
  orientation: 1,
  icc: [],
} as const;

/** Inspections of opaque 8-bit pictures, as returned by `inspect`, with changes. */
export function png(changes: Partial<PngInspection> = {}): PngInspection {
  return {
    ...common,
    type: 'png',
    colorType: 2,
    interlaced: false,
    hasSubstitute: false,
    paletteSize: 0,
    colorChunk: null,
    cicp: null,
    gamma: null,
    chromaticities: null,
    ...changes,
  };
}

/** A JPEG of four inks, which are neither inverted nor halved. */
export function inkJpeg(changes: Partial<JpegInspection> = {}): JpegInspection {
  const { components } = jpeg();
  const four = [...components, ...components.slice(0, 1)];
  const inks = four.map((one, c) => ({ ...one, id: c + 1, horizontal: 1, vertical: 1 }));
  return jpeg({ colorSpace: 'cmyk', components: inks, ...changes });
}

/** A 4:2:0 camera JPEG, with quantization fine enough that re-encoding is worthwhile. */
export function jpeg(changes: Partial<JpegInspection> = {}): JpegInspection {
  const component = (id: number, factor: number) => ({
    id,
    horizontal: factor,
    vertical: factor,
    quantizationTable: 0,
  });
  return {
    ...common,
    type: 'jpeg',
    process: 'baseline',
    components: [component(1, 2), component(2, 1), component(3, 1)],
    colorSpace: 'ycbcr',
    quantizationTables: [new Uint16Array(64).fill(2)],
    restartInterval: 0,
    hasEndMarker: true,
    ...changes,
  };
}

export function webp(changes: Partial<WebpInspection> = {}): WebpInspection {
  const picture = {
    width: changes.width ?? common.width,
    height: changes.height ?? common.height,
    color: { kind: changes.compression ?? 'lossy', range: { offset: 20, length: 10_000 } },
    alpha: null,
    hasAlpha: false,
  };
  return { ...common, type: 'webp', compression: 'lossy', picture, ...changes };
}

/** A still image with 256 colors. */
export function gif(changes: Partial<GifInspection> = {}): GifInspection {
  const { width = common.width, height = common.height } = changes;
  const picture = {
    region: { left: 0, top: 0, width, height },
    isInterlaced: false,
    table: { offset: 13, length: 768 },
    transparent: -1,
    minCodeSize: 8,
    data: { offset: 800, length: Math.floor(bytesPerPixel.gif * width * height) },
  };
  const codedPixels = (changes.frames ?? 1) * width * height;
  return { ...common, type: 'gif', picture, codedPixels, interlacedPixels: 0, ...changes };
}

/** Coded in one piece, with 8 bits. */
export function avif(changes: Partial<AvifInspection> = {}): AvifInspection {
  const { width = common.width, height = common.height } = changes;
  const codedBytes = bytesPerPixel.avif * width * height;
  return {
    ...common,
    type: 'avif',
    chroma: '420',
    nclx: null,
    rotation: 0,
    mirror: 'none',
    cleanAperture: null,
    isGrid: false,
    coding: {
      cells: { columns: 1, rows: 1, width, height },
      codedBytes,
      longestBytes: codedBytes,
      decoder: 'dav1d',
      isDoubled: false,
    },
    ...changes,
  };
}

/** Coded with 10 bits. */
export function deepAvif(size: { width: number; height: number }): AvifInspection {
  const { coding, ...image } = avif(size);
  return { ...image, bitDepth: 10, coding: { ...coding, decoder: 'libaom' } };
}

/** Formats to which any still picture can be converted. */
export const stillTypes: readonly OutputType[] = outputFacts
  .filter((facts) => facts.output.holdsStills && sourcesOf(facts) === null)
  .map(({ type }) => type);

type Make = (size: { width: number; height: number }) => SourceImage;

/** One inspection of each kind, opaque, 8 bits, upright, as returned by `inspect`. */
export const pictureKinds: Readonly<Record<string, Make>> = {
  JPEG: jpeg,
  'JPEG, progressive': (size) => jpeg({ ...size, process: 'progressive' }),
  'JPEG, CMYK': inkJpeg,
  PNG: png,
  WebP: webp,
  AVIF: avif,
  'AVIF, 4:4:4': (size) => avif({ ...size, chroma: '444' }),
  'AVIF, 10 bits': deepAvif,
  GIF: gif,
};

/** Typical values for photos from cameras and other services. */
const bytesPerPixel = { jpeg: 0.4, png: 1.5, webp: 0.2, avif: 0.1, gif: 0.5 } as const;

/**
 * Maximum number of pixels of a 4:3 picture for which there is a plan to decode it, found by bisection.
 * @param density bytes per pixel
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
    if (planned.kind === 'planned' && planned.candidates.some(isDecoded)) fits = pixels;
    else exceeds = pixels;
  }
  return fits;
}

/** Whether a candidate is more than the original, passed on unverified because nothing else can be made. */
function isDecoded(candidate: PlannedCandidate): boolean {
  return candidate.kind !== 'passthrough' || candidate.verify;
}

/** A source with this inspection. */
export function sourceOf(
  image: SourceImage,
  fileBytes = 100_000,
  icc: Uint8Array | null = null,
): Source {
  return {
    kind: 'source',
    image,
    fileBytes,
    icc,
    color: colorOf(formatOf(image).read.samples(image), icc),
  };
}
