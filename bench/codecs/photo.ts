import sharp, { type Sharp } from 'sharp';
import type { ImageType } from '../../src/image/formats/facts.ts';
import type { Quality } from '../../src/image/formats/inspection.ts';
import { encodersFor } from '../../src/image/pipeline/conversion.ts';
import { isTransparent, type Raster } from '../../src/image/pixels/raster.ts';
import { arena } from '../../src/image/wasm/arena.ts';
import { CodecError } from '../../src/image/wasm/codec.ts';
import { bareFile } from '../../test/support/rows.ts';
import type { CorpusFile } from '../harness/section.ts';
import { decoded, onGrey } from '../likeness/likeness.ts';
import type { Subject } from '../measures/rate-curves.ts';
import { middleOf } from './middle.ts';

/** A picture in the forms that encoders accept. */
export interface Photo {
  readonly raster: Raster;
  /** Whether some pixels are not opaque. */
  readonly hasAlpha: boolean;
  /** A PNG with low compression for native programs, so that decoding it takes very little time. */
  readonly png: Uint8Array;
}

/** A picture to code, with its samples as stored; pictures with alpha are scored on mid gray. */
export async function photoOf({ bytes }: Pick<CorpusFile, 'bytes'>): Promise<Subject<Photo>> {
  const raster = await decoded(bytes);
  const hasAlpha = isTransparent(raster);
  const png = await asSharp({ raster, hasAlpha }).png({ compressionLevel: 1 }).toBuffer();
  const input = { raster, hasAlpha, png };
  return hasAlpha ? { input, raster: onGrey(raster), shown: onGrey } : { input, raster };
}

/** The middle of a camera photo, with its samples as stored. */
export async function middlePhotoOf({ bytes }: CorpusFile): Promise<Subject<Photo>> {
  const middle = await middleOf(sharp(bytes, { ignoreIcc: true }));
  const png = await middle.png({ compressionLevel: 1 }).toBuffer();
  return photoOf({ bytes: new Uint8Array(png) });
}

/** The pixels as a sharp pipeline. */
export function asSharp({ raster, hasAlpha }: Pick<Photo, 'raster' | 'hasAlpha'>): Sharp {
  const { width, height, data } = raster;
  const picture = sharp(data, { raw: { width, height, channels: 4 } });
  return hasAlpha ? picture : picture.removeAlpha();
}

/**
 * Codes an sRGB raster as the service does: with its settings, within its memory, and in cells if the whole does not
 * fit.
 *
 * @throws RangeError if no encoder fits
 */
export function codedByService(
  { raster, hasAlpha }: Pick<Photo, 'raster' | 'hasAlpha'>,
  type: ImageType,
  quality: Quality,
): Uint8Array<ArrayBuffer> {
  const { width, height } = raster;
  const coding = { type, quality, exact: false, icc: null, grey: false };
  for (const encoder of encodersFor({ width, height, hasAlpha }, coding)) {
    arena.reserve(encoder.arenaBytes);
    try {
      return bareFile(encoder, raster);
    } catch (error) {
      if (!(error instanceof CodecError && error.exhausted)) throw error;
    }
  }
  throw new RangeError('no way to code it within the memory of the service');
}
