import type { PictureShape } from '../../pixels/raster.ts';
import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';
import type { Detail, Halvings } from '../coding.ts';
import type { Quality } from '../inspection.ts';
import type { JpegInspection } from './inspect.ts';
import { quantizationTableAt, sourceQuality } from './quantization-tables.ts';
import type { JpegSettings } from './sampling.ts';

// Predicts the CPU time of JPEG in milliseconds from millions of pixels and samples and from megabytes of the file.
// Coefficients are fitted to what `npm run bench -- --only cpu <folder of images>` measures.

const million = 1e6;

/** CPU time of decoding to rows of RGBA. */
export function jpegDecodingMs(
  image: JpegInspection,
  fileBytes: number,
  halvings: Halvings,
): number {
  const transforming = 0.8 * samplesOf(image) * 4 ** -halvings;
  const writing = 0.35 * pixelsOf(image) * 2 ** -halvings;
  return readingMs(image, fileBytes) + transforming + writing;
}

/** CPU time of reading all coefficients; progressive ones are accumulated scan by scan. */
function readingMs(image: JpegInspection, fileBytes: number): number {
  const [perSample, perByte] = image.process === 'progressive' ? [2, 27] : [0.3, 9.5];
  const scans = furtherScansMs(image);
  return 0.9 + perSample * samplesOf(image) + (perByte * fileBytes) / million + scans;
}

/**
 * CPU time per block of the coefficients of a detailed photo, in milliseconds, by which passes over them are paced: to
 * read them, to keep them, to requantize and keep them, and to code them in a scan.
 */
export const blockMs = { read: 2e-4, kept: 1e-4, requantized: 1e-3, coded: 2e-4 } as const;

/** Number of scans that encoders write, and which are part of the coefficients. */
const usualScans = 14;

/**
 * CPU time of further progressive scans, in milliseconds: each needs tables, and takes all blocks even if its data are a
 * few bytes that leave them unchanged. All are assumed to be of as many blocks as the picture has.
 */
function furtherScansMs(image: JpegInspection): number {
  const { process, scans = 0 } = image;
  if (process !== 'progressive') return 0;
  const blocks = (pixelsOf(image) * million) / 64;
  return Math.max(0, scans - usualScans) * (0.12 + 22e-6 * blocks);
}

/**
 * CPU time of recoding the coefficients of a file. Scan scripts are compared on a sample of the blocks, so it grows
 * more slowly than the file.
 */
export function jpegRecodingMs(image: JpegInspection, fileBytes: number, quality: Quality): number {
  const megabytes = fileBytes / million;
  const samples = samplesOf(image);
  const isExact = quality === 'lossless';
  if (image.process === 'progressive') {
    return 2 + 2.5 * samples + (isExact ? 165 : 120) * megabytes + furtherScansMs(image);
  }
  return isExact
    ? 0.9 + 0.3 * samples + 117 * megabytes ** 0.75
    : 2 + 1.3 * samples + 56 * megabytes ** 0.75;
}

/** CPU time of copying a file into a new buffer. */
export function jpegCopyingMs(fileBytes: number): number {
  return (1.5 * fileBytes) / million;
}

/** CPU time of encoding pixels. */
export function jpegEncodingMs(
  { width, height }: PictureShape,
  { quality, grey, lowMemory }: JpegSettings,
  { density, isDrawn }: Detail,
): number {
  const bytes = density * interpolated(bytesByQuality, quality);
  const once = ((width * height) / million) * (22 + 75 * bytes);
  // If halved chroma turns out to be visible, everything is done again.
  const attempts = isDrawn ? 1.5 : 1;
  return 2.5 + once * attempts * (grey ? 0.5 : 1) * (lowMemory ? 1.8 : 1);
}

/** Size of a JPEG by quality, relative to the automatic quality. */
const bytesByQuality: Curve = [
  [1, 0.12],
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

/** Approximate size of a JPEG of this quality relative to the source. */
export function shareOfSource(image: JpegInspection, quality: number): number {
  const own = interpolated(bytesByQuality, sourceQuality(image));
  return interpolated(bytesByQuality, quality) / own;
}

/** Bytes per pixel of a flat block. */
const flatDensity = 0.006;

export function jpegDetail(image: JpegInspection, fileBytes: number): Detail {
  const own = fileBytes / (image.width * image.height);
  const density = own / interpolated(bytesByQuality, sourceQuality(image)) - flatDensity;
  return { density: Math.max(0, density), isDrawn: false };
}

function pixelsOf({ width, height }: JpegInspection): number {
  return (width * height) / million;
}

/** Samples in all components, in millions. */
function samplesOf(image: JpegInspection): number {
  const [luma, ...chroma] = image.components;
  if (!luma || chroma.length === 0) return pixelsOf(image);
  const all = image.components.reduce(
    (sum, { horizontal, vertical }) => sum + horizontal * vertical,
    0,
  );
  return (pixelsOf(image) * all) / (luma.horizontal * luma.vertical);
}

/** Typical properties of a camera's file. */
const typical = { bytesPerPixel: 0.35, quality: 92 } as const;

/** The inspection of a typical camera file of this length: 4:3 in 4:2:0. */
export function typicalJpeg(fileBytes: number): JpegInspection {
  const height = Math.max(1, Math.round(Math.sqrt((0.75 * fileBytes) / typical.bytesPerPixel)));
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
    quantizationTables: [quantizationTableAt(typical.quality)],
    restartInterval: 0,
    hasEndMarker: true,
  };
}
