import { CodecError, type Encoder } from '../codecs/codec.ts';
import type { Raster } from '../raster.ts';
import { encodeJpeg } from './encode-jpeg.ts';
import { jpegEncodingBytes } from './encoding-bytes.ts';
import type { JpegSettings } from './jpeg-settings.ts';
import { runJpegKernel } from './kernel.ts';
import { pixelSamplings } from './pixel-samplings.ts';

/**
 * JPEG from pixels: quantization by rate and distortion, chroma halved where that is not missed,
 * progressive or sequential by whatever is shorter. With little memory coefficients are made again
 * for each scan, which then is a sequential one, instead of being kept.
 */
export const jpegEncoder: Encoder<JpegSettings> = {
  arenaBytes: (shape, settings) => jpegEncodingBytes(shape, settings).most,
  encode(raster, settings) {
    for (const sampling of pixelSamplings(settings)) {
      const bytes = encoded(raster, settings, sampling);
      if (bytes) return bytes;
    }
    throw new CodecError('jpeg kernel', false, 'no sampling does');
  },
};

/** Null where halving chroma would lose what can be seen. */
function encoded(
  raster: Raster,
  settings: JpegSettings,
  sampling: ReturnType<typeof pixelSamplings>[number],
): Uint8Array<ArrayBuffer> | null {
  return runJpegKernel(new Uint8Array(), (kernel) => {
    const coded = encodeJpeg(kernel, raster, settings, sampling);
    if (coded.kind === 'too-colorful') return null;
    if (coded.kind === 'coded') return coded.bytes.slice();
    // noise has been allowed for, so that too long is what the arena has no room for
    throw new CodecError('jpeg kernel', coded.kind === 'too-long', coded.kind);
  });
}
