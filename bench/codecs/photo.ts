import sharp from 'sharp';
import type { Raster } from '../../src/image/pixels/raster.ts';
import type { CorpusFile } from '../harness/section.ts';
import { decoded } from '../likeness/likeness-of-files.ts';
import type { Subject } from '../measures/rate-curves.ts';

/** The same picture in the ways that encoders take it. */
export interface Photo {
  readonly raster: Raster;
  /** For native programs: packed as little as can be, so that reading it costs next to nothing. */
  readonly png: Uint8Array;
}

export async function encoderSubject({ bytes }: CorpusFile): Promise<Subject<Photo>> {
  const raster = await decoded(bytes);
  const png = await sharp(bytes, { ignoreIcc: true })
    .removeAlpha()
    .png({ compressionLevel: 1 })
    .toBuffer();
  return { raster, input: { raster, png } };
}

/** The pixels for sharp. */
export function asSharp({ raster: { width, height, data } }: Photo) {
  return sharp(data, { raw: { width, height, channels: 4 } }).removeAlpha();
}
