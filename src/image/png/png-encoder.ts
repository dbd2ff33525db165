import { CodecError, type Encoded, type PictureShape } from '../codecs/codec.ts';
import type { Quality } from '../options.ts';
import type { Raster } from '../raster.ts';
import { codedPng } from './coded-png.ts';
import { runPngKernel } from './kernel.ts';
import { paletteTarget } from './palette-quality.ts';
import { RasterRows } from './raster-rows.ts';
import { ownBytes } from './reading-bytes.ts';
import { recodePng } from './recode-png.ts';
import { pngWritingBytes } from './recoding-bytes.ts';
import { pngRowLength } from './row-bytes.ts';
import type { SampleKinds } from './sample-kinds.ts';

/** How a raster becomes a PNG. */
export interface PngSettings {
  /** `lossless`: every visible sample stays. */
  readonly quality: Quality;
  /** Colours under full transparency stay, too. */
  readonly exact: boolean;
  readonly kinds: SampleKinds;
}

/** PNG from pixels, by the same way that a PNG takes that is written anew. */
export const pngEncoder = {
  /** The arena that it takes, in bytes, with a result of so many. */
  arenaBytes(shape: PictureShape, { quality }: PngSettings, resultBytes: number): number {
    return ownBytes + pngWritingBytes(shape, quality !== 'lossless', false) + resultBytes;
  },
  /** @throws CodecError where it takes more memory than there is */
  encode(raster: Raster, { quality, exact, kinds }: PngSettings): Encoded {
    return runPngKernel(null, (kernel) => {
      const recoded = recodePng(kernel, new RasterRows(kernel, raster), null, {
        palette: quality === 'lossless' ? null : paletteTarget(quality),
        keepsHidden: exact,
        keepsDepth: false,
        kinds,
        ownKey: null,
        preamble: new Uint8Array(),
        most: Number.MAX_SAFE_INTEGER,
        mayBeCramped: false,
      });
      if (!recoded) throw new CodecError('png kernel', true, 'no room for a result');
      const { frame, stream, isExact } = recoded;
      const data = kernel.bytes.subarray(stream.at, stream.at + stream.length);
      const bytes = codedPng(frame, new Uint8Array(), data);
      return { bytes, quality: isExact ? 'lossless' : quality };
    });
  },
};

/** The most that a file of a raster takes: deflate stores what it cannot press. */
export function mostPngBytes({ width, height, hasAlpha }: PictureShape, grey: boolean): number {
  const colorType = hasAlpha ? (grey ? 4 : 6) : grey ? 0 : 2;
  return 1.01 * height * pngRowLength(width, { colorType, bitDepth: 8 }) + 4096;
}
