import { marker } from '../inspect/jpeg-markers.ts';
import type { Raster } from '../raster.ts';
import { type Coded, codePicture } from './code-picture.ts';
import { CodedRows } from './coded-rows.ts';
import { mostJpegBytes } from './encoding-bytes.ts';
import { lumaPerChroma, type Sampling } from './frame-geometry.ts';
import type { JpegSettings } from './jpeg-settings.ts';
import type { JpegKernel } from './kernel.ts';
import { PixelCoefficients } from './pixel-coefficients.ts';
import { targetScale } from './target-scale.ts';
import { targetTables } from './target-tables.ts';

/**
 * Codes pixels, alpha left aside, as a JPEG of grey or YCbCr.
 *
 * @param sampling of each component: one, or three
 * @throws CodecError where it takes more memory than there is
 */
export function encodeJpeg(
  kernel: JpegKernel,
  raster: Raster,
  settings: JpegSettings,
  sampling: readonly Sampling[],
): Coded {
  const { width, height } = raster;
  const { quality, grey, lowMemory = false } = settings;
  const source = new PixelCoefficients(kernel, raster, grey ? 1 : 3);
  const picture = { width, height, sampling, ids: [1, 2, 3], isYcc: !grey };
  const tables = targetTables(
    targetScale(quality),
    source.quantization,
    grey ? null : lumaPerChroma(sampling),
  );
  const rows = new CodedRows(kernel, source, picture, tables);
  const most = Math.ceil(mostJpegBytes(raster, settings));
  return codePicture(kernel, rows, picture, { head, most, mayStream: lowMemory });
}

/** SOI and JFIF 1.01 with pixels that are square and no thumbnail (ITU-T T.871 §10.1). */
const head = Uint8Array.of(
  ...[0xff, marker.soi, 0xff, marker.app0, 0, 16],
  ...[0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0],
);
