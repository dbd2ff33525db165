import type { PictureShape } from '../../pixels/raster.ts';
import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';
import type { Halvings, Quality } from '../format.ts';
import type { JpegInspection } from './inspect.ts';
import { quantizationTableAt, sourceQuality } from './quantization-tables.ts';
import { halvedSampling, type JpegSettings, pixelSamplings } from './sampling.ts';

/**
 * Computing time of JPEG in milliseconds, and what it depends on: megapixels, and megabytes of entropy-coded
 * data. Coefficients are fitted to what `npm run bench -- --only cpu <folder of images>` measures.
 */
const million = 1e6;

/** Linking the kernel and building its tables. */
const fixedMs = 0.6;

function megapixels({ width, height }: { width: number; height: number }): number {
  return (width * height) / million;
}

/** Of samples that are there, against one of luma for each pixel. */
function samplesPerPixel({ components }: JpegInspection): number {
  const [luma] = components;
  if (!luma) return 1;
  const all = components.reduce((sum, { horizontal, vertical }) => sum + horizontal * vertical, 0);
  return all / (luma.horizontal * luma.vertical);
}

/** Reading all coefficients; progressive ones are gathered scan by scan. */
function readingMs(image: JpegInspection, fileBytes: number): number {
  const samples = samplesPerPixel(image) * megapixels(image);
  const [perMegasample, perMegabyte] = image.process === 'progressive' ? [6, 30] : [2, 17];
  return fixedMs + perMegasample * samples + (perMegabyte * fileBytes) / million;
}

/** Decoding to rows of RGBA. */
export function jpegDecodingMs(
  image: JpegInspection,
  fileBytes: number,
  halvings: Halvings,
): number {
  const transformed = samplesPerPixel(image) * megapixels(image);
  const shown = megapixels(image) / 4 ** halvings;
  return readingMs(image, fileBytes) + 2 * transformed + 3 * shown;
}

/** Coding the coefficients of a file anew. */
export function jpegRecodingMs(image: JpegInspection, fileBytes: number, quality: Quality): number {
  const samples = samplesPerPixel(image) * megapixels(image);
  const megabytes = fileBytes / million;
  const coding = 4 * samples + 40 * megabytes;
  if (quality === 'lossless') return readingMs(image, fileBytes) + coding;
  const halving = halvedSampling(image, quality) ? 10 * samples : 0;
  return readingMs(image, fileBytes) + 12 * samples + 0.8 * coding + halving;
}

/**
 * Coding pixels.
 * @param detail of the raster: see `Reader.detail`
 */
export function jpegEncodingMs(
  shape: PictureShape,
  settings: JpegSettings,
  detail: number,
): number {
  const area = megapixels(shape);
  const attempts = pixelSamplings(settings).length > 1 ? 1.1 : 1;
  const channels = settings.grey ? 0.45 : 1;
  const bytes = detail * interpolated(bytesByQuality, settings.quality);
  const once = channels * area * (22 + 90 * bytes);
  return 1 + attempts * (settings.lowMemory ? 1.8 : 1) * once;
}

/** How long a JPEG is by its quality, against one at 77. */
const bytesByQuality: Curve = [
  [10, 0.25],
  [30, 0.5],
  [50, 0.7],
  [77, 1],
  [85, 1.35],
  [90, 1.75],
  [95, 2.6],
  [98, 3.8],
  [100, 5.5],
];

/** Bytes per pixel that it would take at the automatic quality. */
export function jpegDetail(image: JpegInspection, fileBytes: number): number {
  const density = fileBytes / (image.width * image.height);
  return density / interpolated(bytesByQuality, sourceQuality(image));
}

/** Of a camera's photo, which comes to some 0.35 bytes a pixel, 4:3. */
export function typicalJpeg(fileBytes: number): JpegInspection {
  const height = Math.max(1, Math.round(Math.sqrt((0.75 * fileBytes) / 0.35)));
  const component = (id: number, factor: number) => ({
    id,
    horizontal: factor,
    vertical: factor,
    quantizationTable: 0,
  });
  return {
    type: 'jpeg',
    width: Math.round((4 * height) / 3),
    height,
    bitDepth: 8,
    hasAlpha: false,
    isGrey: false,
    frames: 1,
    orientation: 1,
    icc: [],
    process: 'baseline',
    components: [component(1, 2), component(2, 1), component(3, 1)],
    colorSpace: 'ycbcr',
    quantizationTables: [quantizationTableAt(92)],
    restartInterval: 0,
    hasEndMarker: true,
  };
}
