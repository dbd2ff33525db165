import sharp, {
  type AvifOptions,
  type JpegOptions,
  type PngOptions,
  type WebpOptions,
} from 'sharp';
import type { Raster } from './raster.ts';

/** The formats that the tests need, each with sharp's own options. */
export interface EncodeOptions {
  readonly jpeg: JpegOptions;
  readonly png: PngOptions;
  readonly webp: WebpOptions;
  readonly avif: AvifOptions;
}

/**
 * Encodes a raster with sharp, without metadata; JPEG drops alpha onto black.
 *
 * The bytes are those of the installed sharp: another version may give others for the same pixels.
 */
export function encodeRaster<Format extends keyof EncodeOptions>(
  raster: Raster,
  format: Format,
  options?: EncodeOptions[Format],
): Promise<Buffer> {
  const { width, height, channels, data } = raster;
  return sharp(data, { raw: { width, height, channels } }).toFormat(format, options).toBuffer();
}
