import type { PictureShape } from '../../pixels/raster.ts';
import type { Coding, Detail, RowEncoder } from '../coding.ts';
import { losslessEncodingMs, lossyEncodingMs } from './cpu.ts';
import { drainedWebp, losslessWebp, lossyWebp } from './encode-rows.ts';
import { losslessRuns } from './lossless-coder.ts';
import { drainingRuns, lossyRuns } from './lossy-coder.ts';
import {
  automaticEncodingBytes,
  losslessEncodingBytes,
  lossyDrainingBytes,
  lossyEncodingBytes,
} from './memory.ts';

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
  { exact, isAutomatic = false, isDrawn = false }: Coding,
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
    runs: lossyRuns(settings) + (isAutomatic && isDrawn ? losslessRuns : 0),
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
