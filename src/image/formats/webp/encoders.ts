import type { PictureShape } from '../../pixels/raster.ts';
import type { Coding, Detail, RowEncoder } from '../coding.ts';
import { drainedWebp, losslessWebp, lossyWebp } from './encode-rows.ts';
import { losslessRuns } from './lossless-coder.ts';
import { drainingRuns, lossyRuns } from './lossy-coder.ts';
import {
  automaticEncodingBytes,
  losslessEncodingBytes,
  lossyDrainingBytes,
  lossyEncodingBytes,
} from './memory.ts';
import type { WebpInspection } from './reader.ts';

/** The encoder whose result stays in its arena. */
export function webpRowEncoder(shape: PictureShape, coding: Coding): RowEncoder {
  const { quality } = coding;
  return quality === 'lossless'
    ? losslessEncoder(shape, coding)
    : lossyEncoder(shape, quality, coding);
}

function losslessEncoder(shape: PictureShape, { exact }: Coding): RowEncoder {
  const { photo, max, result, maxResult } = losslessEncodingBytes(shape);
  return {
    photoBytes: photo,
    maxBytes: max,
    bufferBytes: result,
    maxBufferBytes: maxResult,
    runs: losslessRuns,
    cpuMs: (detail) => losslessEncodingMs(shape, detail),
    encode: (rows, run) => losslessWebp(rows, { exact }, run),
  };
}

function lossyEncoder(
  shape: PictureShape,
  quality: number,
  { exact, isAutomatic = false, detail: known }: Coding,
): RowEncoder {
  const { hasAlpha } = shape;
  const settings = { quality, hasAlpha, exact };
  const bytesOf = isAutomatic ? automaticEncodingBytes : lossyEncodingBytes;
  const { photo, max, result, maxResult } = bytesOf(shape, settings);
  const wish = { ...settings, maxLosslessBytes: isAutomatic ? maxResult : 0 };
  return {
    photoBytes: photo,
    maxBytes: max,
    bufferBytes: result,
    maxBufferBytes: maxResult,
    runs: lossyRuns(settings) + (isAutomatic && known?.isDrawn ? losslessRuns : 0),
    cpuMs: (detail) =>
      lossyEncodingMs(shape, detail) +
      (isAutomatic && mayBecomeLossless(detail) ? losslessEncodingMs(shape, detail) : 0),
    encode: (rows, run) => lossyWebp(rows, wish, run),
  };
}

/** Whether a lossless encoding may be tried as well (`DrawnRows`): a drawing that was reduced still has few details. */
function mayBecomeLossless({ isDrawn, density }: Detail): boolean {
  return isDrawn || density < maxDrawnDensity;
}

const maxDrawnDensity = 0.02;

/**
 * That in a small memory, which holds nothing of the result: it is drained into buffers. Lossless pictures take more.
 */
export function webpDrainingEncoders(shape: PictureShape, coding: Coding): readonly RowEncoder[] {
  const { quality, exact } = coding;
  if (quality === 'lossless') return [];
  const settings = { quality, hasAlpha: shape.hasAlpha, exact };
  const inMemory = lossyEncoder(shape, quality, coding);
  const { photo, max } = lossyDrainingBytes(shape, settings);
  return [
    {
      ...inMemory,
      photoBytes: photo,
      maxBytes: max,
      runs: drainingRuns(settings),
      cpuMs: (detail) => 2 * inMemory.cpuMs(detail),
      encode: (rows, run) => drainedWebp(rows, settings, run),
    },
  ];
}

// CPU time of WebP in milliseconds, by millions of pixels and by megabytes of the file. Coefficients
// are fitted to what `npm run bench -- --only cpu <folder of images>` measures.

const million = 1e6;

export function webpDecodingMs(
  { width, height, compression, hasAlpha }: WebpInspection,
  fileBytes: number,
): number {
  const megapixels = (width * height) / million;
  const megabytes = fileBytes / million;
  if (compression === 'lossless') return 0.1 + 3.3 * megapixels + 9 * megabytes;
  return 0.1 + (hasAlpha ? 6 : 3.7) * megapixels + 61 * megabytes;
}

/** Lossless, by rows. */
export function losslessEncodingMs(
  { width, height, hasAlpha }: PictureShape,
  { density }: Detail,
): number {
  const megapixels = (width * height) / million;
  const planes = hasAlpha ? 1.3 : 1;
  return 1 + megapixels * (40 + (planes * 330 * density) / (density + 0.07));
}

/** Lossy, by rows whose tokens are kept. */
export function lossyEncodingMs(
  { width, height, hasAlpha }: PictureShape,
  { density, isDrawn }: Detail,
): number {
  const megapixels = (width * height) / million;
  return 1 + megapixels * ((isDrawn ? 60 : 35) + 370 * density + (hasAlpha ? 60 : 0));
}

/** Drawn pictures without loss take fewer bytes than this for each pixel. */
const maxDrawnBytes = 0.3;

export function webpDetail(
  { width, height, compression }: WebpInspection,
  fileBytes: number,
): Detail {
  const own = fileBytes / (width * height);
  if (compression === 'lossless') {
    return { density: 0.15 * own, isDrawn: own < maxDrawnBytes };
  }
  // flat blocks take next to nothing
  return { density: 1.5 * Math.max(0, own - 0.002), isDrawn: false };
}
